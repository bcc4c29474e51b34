"""Boxes as arrays of codes, for compiled tests of containment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sparing.control.covering.kernels.clip import clip, find_overlapping
from sparing.match.encode import Encoder
from sparing.match.predicates import LEAST, MOST, NO_SET, Predicates
from sparing.model.box import Box
from sparing.model.types import FieldType, float_codes


class CodeRanges(NamedTuple):
    """The constraint of each box on each field: the closed range of codes that spans it, and the ranges of sets."""

    low: np.ndarray  # int64 [box, field]
    last: np.ndarray  # int64 [box, field]
    missing: np.ndarray  # bool [box, field] whether NULL is admitted
    set: np.ndarray  # int32 [box, field] number of the set, NO_SET for a single range
    set_starts: np.ndarray  # int64 [set + 1]
    set_low: np.ndarray  # int64
    set_last: np.ndarray  # int64


@dataclass(frozen=True, eq=False)
class CodedBoxes:
    """Boxes over the same fields, in the order of their ids."""

    ranges: CodeRanges

    def __len__(self) -> int:
        return len(self.ranges.low)

    @classmethod
    def of(cls, boxes: Sequence[Box], types: Mapping[str, FieldType]) -> CodedBoxes:
        """Encode boxes over any fields of the given types."""
        used = {field for box in boxes for field in box.fields}
        encoder = Encoder({field: type_ for field, type_ in types.items() if field in used})
        encoder.learn(boxes)
        return cls(dense(encoder.predicates(boxes), max(len(used), 1)))

    @classmethod
    def of_numbers(cls, low: np.ndarray, high: np.ndarray) -> CodedBoxes:
        """Encode boxes given by half-open ranges of doubles, [box, field]."""
        shape = low.shape
        none, codes = np.zeros(0, np.int64), np.zeros(1, np.int64)
        lasts = float_codes(high.ravel()).reshape(shape) - 1
        return cls(
            CodeRanges(
                float_codes(low.ravel()).reshape(shape),
                lasts,
                np.zeros(shape, bool),
                np.full(shape, NO_SET, np.int32),
                codes,
                none,
                none,
            )
        )

    def take(self, which: np.ndarray) -> CodedBoxes:
        """Return some of the boxes, by number or mask."""
        ranges = self.ranges
        low, last, missing, set_ = ranges.low[which], ranges.last[which], ranges.missing[which], ranges.set[which]
        return CodedBoxes(ranges._replace(low=low, last=last, missing=missing, set=set_))

    def overlapping(self, other: int, boxes: int) -> np.ndarray:
        """Return whether each of the first `boxes` boxes overlaps box `other`."""
        room = np.empty(self._most_ranges, np.int64)
        found: np.ndarray = find_overlapping(self.ranges, boxes, other, room, room.copy())
        return found

    def clipped(self, which: np.ndarray, other: int) -> CodedBoxes:
        """Return the intersections of some boxes with another one."""
        ranges, shape = self.ranges, (len(which), self.ranges.low.shape[1])
        bounds = np.empty(shape, np.int64), np.empty(shape, np.int64), np.empty(shape, bool), np.empty(shape, np.int32)
        into = CodeRanges(*bounds, ranges.set_starts, ranges.set_low, ranges.set_last)
        # An intersection has at most as many ranges as both boxes together.
        mine = self._range_counts[which].sum() + len(which) * self._range_counts[other]
        low, last = np.empty(int(mine) + 2, np.int64), np.empty(int(mine) + 2, np.int64)
        starts = np.zeros(len(which) * shape[1] + 1, np.int64)
        sets = clip(ranges, which, other, starts, low, last, into)
        starts = starts[: sets + 1]
        return CodedBoxes(into._replace(set_starts=starts, set_low=low[: starts[-1]], set_last=last[: starts[-1]]))

    @cached_property
    def _range_counts(self) -> np.ndarray:
        """The number of ranges of each box, over all fields."""
        sizes = np.append(np.diff(self.ranges.set_starts), 1)  # the last is for NO_SET
        counts: np.ndarray = sizes[self.ranges.set].sum(axis=1)
        return counts

    @cached_property
    def _most_ranges(self) -> int:
        return 2 * int(self._range_counts.max(initial=1)) + 2

    @cached_property
    def breadth(self) -> np.ndarray:
        """An integer per box; a box that contains another one has a greater integer."""
        ranges = self.ranges
        total = ranges.missing.sum(axis=1).astype(np.int64)
        for field in range(ranges.low.shape[1]):
            low, last, set_ = ranges.low[:, field], ranges.last[:, field], ranges.set[:, field]
            of_sets = np.concatenate([_run(ranges.set_starts, s) for s in set_[set_ >= 0]] or [np.zeros(0, np.int64)])
            lows, lasts = np.append(low, ranges.set_low[of_sets]), np.append(last, ranges.set_last[of_sets])
            # Between two neighbouring bounds, a box admits everything or nothing.
            bounds = np.unique(np.concatenate([lows, lasts[lasts < MOST] + 1]))
            start, end = _ranks(bounds, lows, lasts)
            width = np.maximum(end - start, 0)
            single = width[: len(self)]
            counts = (ranges.set_starts[1:] - ranges.set_starts[:-1])[set_[set_ >= 0]]
            single[set_ >= 0] = _sums(width[len(self) :], counts)
            total += single
        found: np.ndarray = total
        return found


def _run(starts: np.ndarray, which: int) -> np.ndarray:
    return np.arange(starts[which], starts[which + 1])


def _sums(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Return the sum of each run of values."""
    sums: np.ndarray = np.bincount(np.repeat(np.arange(len(counts)), counts), values, len(counts))
    return sums.astype(np.int64)


def _ranks(bounds: np.ndarray, lows: np.ndarray, lasts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    ends = np.searchsorted(bounds, np.where(lasts < MOST, lasts + 1, lasts))
    return np.searchsorted(bounds, lows), np.where(lasts < MOST, ends, len(bounds))


def dense(predicates: Predicates, fields: int) -> CodeRanges:
    """Return predicates as arrays with one row per box."""
    shape = len(predicates), fields
    low, last = np.full(shape, LEAST, np.int64), np.full(shape, MOST, np.int64)
    missing, set_ = np.ones(shape, bool), np.full(shape, NO_SET, np.int32)
    box, field = np.repeat(np.arange(len(predicates)), np.diff(predicates.starts)), predicates.field
    low[box, field], last[box, field], set_[box, field] = predicates.low, predicates.last, predicates.set
    sets = predicates.sets
    admits = np.append(sets.missing, False)  # the last is for NO_SET
    missing[box, field] = admits[predicates.set]
    # One range that also admits NULL needs no set.
    plain = np.append(np.diff(sets.starts) == 1, False)[set_]
    set_[plain] = NO_SET
    return CodeRanges(low, last, missing, set_, sets.starts, sets.low, sets.last)
