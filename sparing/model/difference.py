"""What lies in a box and not in others: exact, for fields of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sparing.model.box import Box
from sparing.model.constraint import Constraint, complement
from sparing.model.types import FieldType


def minus(box: Box, other: Box, types: Mapping[str, FieldType]) -> list[Box]:
    """What lies in a box and not in another, as boxes that do not overlap."""
    if not box.overlaps(other):
        return [box]
    left, rest = [], dict(box.constraints)
    for field, constraint in other.constraints:
        mine = box.on(field)
        outside = Box.of(rest | {field: _without(mine, constraint, types[field])})
        if outside is not None:
            left.append(outside)
        rest[field] = mine.intersect(constraint)
    return left


def lies_in(box: Box, others: Iterable[Box], types: Mapping[str, FieldType]) -> bool:
    """Whether all of a box lies in some of the others, taken together."""
    left = [box]
    for other in others:
        left = [part for whole in left for part in minus(whole, other, types)]
        if not left:
            return True
    return False


def _without(mine: Constraint, other: Constraint, kind: FieldType) -> Constraint:
    return Constraint(mine.intersect(complement(kind, other)).ranges, mine.missing and not other.missing)
