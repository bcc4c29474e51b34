"""Boxes in rank order, as far as it can be proved for all publications."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sparing.control.covering.boxes import CodedBoxes, CodeRanges

MOST_BUCKETS = 128


class ScoreForms(NamedTuple):
    """Scores that depend on the publication, for compiled code; see `bounds.ScoreAnalysis`."""

    coefficients: np.ndarray
    low: np.ndarray
    high: np.ndarray
    symbol_low: np.ndarray
    symbol_high: np.ndarray
    magnitude: np.ndarray
    score_class: np.ndarray
    missing: np.ndarray
    strict: bool


_NOTHING = np.zeros((0, 0)), np.zeros(0)
NO_FORMS = ScoreForms(
    _NOTHING[0], _NOTHING[1], _NOTHING[1], _NOTHING[0], _NOTHING[0], _NOTHING[1], np.zeros(0, np.int32),
    np.zeros(0, bool), True,
)  # fmt: skip


class BoundBuckets(NamedTuple):
    """The buckets of bounds; a field is coarse if a bucket has several different bounds."""

    low: np.ndarray  # int16 [box, field]
    last: np.ndarray  # int16 [box, field]
    low_coarse: np.ndarray  # int64 [field] 0 or 1
    last_coarse: np.ndarray  # int64 [field]
    rows: int  # number of buckets


@dataclass(frozen=True, eq=False)
class RankedBoxes:
    """Boxes from the best to the worst.

    If scores do not depend on the publication, a box ranks above all later ones. Otherwise containing boxes come before
    contained ones, and `forms` has the bounds of scores. With `fair`, a box of equal rank covers, too.
    """

    boxes: CodedBoxes
    order: np.ndarray
    forms: ScoreForms | None = None
    fair: bool = False

    @classmethod
    def by_containment(cls, boxes: CodedBoxes) -> RankedBoxes:
        """Rank all boxes equally: containing boxes first, equal ones by id."""
        return cls(boxes, np.argsort(-boxes.breadth, kind="stable"), fair=True)

    @classmethod
    def by_score(cls, boxes: CodedBoxes, scores: np.ndarray, fair: bool = False) -> RankedBoxes:
        """Rank by score, then (if fair) containing boxes first, then by id. A missing score is the lowest."""
        ranked = -np.where(np.isnan(scores), -np.inf, scores)
        if fair:
            return cls(boxes, np.lexsort((-boxes.breadth, ranked)), fair=True)
        return cls(boxes, _ascending(ranked))

    @classmethod
    def by_forms(cls, boxes: CodedBoxes, forms: ScoreForms, fair: bool = False) -> RankedBoxes:
        """Rank by scores that depend on the publication."""
        return cls(boxes, np.argsort(-boxes.breadth, kind="stable"), forms, fair)

    @property
    def comparison(self) -> tuple[CodeRanges, ScoreForms, bool, bool]:
        """The arguments of compiled comparisons: ranges, forms, whether scores are static, and `fair`."""
        return self.boxes.ranges, self.forms or NO_FORMS, self.forms is None, self.fair

    @cached_property
    def buckets(self) -> BoundBuckets:
        """Buckets with about equally many bounds each."""
        low, low_coarse = _buckets(self.boxes.ranges.low)
        last, last_coarse = _buckets(self.boxes.ranges.last)
        rows = 1 + max(int(low.max(initial=0)), int(last.max(initial=0)))
        return BoundBuckets(low, last, low_coarse, last_coarse, rows)


def _ascending(keys: np.ndarray) -> np.ndarray:
    """Return the stable order of keys; without equal keys, NumPy's faster sort gives it."""
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
        # Bucket 0 is before the first edge; the last bucket begins at the last edge.
        found[:, field] = np.searchsorted(edges, column, side="right")
    return found, coarse
