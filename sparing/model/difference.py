"""Differences of boxes: exact, for fields of any type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sparing.model.box import Box
from sparing.model.constraint import Constraint, complement
from sparing.model.types import FieldType


def subtract(box: Box, other: Box, types: Mapping[str, FieldType]) -> list[Box]:
    """Return the part of a box outside another, as boxes that do not overlap."""
    if not box.overlaps(other):
        return [box]
    outside, inside = [], dict(box.constraints)
    for field, constraint in other.constraints:
        own = box.on(field)
        part = Box.of(inside | {field: _without(own, constraint, types[field])})
        if part is not None:
            outside.append(part)
        inside[field] = own.intersect(constraint)
    return outside


def within_union(box: Box, others: Iterable[Box], types: Mapping[str, FieldType]) -> bool:
    """Return whether the union of other boxes contains a box."""
    remaining = [box]
    for other in others:
        remaining = [part for whole in remaining for part in subtract(whole, other, types)]
        if not remaining:
            return True
    return False


def _without(constraint: Constraint, other: Constraint, type_: FieldType) -> Constraint:
    return Constraint(constraint.intersect(complement(type_, other)).ranges, constraint.missing and not other.missing)
