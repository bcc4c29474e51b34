"""Publications of one batch as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sparing.match.columns import Column

MOST_ROWS = 1 << 16


@dataclass(frozen=True)
class Publications:
    """Admitted publications of one topic, at most `MOST_ROWS`.

    `at` are broker numbers. `advertisement` is the number of each publication's advertisement; None if no publisher has
    `top_k`. `top_k` are the publications' own limits, 0 for none.
    """

    topic: str
    time: np.ndarray
    id: np.ndarray
    publisher: np.ndarray
    at: np.ndarray
    columns: Mapping[str, Column]
    advertisement: np.ndarray | None = None
    top_k: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: np.ndarray) -> Publications:
        """Return the publications of some rows."""
        return Publications(
            topic=self.topic,
            time=self.time[rows],
            id=self.id[rows],
            publisher=self.publisher[rows],
            at=self.at[rows],
            columns={name: column.take(rows) for name, column in self.columns.items()},
            advertisement=None if self.advertisement is None else self.advertisement[rows],
            top_k=None if self.top_k is None else self.top_k[rows],
        )
