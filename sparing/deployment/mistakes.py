"""Mistakes in a deployment: each has a place and a sentence, and one pass reports all that it finds together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from textwrap import indent

from sparing.language.errors import LanguageError, nearest
from sparing.model.errors import SparingError

MOST_SHOWN = 20
MOST_LISTED = 8
MOST_COMPARED = 5_000  # a guess among more names would take seconds, and there may be thousands of mistakes


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a mistake: a label to show, and a sort key (the deployment file first, then its tables)."""

    label: str
    number: int = 0
    table: str = ""

    @property
    def order(self) -> tuple[str, int]:
        """The sort key."""
        return self.table, self.number


@dataclass(frozen=True)
class Mistake:
    """A place and an error text. The text may be a function, which is called only if the mistake is shown."""

    place: Place
    text: str | Callable[[], str]

    @cached_property
    def message(self) -> str:
        """`place: sentence`."""
        text = self.text if isinstance(self.text, str) else self.text()
        first, newline, below = text.partition("\n")
        return f"{self.place.label}: {sentence(first)}{newline}{below}"


class DeploymentError(SparingError):
    """An invalid deployment. The message has one line per mistake; `mistakes` has all of them in order."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda mistake: mistake.place.order))
        lines = [mistake.message for mistake in self.mistakes[:MOST_SHOWN]]
        if (rest := len(self.mistakes) - MOST_SHOWN) > 0:
            lines.append(f"... and {rest:,} more.")
        super().__init__("\n".join(lines))


class Mistakes(list[Mistake]):
    """The mistakes that one pass has found so far."""

    def add(self, place: Place, text: str | Callable[[], str]) -> None:
        """Add a mistake."""
        self.append(Mistake(place, text))

    def stop_if_any(self) -> None:
        """End the pass: raise an error if there are mistakes."""
        if self:
            raise DeploymentError(self)


def quoting(error: LanguageError, subject: str = "") -> Callable[[], str]:
    """Return the text of a mistake in SQL: the sentence, and below it the SQL with its caret, indented."""

    def text() -> str:
        below = str(error).removeprefix(error.message).strip("\n")
        first = f"{subject}: {error.message}" if subject else error.message
        return f"{first}\n{indent(below, '  ')}" if below else first

    return text


def check_unique(names: Sequence[str], place: Callable[[int], Place], noun: str, mistakes: Mistakes) -> dict[str, int]:
    """Return each name with its first position; a repeated name is a mistake."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            earlier = place(first[name]).label
            mistakes.add(place(index), f"{noun} {name} is defined twice (first at {earlier}): use different names")
    return first


def unknown_name(who: str, noun: str, name: str, valid: Collection[str]) -> Callable[[], str]:
    """Return the text about a reference to an undefined name, with the nearest valid one."""
    return lambda: f"{who} refers to the {noun} '{name}', which does not exist{hint(name, valid)}"


def hint(name: str, valid: Collection[str]) -> str:
    """Return the end of a sentence about an unknown name: the nearest valid name, or a list of valid names.

    >>> hint("e9", ["e1", "e2"])
    ': use e1 or e2'
    """
    if len(valid) <= MOST_COMPARED and (guess := nearest(name, valid)) is not None:
        return f": did you mean '{guess}'?"
    return f": use {listing(valid)}" if valid else ": there are none"


def listing(names: Iterable[str], last: str = "or") -> str:
    """Return names separated by commas and a conjunction; a long list is truncated.

    >>> listing(["do", "ds", "any"])
    'do, ds or any'
    """
    names = list(names)
    if len(names) > MOST_LISTED:
        return f"{', '.join(islice(names, MOST_LISTED))}, ... ({len(names):,} in all)"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def sentence(text: str) -> str:
    """Return the text with a full stop, unless it ends with punctuation."""
    return text if text.endswith((".", "?", "!")) else text + "."
