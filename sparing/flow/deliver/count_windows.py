"""Count windows: every `size` consecutive matching publications, a new window every `shift` of them.

The position of a publication depends on all publishers, so the subscriber's broker forms these windows, from raw
publications by event time, then id.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparing.model.window import CountWindow


@dataclass
class CountTail:
    """The rows that later windows need, and the number of positions to skip before the next window."""

    skip: int = 0
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def extend(self, rows: np.ndarray, window: CountWindow) -> list[np.ndarray]:
        """Append rows, and return the full windows in order.

        >>> tail = CountTail()
        >>> [w.tolist() for w in tail.extend(np.arange(5), CountWindow(3, 2))]
        [[0, 1, 2], [2, 3, 4]]
        """
        self.rows = np.concatenate([self.rows, rows])
        full: list[np.ndarray] = []
        while True:
            if self.skip:
                dropped = min(self.skip, len(self.rows))
                self.rows, self.skip = self.rows[dropped:], self.skip - dropped
            if self.skip or len(self.rows) < window.size:
                return full
            full.append(self.rows[: window.size])
            self.skip = window.shift
