"""Counts in messages, with the singular or plural of a noun."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun; the default plural ends in s.

    >>> counted(1, "row"), counted(1200, "row"), counted(0, "entry", "entries")
    ('1 row', '1,200 rows', '0 entries')
    """
    return f"{number:,} {noun(number, one, many)}"


def noun(number: int, one: str, many: str | None = None) -> str:
    """Return the singular or plural of a word, depending on a number.

    >>> noun(1, "waits", "wait")
    'waits'
    """
    return one if number == 1 else many if many is not None else f"{one}s"
