"""A constraint: the set of values that one field may have.

It is a union of disjoint half-open ranges of codes, in ascending order and never touching, and a flag that
says whether a missing value will do. Intervals, sets of values, prefixes, not-equal, exists and is-null are
all of this one form, and because the form is unique, two constraints that admit the same values are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sparing.model.names import quoted
from sparing.model.types import NAN_CODE, Code, FieldType, Kind, after_prefix, successor

Range = tuple[Code | None, Code | None]


@dataclass(frozen=True, slots=True)
class Constraint:
    """`ranges` of codes `[low, high)`, None for an open end; `missing` if NULL is admitted."""

    ranges: tuple[Range, ...]
    missing: bool = False

    @property
    def empty(self) -> bool:
        """No value at all is admitted."""
        return not self.ranges and not self.missing

    def admits(self, code: Code | None) -> bool:
        """Whether a value (its code; None for a missing one) is in the set."""
        if code is None:
            return self.missing
        return any(
            (low is None or low <= code) and (high is None or code < high)  # type: ignore[operator]
            for low, high in self.ranges
        )

    def intersect(self, other: Constraint) -> Constraint:
        """What both admit."""
        both: list[Range] = []
        for low, high in self.ranges:
            for other_low, other_high in other.ranges:
                most_low, least_high = _later_start(low, other_low), _earlier_end(high, other_high)
                if most_low is None or least_high is None or most_low < least_high:  # type: ignore[operator]
                    both.append((most_low, least_high))
        return Constraint(tuple(both), self.missing and other.missing)

    def union(self, other: Constraint) -> Constraint:
        """What either admits."""
        return Constraint(_joined(self.ranges + other.ranges), self.missing or other.missing)

    def covers(self, other: Constraint) -> bool:
        """Whether every value that `other` admits is admitted here."""
        if other.missing and not self.missing:
            return False
        # Ranges never touch, so a range of the other must lie within a single one of ours.
        return all(any(_within(inner, outer) for outer in self.ranges) for inner in other.ranges)

    def overlaps(self, other: Constraint) -> bool:
        """Whether some value is admitted by both."""
        return not self.intersect(other).empty

    def point(self) -> Code | None:
        """The only value admitted, if there is just one and it is not NULL."""
        if self.missing or len(self.ranges) != 1:
            return None
        low, high = self.ranges[0]
        return low if low is not None and high == successor(low) else None

    def sql(self, field: str, kind: FieldType) -> str:
        """The constraint as Spark SQL text."""
        field = quoted(field)
        parts = _sql_ranges(field, self.ranges, kind)
        if self.missing:
            parts.append(f"{field} IS NULL")
        return parts[0] if len(parts) == 1 else "(" + " OR ".join(parts) + ")"


ANYTHING = Constraint(((None, None),), missing=True)
NOTHING = Constraint(())
EXISTS = Constraint(((None, None),))
IS_NULL = Constraint((), missing=True)


def between(kind: FieldType, low: Code | None, high: Code | None) -> Constraint:
    """`low <= value < high`; None leaves an end open."""
    clipped = kind.clip(low, high)
    return NOTHING if clipped is None else Constraint((clipped,))


def one_of(kind: FieldType, codes: Iterable[Code]) -> Constraint:
    """Any of the given values."""
    ranges = [clipped for code in codes if (clipped := kind.clip(code, successor(code))) is not None]
    return Constraint(_joined(tuple(ranges)))


def starts_with(kind: FieldType, prefix: str) -> Constraint:
    """Text that starts with `prefix`."""
    return between(kind, prefix, after_prefix(prefix))


def complement(kind: FieldType, constraint: Constraint) -> Constraint:
    """Every value that exists and is not admitted (a missing value is in neither)."""
    gaps: list[Range] = []
    start: Code | None = None
    for low, high in constraint.ranges:
        if low is not None and (gap := kind.clip(start, low)) is not None:
            gaps.append(gap)
        if high is None:
            return Constraint(tuple(gaps))
        start = high
    if (gap := kind.clip(start, None)) is not None:
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


def _joined(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Ascending, with overlapping and touching ranges made one."""
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


def _sql_ranges(field: str, ranges: tuple[Range, ...], kind: FieldType) -> list[str]:
    points = [low for low, high in ranges if low is not None and high == successor(low)]
    parts = []
    if len(points) == 1:
        parts.append(f"{field} = {kind.literal(points[0])}")
    elif points:
        parts.append(f"{field} IN ({', '.join(map(kind.literal, points))})")
    for low, high in ranges:
        if low is not None and high == successor(low):
            continue
        parts.append(_sql_range(field, low, high, kind))
    return parts


def _sql_range(field: str, low: Code | None, high: Code | None, kind: FieldType) -> str:
    if low is None and high is None:
        return f"{field} IS NOT NULL"
    if kind.kind is Kind.TEXT and isinstance(low, str) and low and after_prefix(low) == high:
        escaped = low.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        return f"{field} LIKE {kind.literal(escaped + '%')}"
    if kind.kind is Kind.BOOLEAN:
        return f"{field} = {'false' if low is None else 'true'}"
    ends = []
    if kind.kind is Kind.FLOATING and low == NAN_CODE:  # NaN has no literal of its own
        ends.append(f"{field} > double('Infinity')")
    elif low is not None:
        open_text = isinstance(low, str) and low.endswith("\0")
        ends.append(f"{field} > {kind.literal(low[:-1])}" if open_text else f"{field} >= {kind.literal(low)}")  # type: ignore[index]
    if high is not None:
        closed_text = isinstance(high, str) and high.endswith("\0")
        if closed_text:
            ends.append(f"{field} <= {kind.literal(high[:-1])}")  # type: ignore[index]
        elif kind.kind is Kind.FLOATING and high == NAN_CODE:
            ends.append(f"{field} <= double('Infinity')")
        elif kind.kind is Kind.FLOATING and _rounder_below(kind, high):
            ends.append(f"{field} <= {kind.literal(high - 1)}")  # type: ignore[operator]
        else:
            ends.append(f"{field} < {kind.literal(high)}")
    text = " AND ".join(ends)
    return f"({text})" if len(ends) == 2 else text


def _rounder_below(kind: FieldType, high: Code) -> bool:
    """Whether the double just below a bound is the one a person wrote: `<= 0.3`, not `< 0.30000000000000004`."""
    assert isinstance(high, int)
    return len(kind.literal(high - 1)) < len(kind.literal(high))
