"""Subscriptions as arrays of predicates.

A predicate is a field and a closed range of codes for its value. If a constraint is not one range (a set of values,
not-equal, or one that admits NULL), the range spans all its ranges, which are in a `Sets`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.match.kernels.arrays import LEAST, MOST, PredicateArrays

NO_SET = -1
__all__ = ["LEAST", "MOST", "NO_SET", "Predicates", "Sets"]


@dataclass(frozen=True)
class Sets:
    """Unions of closed, ascending ranges of codes, concatenated; with NULL if `missing`."""

    starts: np.ndarray
    low: np.ndarray
    last: np.ndarray
    missing: np.ndarray

    def __len__(self) -> int:
        return len(self.missing)

    @classmethod
    def none(cls) -> Sets:
        """No sets."""
        codes = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(1, dtype=np.int64), codes, codes, np.zeros(0, dtype=bool))

    @classmethod
    def joined(cls, parts: Sequence[Sets]) -> Sets:
        """Return the concatenation of several."""
        return cls(
            _joined_starts([part.starts for part in parts]),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.last for part in parts]),
            np.concatenate([part.missing for part in parts]),
        )

    def take(self, which: np.ndarray) -> Sets:
        """Some of them."""
        starts, at = _pick(self.starts, which)
        return Sets(starts, self.low[at], self.last[at], self.missing[which])

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return self.starts.nbytes + self.low.nbytes + self.last.nbytes + self.missing.nbytes


@dataclass(frozen=True)
class Predicates:
    """Subscription `s` has the predicates `starts[s]` to `starts[s + 1]`, at most one for a field."""

    starts: np.ndarray  # int64
    field: np.ndarray  # uint16, number of the field
    low: np.ndarray  # int64
    last: np.ndarray  # int64
    set: np.ndarray  # int32, number of the set or NO_SET
    sets: Sets

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def ranges(self) -> PredicateArrays:
        """The arrays for kernels."""
        sets = self.sets
        return PredicateArrays(
            self.starts, self.field, self.low, self.last, self.set, sets.starts, sets.low, sets.last, sets.missing
        )

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        arrays = (self.starts, self.field, self.low, self.last, self.set)
        return sum(array.nbytes for array in arrays) + self.sets.nbytes

    @classmethod
    def none(cls) -> Predicates:
        """No subscriptions."""
        codes = np.zeros(0, dtype=np.int64)
        none = np.zeros(0, dtype=np.int32)
        return cls(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint16), codes, codes, none, Sets.none())

    @classmethod
    def joined(cls, parts: Sequence[Predicates]) -> Predicates:
        """Return the concatenation of several."""
        before = np.cumsum([0] + [len(part.sets) for part in parts])
        shifted = [np.where(p.set >= 0, p.set + b, NO_SET) for p, b in zip(parts, before[:-1], strict=True)]
        return cls(
            _joined_starts([part.starts for part in parts]),
            np.concatenate([part.field for part in parts]),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.last for part in parts]),
            np.concatenate(shifted).astype(np.int32),
            Sets.joined([part.sets for part in parts]),
        )

    def take(self, which: np.ndarray) -> Predicates:
        """Return some of the subscriptions, with only the sets that they need."""
        starts, at = _pick(self.starts, which)
        set_ = self.set[at]
        needed = set_ >= 0
        sets = self.sets.take(set_[needed])
        set_[needed] = np.arange(len(sets), dtype=np.int32)
        return Predicates(starts, self.field[at], self.low[at], self.last[at], set_, sets)


def _joined_starts(parts: Sequence[np.ndarray]) -> np.ndarray:
    counts = [np.diff(part) for part in parts]
    starts = np.zeros(1 + sum(len(c) for c in counts), dtype=np.int64)
    np.cumsum(np.concatenate(counts), out=starts[1:])
    return starts


def _pick(starts: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts of the selected runs, and the positions of their elements."""
    counts = starts[which + 1] - starts[which]
    new = np.zeros(len(which) + 1, dtype=np.int64)
    np.cumsum(counts, out=new[1:])
    return new, np.repeat(starts[which] - new[:-1], counts) + np.arange(new[-1])
