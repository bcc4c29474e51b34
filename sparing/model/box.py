"""Boxes: a conjunction of constraints, at most one per field, and how two boxes relate.

A box is never empty: what would be empty is `None` instead. So it contains another exactly if it does in
every field, and it meets another exactly if it does in every field.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from sparing.model.constraint import ANYTHING, Constraint
from sparing.model.types import Code, FieldType


class Relation(Enum):
    """How one box lies to another: exactly one of these holds for every pair."""

    EQUAL = "equal"
    COVERS = "covers"
    COVERED = "covered"
    OVERLAPS = "overlaps"
    DISJOINT = "disjoint"

    @property
    def reversed(self) -> Relation:
        """The same relation, seen from the other box."""
        return {Relation.COVERS: Relation.COVERED, Relation.COVERED: Relation.COVERS}.get(self, self)


@dataclass(frozen=True, slots=True)
class Box:
    """Constraints by field, in the order of the field names; fields not named admit anything."""

    constraints: tuple[tuple[str, Constraint], ...] = ()

    @classmethod
    def of(cls, constraints: Mapping[str, Constraint] | Iterable[tuple[str, Constraint]]) -> Box | None:
        """The box with these constraints, or None if no publication can lie in it."""
        named = dict(constraints)
        if any(constraint.empty for constraint in named.values()):
            return None
        return cls(tuple(sorted((f, c) for f, c in named.items() if c != ANYTHING)))

    @property
    def fields(self) -> tuple[str, ...]:
        """The constrained fields."""
        return tuple(field for field, _ in self.constraints)

    def on(self, field: str) -> Constraint:
        """The constraint on a field."""
        for name, constraint in self.constraints:
            if name == field:
                return constraint
        return ANYTHING

    def admits(self, codes: Mapping[str, Code | None]) -> bool:
        """Whether a publication, given by the codes of its fields, lies in the box."""
        return all(constraint.admits(codes.get(field)) for field, constraint in self.constraints)

    def intersect(self, other: Box) -> Box | None:
        """The box of what lies in both, or None."""
        mine, theirs = dict(self.constraints), dict(other.constraints)
        return Box.of({f: mine.get(f, ANYTHING).intersect(theirs.get(f, ANYTHING)) for f in mine | theirs})

    def covers(self, other: Box) -> bool:
        """Whether everything in `other` lies in this box too."""
        return all(constraint.covers(other.on(field)) for field, constraint in self.constraints)

    def overlaps(self, other: Box) -> bool:
        """Whether some publication lies in both."""
        theirs = dict(other.constraints)
        return all(c.overlaps(theirs[field]) for field, c in self.constraints if field in theirs)

    def relation(self, other: Box) -> Relation:
        """Exactly one of the five relations.

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
        """The box as the text of a WHERE clause."""
        parts = [constraint.sql(field, types[field]) for field, constraint in self.constraints]
        return " AND ".join(parts) if parts else "true"
