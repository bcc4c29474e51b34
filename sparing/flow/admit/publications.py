"""Publications of one batch as columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.flow.packing import pack, unpack
from sparing.match.columns import Column, arrow, unarrow, whole
from sparing.model.topic import Topic

MOST_ROWS = 1 << 16


@dataclass(frozen=True)
class Publications:
    """Admitted publications of one topic, at most `MOST_ROWS`.

    `id` is an Arrow array of texts, `publisher` a dictionary-encoded one; any sequence of texts is converted. `at` are
    broker numbers. `advertisement` is the number of each publication's advertisement; None if no publisher has `top_k`.
    `top_k` are the publications' own limits, 0 for none.
    """

    topic: str
    time: np.ndarray
    id: pa.Array
    publisher: pa.DictionaryArray
    at: np.ndarray
    columns: Mapping[str, Column]
    advertisement: np.ndarray | None = None
    top_k: np.ndarray | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, pa.Array):
            object.__setattr__(self, "id", pa.array(self.id, pa.string()))
        if not isinstance(self.publisher, pa.DictionaryArray):
            object.__setattr__(self, "publisher", pa.array(self.publisher, pa.string()).dictionary_encode())

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: np.ndarray) -> Publications:
        """Return the publications of some rows."""
        return Publications(
            topic=self.topic,
            time=self.time[rows],
            id=self.id.take(pa.array(rows)),
            publisher=self.publisher.take(pa.array(rows)),
            at=self.at[rows],
            columns={name: column.take(rows) for name, column in self.columns.items()},
            advertisement=None if self.advertisement is None else self.advertisement[rows],
            top_k=None if self.top_k is None else self.top_k[rows],
        )

    def pack(self) -> pa.Buffer:
        """Return the publications as one buffer, without advertisements and limits."""
        columns = {f".{name}": arrow(column) for name, column in self.columns.items()}
        return pack(pa.table({**{name: getattr(self, name) for name in _COMMON}, **columns}))

    @classmethod
    def unpack(cls, buffer: pa.Buffer | bytes, topic: Topic) -> Publications:
        """Return the publications of a topic in a buffer."""
        table = unpack(buffer)
        return cls(
            topic=topic.name,
            time=table["time"].to_numpy(),
            id=whole(table["id"]),
            publisher=whole(table["publisher"]),
            at=table["at"].to_numpy(),
            columns={name: unarrow(table[f".{name}"], kind) for name, kind in topic.fields.items()},
        )


_COMMON = "time", "id", "publisher", "at"
