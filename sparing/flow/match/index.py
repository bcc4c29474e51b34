"""The index: which boxes does each publication of a batch lie in?

The batch is what gets indexed. For every box the constraint that the fewest rows of the batch satisfy is found by
binary search; those rows are then checked against the box's other constraints. The work for a box is thus that of its
most selective constraint, and exact for every type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.match.ranked import Ranked, RankedField
from sparing.model.box import Box
from sparing.model.constraint import Range


@dataclass(frozen=True, slots=True)
class Matches:
    """Pairs (row of the batch, number of the box): box by box (those without constraints first), rows ascending."""

    rows: np.ndarray
    boxes: np.ndarray


@dataclass(frozen=True)
class _FieldConstraints:
    """All constraints on one field, their ranges end to end."""

    field: str
    boxes: np.ndarray
    ranges: Sequence[Range]
    starts: np.ndarray  # where each constraint's ranges begin; one more at the end
    missing: np.ndarray


class Index:
    """Built once from the boxes of a topic's subscriptions; holds no publication."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._boxes = len(boxes)
        self._everything = np.array([b for b, box in enumerate(boxes) if not box.constraints], dtype=np.int64)
        self._fields = [_gather(field, boxes) for field in sorted({f for box in boxes for f in box.fields})]

    def match(self, ranked: Ranked) -> Matches:
        """All matching pairs of a batch."""
        rows: list[np.ndarray] = [np.arange(ranked.rows, dtype=np.int32)] * len(self._everything)
        hits: list[int] = self._everything.tolist()
        if ranked.rows and self._fields:
            for box, found in self._constrained(ranked):
                rows.append(found)
                hits.append(box)
        if not rows:
            return Matches(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))
        boxes = np.repeat(np.array(hits, dtype=np.int32), [len(r) for r in rows])
        return Matches(np.concatenate(rows), boxes)

    def _constrained(self, ranked: Ranked) -> list[tuple[int, np.ndarray]]:
        checks: list[list[_Check]] = [[] for _ in range(self._boxes)]
        for constraints in self._fields:
            field = ranked.field(constraints.field)
            lows, highs = field.positions(constraints.ranges)
            highs = np.maximum(lows, highs)
            within = np.concatenate([[0], np.cumsum(highs - lows)])
            sizes = within[constraints.starts[1:]] - within[constraints.starts[:-1]]
            sizes = sizes + constraints.missing * len(field.missing)
            for at, (box, size) in enumerate(zip(constraints.boxes.tolist(), sizes.tolist(), strict=True)):
                first, last = constraints.starts[at], constraints.starts[at + 1]
                checks[box].append(
                    _Check(size, field, lows[first:last], highs[first:last], bool(constraints.missing[at]))
                )
        found = []
        for box, conjuncts in enumerate(checks):
            if not conjuncts:
                continue
            conjuncts.sort(key=lambda check: check.size)
            rows = conjuncts[0].rows()
            for check in conjuncts[1:]:
                if not len(rows):
                    break
                rows = rows[check.holds(rows)]
            if len(rows):
                found.append((box, np.sort(rows)))
        return found


@dataclass(frozen=True, slots=True)
class _Check:
    """One constraint on one batch: its ranges as ranges of ranks."""

    size: int
    field: RankedField
    lows: np.ndarray
    highs: np.ndarray
    missing: bool

    def rows(self) -> np.ndarray:
        """The rows that satisfy the constraint."""
        parts = [self.field.order[low:high] for low, high in zip(self.lows, self.highs, strict=True)]
        if self.missing:
            parts.append(self.field.missing)
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def holds(self, rows: np.ndarray) -> np.ndarray:
        """Which of some rows satisfy the constraint."""
        rank = self.field.rank[rows]
        holds: np.ndarray = rank < 0 if self.missing else np.zeros(len(rows), dtype=bool)
        if len(self.lows) <= 4:
            for low, high in zip(self.lows, self.highs, strict=True):
                holds |= (rank >= low) & (rank < high)
            return holds
        # Many ranges (a set of values): they ascend and never overlap, so one search finds the only candidate.
        at = np.searchsorted(self.lows, rank, side="right") - 1
        holds |= (at >= 0) & (rank < self.highs[np.maximum(at, 0)]) & (rank >= 0)
        return holds


def _gather(field: str, boxes: Sequence[Box]) -> _FieldConstraints:
    numbers: list[int] = []
    ranges: list[Range] = []
    starts, missing = [0], []
    for number, box in enumerate(boxes):
        for name, constraint in box.constraints:
            if name == field:
                numbers.append(number)
                ranges.extend(constraint.ranges)
                starts.append(len(ranges))
                missing.append(constraint.missing)
    return _FieldConstraints(field, np.array(numbers), ranges, np.array(starts), np.array(missing, dtype=bool))


def rows_in(ranked: Ranked, box: Box, rows: np.ndarray) -> np.ndarray:
    """Which of some rows of a batch lie in one box."""
    holds = np.ones(len(rows), dtype=bool)
    for name, constraint in box.constraints:
        field = ranked.field(name)
        lows, highs = field.positions(constraint.ranges)
        holds &= _Check(0, field, lows, np.maximum(lows, highs), constraint.missing).holds(rows)
    return holds
