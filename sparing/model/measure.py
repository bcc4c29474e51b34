"""The area of a box, which publishers can rank by.

The extent in a field is a count for whole numbers, dates, booleans and the like, a length for floating point numbers,
and a count of different first six bytes for text. It is at most 2^64, so open ends have an extent, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod

from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.types import Code, FieldType, Kind, code_float

ROOM = 2.0**64
BYTES = 6


def area(box: Box, fields: Iterable[str], types: Mapping[str, FieldType]) -> float:
    """Return the product of a box's extents in some fields.

    >>> from sparing.model.constraint import between
    >>> from sparing.model.types import INT
    >>> s3 = Box.of({"x": between(INT, 3, 8), "y": between(INT, 1, 9)})
    >>> area(s3, ["x", "y"], {"x": INT, "y": INT})
    40.0
    """
    return prod((extent(box.on(field), types[field]) for field in fields), start=1.0)


def extent(constraint: Constraint, type_: FieldType) -> float:
    """Return the extent of a constraint; NULL counts like any other value."""
    return min(sum(high - low for low, high in spans(constraint, type_)), ROOM)


def spans(constraint: Constraint, type_: FieldType) -> list[tuple[float, float]]:
    """Return a constraint as ascending intervals of a line; NULL is below all other values."""
    lowest, highest = _room(type_)
    intervals = [(lowest - 1, lowest)] if constraint.missing and type_.kind is not Kind.FLOATING else []
    for low, high in constraint.ranges:
        start = lowest if low is None else _place(low, type_)
        end = highest if high is None else _place(high, type_)
        if type_.kind is Kind.TEXT:
            end = max(end, start + 1)  # texts with the same first bytes count as one
        intervals.append((start, end))
    return intervals


def _room(type_: FieldType) -> tuple[float, float]:
    match type_.kind:
        case Kind.FLOATING:
            return -ROOM, ROOM
        case Kind.TEXT:
            return 0.0, 256.0**BYTES
        case _:
            return float(type_.low), float(type_.high) + 1


def _place(code: Code, type_: FieldType) -> float:
    match type_.kind:
        case Kind.FLOATING:
            assert isinstance(code, int)
            return max(-ROOM, min(ROOM, code_float(code)))  # NaN, the greatest value, becomes ROOM
        case Kind.TEXT:
            return float(int.from_bytes(str(code).encode()[:BYTES].ljust(BYTES, b"\0"), "big"))
        case _:
            return float(code)
