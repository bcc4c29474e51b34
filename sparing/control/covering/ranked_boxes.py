"""Who ranks above whom, as far as it is certain before any publication is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sparing.control.covering.boxes import CodedBoxes

MOST_BUCKETS = 128


class CertainScores(NamedTuple):
    """Scores that depend on the publication, for compiled code: see `bounds.Forms`."""

    coefficients: np.ndarray
    low: np.ndarray
    high: np.ndarray
    symbol_low: np.ndarray
    symbol_high: np.ndarray
    magnitude: np.ndarray
    alike: np.ndarray
    missing: np.ndarray
    strict: bool


_NOTHING = np.zeros((0, 0)), np.zeros(0)
STATIC = CertainScores(
    _NOTHING[0], _NOTHING[1], _NOTHING[1], _NOTHING[0], _NOTHING[0], _NOTHING[1], np.zeros(0, np.int32),
    np.zeros(0, bool), True,
)  # fmt: skip


class BoundBuckets(NamedTuple):
    """The buckets that bounds fall into; coarse where one holds several different bounds."""

    low: np.ndarray  # int16 [box, field]
    last: np.ndarray  # int16 [box, field]
    low_coarse: np.ndarray  # int64 [field] 0 or 1
    last_coarse: np.ndarray  # int64 [field]
    rows: int  # how many buckets there are


@dataclass(frozen=True, eq=False)
class RankedBoxes:
    """Boxes from the best to the worst.

    If scores do not depend on the publication, a box ranks above all that come later. Otherwise the order is one in
    which containing boxes come before contained ones, and `certain` says what can be told about scores. With `fair`,
    not to rank below is enough.
    """

    boxes: CodedBoxes
    order: np.ndarray
    certain: CertainScores | None = None
    fair: bool = False

    @classmethod
    def by_containment(cls, boxes: CodedBoxes) -> RankedBoxes:
        """All alike: containing boxes first, equal ones by id."""
        return cls(boxes, np.argsort(-boxes.spread, kind="stable"), fair=True)

    @classmethod
    def by_score(cls, boxes: CodedBoxes, scores: np.ndarray, fair: bool = False) -> RankedBoxes:
        """Higher scores first, then (if fair) containing boxes, then by id. No score at all is the lowest."""
        ranked = -np.where(np.isnan(scores), -np.inf, scores)
        if fair:
            return cls(boxes, np.lexsort((-boxes.spread, ranked)), fair=True)
        return cls(boxes, _ascending(ranked))

    @classmethod
    def by_certainty(cls, boxes: CodedBoxes, certain: CertainScores, fair: bool = False) -> RankedBoxes:
        """Scores that depend on the publication."""
        return cls(boxes, np.argsort(-boxes.spread, kind="stable"), certain, fair)

    @cached_property
    def buckets(self) -> BoundBuckets:
        """BoundBuckets of about equally many bounds."""
        low, low_coarse = _buckets(self.boxes.ranges.low)
        last, last_coarse = _buckets(self.boxes.ranges.last)
        rows = 1 + max(int(low.max(initial=0)), int(last.max(initial=0)))
        return BoundBuckets(low, last, low_coarse, last_coarse, rows)


def _ascending(keys: np.ndarray) -> np.ndarray:
    """The order of keys, equal ones as they come; if there are none, NumPy's quicker sort will do."""
    order = np.argsort(keys)
    found = keys[order]
    return np.argsort(keys, kind="stable") if (found[1:] == found[:-1]).any() else order


def _buckets(bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found, coarse = np.zeros(bounds.shape, np.int16), np.zeros(bounds.shape[1], np.int64)
    for field in range(bounds.shape[1]):
        column = bounds[:, field]
        sample = np.sort(column[:: max(len(column) // (64 * MOST_BUCKETS), 1)])
        edges = np.unique(sample)
        if len(edges) > MOST_BUCKETS - 1 or len(sample) < len(column):
            edges = np.unique(sample[np.linspace(0, len(sample) - 1, MOST_BUCKETS - 1).astype(int)])
            coarse[field] = 1
        # Before the first edge is bucket 0, from the last one on the last bucket.
        found[:, field] = np.searchsorted(edges, column, side="right")
    return found, coarse
