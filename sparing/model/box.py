"""Boxes: conjunctions of constraints, at most one per field, and the relations of two boxes.

A box is never empty: an empty conjunction is `None` instead. Covering and overlap can therefore be decided field by
field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from sparing.model.constraint import ANYTHING, Constraint
from sparing.model.types import Code, FieldType


class Relation(Enum):
    """The relation of one box to another: exactly one holds for every pair."""

    EQUAL = "equal"
    COVERS = "covers"
    COVERED = "covered"
    OVERLAPS = "overlaps"
    DISJOINT = "disjoint"

    @property
    def reversed(self) -> Relation:
        """The relation of the other box to this one."""
        return {Relation.COVERS: Relation.COVERED, Relation.COVERED: Relation.COVERS}.get(self, self)


@dataclass(frozen=True, slots=True)
class Box:
    """Constraints by field, in the order of the field names; other fields are unconstrained."""

    constraints: tuple[tuple[str, Constraint], ...] = ()

    @classmethod
    def of(cls, constraints: Mapping[str, Constraint] | Iterable[tuple[str, Constraint]]) -> Box | None:
        """Return the box with these constraints, or None if it is empty."""
        named = dict(constraints)
        if any(constraint.empty for constraint in named.values()):
            return None
        return cls(tuple(sorted((f, c) for f, c in named.items() if c != ANYTHING)))

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the constrained fields."""
        return tuple(field for field, _ in self.constraints)

    def on(self, field: str) -> Constraint:
        """Return the constraint on a field."""
        for name, constraint in self.constraints:
            if name == field:
                return constraint
        return ANYTHING

    def admits(self, codes: Mapping[str, Code | None]) -> bool:
        """Return whether a publication is in the box, given the codes of its fields."""
        return all(constraint.admits(codes.get(field)) for field, constraint in self.constraints)

    def intersect(self, other: Box) -> Box | None:
        """Return the intersection of two boxes, or None if it is empty."""
        own, others = dict(self.constraints), dict(other.constraints)
        return Box.of({f: own.get(f, ANYTHING).intersect(others.get(f, ANYTHING)) for f in own | others})

    def covers(self, other: Box) -> bool:
        """Return whether this box contains `other`."""
        return all(constraint.covers(other.on(field)) for field, constraint in self.constraints)

    def overlaps(self, other: Box) -> bool:
        """Return whether the boxes have a publication in common."""
        others = dict(other.constraints)
        return all(c.overlaps(others[field]) for field, c in self.constraints if field in others)

    def relation(self, other: Box) -> Relation:
        """Return the relation of this box to another.

        >>> Box().relation(Box())
        <Relation.EQUAL: 'equal'>
        """
        if self == other:
            return Relation.EQUAL
        if self.covers(other):
            return Relation.COVERS
        if other.covers(self):
            return Relation.COVERED
        return Relation.OVERLAPS if self.overlaps(other) else Relation.DISJOINT

    def sql(self, types: Mapping[str, FieldType]) -> str:
        """Return the box as the condition of a WHERE clause."""
        parts = [constraint.sql(field, types[field]) for field, constraint in self.constraints]
        return " AND ".join(parts) if parts else "true"
