"""Sets as ints with a bit for each member."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_


def bits_of(bits: int) -> list[int]:
    """Return the members of a set, ascending.

    >>> bits_of(0b1101)
    [0, 2, 3]
    """
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def joined(sets: Iterable[int | None]) -> int | None:
    """Return the union of the sets that are not None; None without any.

    >>> joined([1, None, 4]), joined([None])
    (5, None)
    """
    found = [bits for bits in sets if bits is not None]
    return reduce(or_, found) if found else None
