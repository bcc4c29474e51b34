"""Publications of one batch, as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.flow.deliver.written import payloads
from sparing.match.columns import Column

MOST_ROWS = 1 << 16


@dataclass(frozen=True)
class Publications:
    """Admitted publications of one topic, at most `MOST_ROWS`.

    `payload` is each one's fields as JSON text, where these came here without the fields themselves. `advertisement`
    numbers what each was admitted under; None if no publisher asks for the k best. `top_k` are the publications' own
    wishes, 0 for none.
    """

    topic: str
    time: np.ndarray
    id: np.ndarray
    publisher: np.ndarray
    at: np.ndarray
    columns: Mapping[str, Column]
    payload: np.ndarray | None = None
    advertisement: np.ndarray | None = None
    top_k: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def texts(self) -> np.ndarray:
        """Each one's fields as JSON text."""
        if self.payload is not None:
            return self.payload
        return np.array(payloads(self.columns, len(self)), dtype=object)

    def take(self, rows: np.ndarray) -> Publications:
        """Some of them, by number."""
        return Publications(
            self.topic,
            self.time[rows],
            self.id[rows],
            self.publisher[rows],
            self.at[rows],
            {name: column.take(rows) for name, column in self.columns.items()},
            None if self.payload is None else self.payload[rows],
            None if self.advertisement is None else self.advertisement[rows],
            None if self.top_k is None else self.top_k[rows],
        )
