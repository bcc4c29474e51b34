"""Constraints: sets of admitted values of one field.

A constraint is a union of half-open ranges of codes, ascending and neither overlapping nor adjacent, and a flag for
NULL. Intervals, sets of values, prefixes, not-equal, exists and is-null all have this form. The form is canonical: two
constraints that admit the same values are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sparing.model.names import quoted
from sparing.model.types import NAN_CODE, Code, FieldType, Kind, after_prefix, successor

Range = tuple[Code | None, Code | None]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A set of values: `ranges` of codes `[low, high)`, None for an open end, and NULL if `missing`."""

    ranges: tuple[Range, ...]
    missing: bool = False

    @property
    def empty(self) -> bool:
        """Whether no value is admitted, not even NULL."""
        return not self.ranges and not self.missing

    def admits(self, code: Code | None) -> bool:
        """Return whether a value is in the set, given its code (None for NULL)."""
        if code is None:
            return self.missing
        return any(
            (low is None or low <= code) and (high is None or code < high)  # type: ignore[operator]
            for low, high in self.ranges
        )

    def intersect(self, other: Constraint) -> Constraint:
        """Return the constraint that admits the values admitted by both."""
        common: list[Range] = []
        for low, high in self.ranges:
            for other_low, other_high in other.ranges:
                start, end = _later_start(low, other_low), _earlier_end(high, other_high)
                if start is None or end is None or start < end:  # type: ignore[operator]
                    common.append((start, end))
        return Constraint(tuple(common), self.missing and other.missing)

    def union(self, other: Constraint) -> Constraint:
        """Return the constraint that admits the values admitted by either."""
        return Constraint(_canonical(self.ranges + other.ranges), self.missing or other.missing)

    def covers(self, other: Constraint) -> bool:
        """Return whether this constraint admits every value that `other` admits."""
        if other.missing and not self.missing:
            return False
        # Ranges are never adjacent, so each range of the other must be within a single range of this one.
        return all(any(_within(inner, outer) for outer in self.ranges) for inner in other.ranges)

    def overlaps(self, other: Constraint) -> bool:
        """Return whether some value is admitted by both."""
        return not self.intersect(other).empty

    def point(self) -> Code | None:
        """Return the code of the only admitted value, or None if there are several or it is NULL."""
        if self.missing or len(self.ranges) != 1:
            return None
        low, high = self.ranges[0]
        return low if low is not None and high == successor(low) else None

    def sql(self, field: str, type_: FieldType) -> str:
        """Return the constraint as a Spark SQL condition."""
        field = quoted(field)
        parts = _sql_ranges(field, self.ranges, type_)
        if self.missing:
            parts.append(f"{field} IS NULL")
        return parts[0] if len(parts) == 1 else "(" + " OR ".join(parts) + ")"


ANYTHING = Constraint(((None, None),), missing=True)
NOTHING = Constraint(())
EXISTS = Constraint(((None, None),))
IS_NULL = Constraint((), missing=True)


def between(type_: FieldType, low: Code | None, high: Code | None) -> Constraint:
    """Return the constraint `low <= value < high`; None for an open end."""
    clipped = type_.clip(low, high)
    return NOTHING if clipped is None else Constraint((clipped,))


def one_of(type_: FieldType, codes: Iterable[Code]) -> Constraint:
    """Return the constraint that admits some given values."""
    ranges = [clipped for code in codes if (clipped := type_.clip(code, successor(code))) is not None]
    return Constraint(_canonical(tuple(ranges)))


def starts_with(type_: FieldType, prefix: str) -> Constraint:
    """Return the constraint that admits text with a prefix."""
    return between(type_, prefix, after_prefix(prefix))


def complement(type_: FieldType, constraint: Constraint) -> Constraint:
    """Return the constraint that admits all other values except NULL."""
    gaps: list[Range] = []
    start: Code | None = None
    for low, high in constraint.ranges:
        if low is not None and (gap := type_.clip(start, low)) is not None:
            gaps.append(gap)
        if high is None:
            return Constraint(tuple(gaps))
        start = high
    if (gap := type_.clip(start, None)) is not None:
        gaps.append(gap)
    return Constraint(tuple(gaps))


def _later_start(one: Code | None, other: Code | None) -> Code | None:
    if one is None or other is None:
        return other if one is None else one
    return max(one, other)


def _earlier_end(one: Code | None, other: Code | None) -> Code | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _within(inner: Range, outer: Range) -> bool:
    starts = outer[0] is None or (inner[0] is not None and outer[0] <= inner[0])  # type: ignore[operator]
    ends = outer[1] is None or (inner[1] is not None and inner[1] <= outer[1])  # type: ignore[operator]
    return starts and ends


def _canonical(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Return ranges in ascending order, with overlapping and adjacent ones joined."""
    if len(ranges) < 2:
        return ranges
    joined: list[Range] = []
    for low, high in sorted(ranges, key=lambda r: (r[0] is not None, r[0])):
        if joined:
            last_low, last_high = joined[-1]
            if last_high is None:
                break
            if low is None or low <= last_high:  # type: ignore[operator]
                if high is None or high > last_high:  # type: ignore[operator]
                    joined[-1] = (last_low, high)
                continue
        joined.append((low, high))
    return tuple(joined)


def _sql_ranges(field: str, ranges: tuple[Range, ...], type_: FieldType) -> list[str]:
    points = [low for low, high in ranges if low is not None and high == successor(low)]
    parts = []
    if len(points) == 1:
        parts.append(f"{field} = {type_.literal(points[0])}")
    elif points:
        parts.append(f"{field} IN ({', '.join(map(type_.literal, points))})")
    for low, high in ranges:
        if low is not None and high == successor(low):
            continue
        parts.append(_sql_range(field, low, high, type_))
    return parts


def _sql_range(field: str, low: Code | None, high: Code | None, type_: FieldType) -> str:
    if low is None and high is None:
        return f"{field} IS NOT NULL"
    if type_.kind is Kind.TEXT and isinstance(low, str) and low and after_prefix(low) == high:
        escaped = low.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{field} LIKE {type_.literal(escaped + '%')}"
    if type_.kind is Kind.BOOLEAN:
        return f"{field} = {'false' if low is None else 'true'}"
    ends = []
    if type_.kind is Kind.FLOATING and low == NAN_CODE:  # NaN has no literal of its own
        ends.append(f"{field} > double('Infinity')")
    elif low is not None:
        open_text = isinstance(low, str) and low.endswith("\0")
        ends.append(f"{field} > {type_.literal(low[:-1])}" if open_text else f"{field} >= {type_.literal(low)}")  # type: ignore[index]
    if high is not None:
        closed_text = isinstance(high, str) and high.endswith("\0")
        if closed_text:
            ends.append(f"{field} <= {type_.literal(high[:-1])}")  # type: ignore[index]
        elif type_.kind is Kind.FLOATING and high == NAN_CODE:
            ends.append(f"{field} <= double('Infinity')")
        elif type_.kind is Kind.FLOATING and _rounder_below(type_, high):
            ends.append(f"{field} <= {type_.literal(high - 1)}")  # type: ignore[operator]
        else:
            ends.append(f"{field} < {type_.literal(high)}")
    text = " AND ".join(ends)
    return f"({text})" if len(ends) == 2 else text


def _rounder_below(type_: FieldType, high: Code) -> bool:
    """Whether the double just below a bound is the one a person wrote: `<= 0.3`, not `< 0.30000000000000004`."""
    assert isinstance(high, int)
    return len(type_.literal(high - 1)) < len(type_.literal(high))
