"""What boxes admit, from their ranges alone: where a value lies, what two ranges share, how much room that is.

A range is `[low, high)` of codes, None for an open end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.types import Code, FieldType, Kind

Range = tuple[Any, Any]
MOST = 2.0**64  # nothing counts for more than this
LETTERS = 6  # bytes by which texts are told apart


def allowed(constraint: Constraint, code: Code | None) -> bool:
    """Whether a field may have a value; None is a missing one."""
    if code is None:
        return constraint.missing
    return any(not _before(code, low) and (high is None or _before(code, high)) for low, high in constraint.ranges)


def _before(code: Any, bound: Any) -> bool:
    """Whether a value lies before a bound; nothing lies before an open start."""
    return bound is not None and code < bound


def lies_in(box: Box, codes: Mapping[str, Code | None]) -> bool:
    """Whether a publication lies in a box."""
    return all(allowed(constraint, codes.get(field)) for field, constraint in box.constraints)


def contains(outer: Box, inner: Box) -> bool:
    """Whether all that lies in one box lies in another, field by field."""
    theirs = dict(inner.constraints)
    return all(field in theirs and _all_in(theirs[field], mine) for field, mine in outer.constraints)


def _all_in(inner: Constraint, outer: Constraint) -> bool:
    """Tried at the first value of each piece of the line between neighbouring bounds, and before them all."""
    if inner.missing and not outer.missing:
        return False
    bounds = {bound for one in (inner, outer) for ends in one.ranges for bound in ends if bound is not None}
    begins_open = [any(low is None for low, _ in one.ranges) for one in (inner, outer)]
    if begins_open == [True, False]:
        return False
    return all(allowed(outer, bound) for bound in bounds if allowed(inner, bound))


def stretches(kind: FieldType, constraints: Sequence[Constraint]) -> list[tuple[float, float]]:
    """What all of some constraints on a field allow, as stretches of a line; a missing value lies below the others."""
    shared: list[Range] = [(None, None)]
    for constraint in constraints:
        shared = [
            (low, high)
            for one in shared
            for other in constraint.ranges
            for low in [max((end for end in (one[0], other[0]) if end is not None), default=None)]
            for high in [min((end for end in (one[1], other[1]) if end is not None), default=None)]
            if low is None or high is None or low < high
        ]
    first, last = _ends(kind)
    there = all(constraint.missing for constraint in constraints) and kind.kind is not Kind.FLOATING
    found = [(first - 1, first)] if there else []
    for low, high in shared:
        start = first if low is None else _position(kind, low)
        end = last if high is None else _position(kind, high)
        found.append((start, max(end, start + 1) if kind.kind is Kind.TEXT else end))
    return found


def room(found: Sequence[tuple[float, float]]) -> float:
    """How long some stretches are together."""
    return min(sum(end - start for start, end in found), MOST)


def _ends(kind: FieldType) -> tuple[float, float]:
    if kind.kind is Kind.FLOATING:
        return -MOST, MOST
    if kind.kind is Kind.TEXT:
        return 0.0, 256.0**LETTERS
    return float(kind.low), float(kind.high) + 1


def _position(kind: FieldType, code: Any) -> float:
    if kind.kind is Kind.FLOATING:
        value = kind.value(code)
        assert isinstance(value, float)
        return MOST if math.isnan(value) else max(-MOST, min(MOST, value))  # NaN is above all others
    if kind.kind is Kind.TEXT:
        return float(int.from_bytes(code.encode()[:LETTERS].ljust(LETTERS, b"\0"), "big"))
    return float(code)
