"""Names that must differ, and names that must lead somewhere."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sparing.deployment.mistakes import Mistakes, Place
from sparing.deployment.names import hint


def unlike(names: Sequence[str], place: Callable[[int], Place], noun: str, mistakes: Mistakes) -> dict[str, int]:
    """Each name with where it came first; a name that comes again is a mistake."""
    first: dict[str, int] = {}
    for index, name in enumerate(names):
        if first.setdefault(name, index) != index:
            earlier = place(first[name]).label
            mistakes.add(place(index), f"{noun} {name} is given twice (first at {earlier}): names must differ")
    return first


def stranger(who: str, noun: str, name: str, valid: Collection[str]) -> Callable[[], str]:
    """The sentence about a name that leads nowhere, with the nearest that would lead somewhere."""
    return lambda: f"{who} names the {noun} '{name}', which does not exist{hint(name, valid)}"
