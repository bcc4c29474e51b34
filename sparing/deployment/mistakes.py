"""Mistakes in a deployment: each has a place and a sentence, and all that one pass finds are shown together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from textwrap import indent

from sparing.deployment.names import sentence
from sparing.language.errors import LanguageError
from sparing.model.errors import SparingError

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where a mistake is: a label to show, and how places are put in order (the file first, then its tables)."""

    label: str
    number: int = 0
    table: str = ""

    @property
    def order(self) -> tuple[str, int]:
        """The key to sort by."""
        return self.table, self.number


@dataclass(frozen=True)
class Mistake:
    """A place and what is wrong there. The text may be a function: it is called only if the mistake is shown."""

    place: Place
    text: str | Callable[[], str]

    @cached_property
    def message(self) -> str:
        """`place: sentence`."""
        text = self.text if isinstance(self.text, str) else self.text()
        first, newline, below = text.partition("\n")
        return f"{self.place.label}: {sentence(first)}{newline}{below}"


class DeploymentError(SparingError):
    """A deployment that cannot be used. The message has one line for each mistake, `mistakes` all of them in order."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(sorted(mistakes, key=lambda mistake: mistake.place.order))
        lines = [mistake.message for mistake in self.mistakes[:MOST_SHOWN]]
        if (rest := len(self.mistakes) - MOST_SHOWN) > 0:
            lines.append(f"... and {rest:,} more.")
        super().__init__("\n".join(lines))


class Mistakes(list[Mistake]):
    """The mistakes that one pass has found so far."""

    def add(self, place: Place, text: str | Callable[[], str]) -> None:
        """Note a mistake."""
        self.append(Mistake(place, text))

    def stop_if_any(self) -> None:
        """End the pass: raise if there were mistakes."""
        if self:
            raise DeploymentError(self)


def quoting(error: LanguageError, subject: str = "") -> Callable[[], str]:
    """A mistake in a piece of SQL: the sentence, and below it the text with its caret, indented."""

    def text() -> str:
        below = str(error).removeprefix(error.message).strip("\n")
        sentence = f"{subject}: {error.message}" if subject else error.message
        return f"{sentence}\n{indent(below, '  ')}" if below else sentence

    return text
