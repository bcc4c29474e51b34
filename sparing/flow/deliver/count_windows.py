"""Count windows: every `size` consecutive matching publications, a new window every `shift` of them.

A position in the global order of events cannot be known piecewise, so these windows are formed at the subscriber's
broker, from raw publications in event-time order (equal times: by id).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparing.model.window import CountWindow


@dataclass
class CountTail:
    """The rows that later windows still need, and how many positions to skip before the next window begins."""

    skip: int = 0
    rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def extend(self, rows: np.ndarray, window: CountWindow) -> list[np.ndarray]:
        """Append rows; the windows that are now full, in order.

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
