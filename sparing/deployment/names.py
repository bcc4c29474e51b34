"""Helping with names: the nearest valid one, or a list of those that are allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import islice

from sparing.language.errors import nearest

MOST_LISTED = 8
MOST_COMPARED = 5_000  # beyond that a guess would cost seconds, and mistakes come in thousands


def listing(names: Iterable[str], last: str = "or") -> str:
    """Names as people list them; a long list is cut short.

    >>> listing(["do", "ds", "any"])
    'do, ds or any'
    """
    names = list(names)
    if len(names) > MOST_LISTED:
        return f"{', '.join(islice(names, MOST_LISTED))}, ... ({len(names):,} in all)"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def hint(name: str, valid: Collection[str]) -> str:
    """The end of a sentence about a name that is not known: what it may have been meant to be.

    >>> hint("e9", ["e1", "e2"])
    ': use e1 or e2'
    """
    if len(valid) <= MOST_COMPARED and (guess := nearest(name, valid)) is not None:
        return f": did you mean '{guess}'?"
    return f": use {listing(valid)}" if valid else ": there are none"


def sentence(text: str) -> str:
    """The text with a full stop, unless it ends like a sentence already."""
    return text if text.endswith((".", "?", "!")) else text + "."
