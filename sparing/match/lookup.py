"""Lookup by a value that few subscriptions require: a binary search, then a check of each subscription."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.match.kernels.arrays import EventColumns
from sparing.match.kernels.pairs import match_by_value
from sparing.match.predicates import Predicates


@dataclass(frozen=True)
class ValueLookup:
    """Subscriptions in ascending order of the value that they require of `field`."""

    field: int
    keys: np.ndarray
    key_starts: np.ndarray
    number: np.ndarray
    predicates: Predicates

    @classmethod
    def of(cls, field: int, codes: np.ndarray, number: np.ndarray, predicates: Predicates) -> ValueLookup:
        """Create it from subscriptions and the codes of their values."""
        order = np.argsort(codes, kind="stable")
        keys, first = np.unique(codes[order], return_index=True)
        return cls(field, keys, np.append(first, len(order)), number[order].astype(np.int32), predicates.take(order))

    @cached_property
    def fields(self) -> np.ndarray:
        """The constrained fields."""
        return np.unique(self.predicates.field)

    def match(self, events: EventColumns) -> tuple[np.ndarray, np.ndarray]:
        """Return matching pairs of rows and numbers, rows ascending."""
        found: tuple[np.ndarray, np.ndarray] = match_by_value(
            events, self.field, self.keys, self.key_starts, self.number, self.predicates.ranges
        )
        return found

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return self.keys.nbytes + self.key_starts.nbytes + self.number.nbytes + self.predicates.nbytes
