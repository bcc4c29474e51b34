"""Pairs of a row and a subscription: row `events[e]` is paired with `subscriptions[starts[e]:starts[e + 1]]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Pairs:
    """Pairs by ascending row; subscriptions are numbers of the plan."""

    events: np.ndarray
    starts: np.ndarray
    subscriptions: np.ndarray

    def __len__(self) -> int:
        return len(self.subscriptions)

    @classmethod
    def of(cls, rows: np.ndarray, subscriptions: np.ndarray) -> Pairs:
        """Build them from two columns, by ascending row."""
        first = np.flatnonzero(np.append(True, rows[1:] != rows[:-1])) if len(rows) else np.zeros(0, dtype=np.int64)
        return cls(rows[first], np.append(first, len(rows)), subscriptions)

    @cached_property
    def rows(self) -> np.ndarray:
        """The row of each pair."""
        return np.repeat(self.events, np.diff(self.starts))

    def only(self, kept: np.ndarray) -> Pairs:
        """Return the pairs of a mask."""
        return Pairs.of(self.rows[kept], self.subscriptions[kept])

    def by(self, class_of: np.ndarray) -> Iterator[tuple[int, Pairs]]:
        """Return the pairs of each class of subscriptions, class by class."""
        if len(self) and (class_of == class_of[0]).all():
            yield int(class_of[0]), self
            return
        classes = class_of[self.subscriptions]
        present = np.unique(classes)
        order = np.argsort(classes, kind="stable")
        rows, subscriptions = self.rows[order], self.subscriptions[order]
        ends = np.searchsorted(classes[order], present, side="right").tolist()
        first = 0
        for one, last in zip(present.tolist(), ends, strict=True):
            yield one, Pairs.of(rows[first:last], subscriptions[first:last])
            first = last

    def without_empty(self) -> Pairs:
        """Return the pairs without rows that have no subscription."""
        there = np.flatnonzero(np.diff(self.starts))
        return Pairs(self.events[there], np.append(self.starts[there], self.starts[-1]), self.subscriptions)
