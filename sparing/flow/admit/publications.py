"""Publications of one batch as columns: the one form in which they travel from admission to delivery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa

from sparing.flow.packing import pack, unpack
from sparing.match.columns import Column, arrow, unarrow, whole
from sparing.model.topic import Topic

MOST_ROWS = 1 << 16


@dataclass(frozen=True)
class Publications:
    """Admitted publications of one topic, at most `MOST_ROWS` on arrival.

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

    def take(self, rows: np.ndarray) -> Self:
        """Return some publications, in the given order."""
        some = pa.array(rows)
        return replace(
            self,
            time=self.time[rows],
            id=self.id.take(some),
            publisher=self.publisher.take(some),
            at=self.at[rows],
            columns={name: column.take(rows) for name, column in self.columns.items()},
            advertisement=None if self.advertisement is None else self.advertisement[rows],
            top_k=None if self.top_k is None else self.top_k[rows],
        )

    def part(self, first: int, last: int) -> Self:
        """Return consecutive publications, without copying them."""
        rows = slice(first, last)
        return replace(
            self,
            time=self.time[rows],
            id=self.id[rows],
            publisher=self.publisher[rows],
            at=self.at[rows],
            columns={name: column.part(first, last) for name, column in self.columns.items()},
            advertisement=None if self.advertisement is None else self.advertisement[rows],
            top_k=None if self.top_k is None else self.top_k[rows],
        )

    def with_columns(self, names: Sequence[str]) -> Self:
        """Return the publications with some of the columns."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns_of(self, other: Publications) -> Self:
        """Return them with the columns of another batch; columns that are missing here have no values."""
        if self.columns.keys() == other.columns.keys():
            return self
        columns = {
            name: self.columns[name] if name in self.columns else theirs.blank(len(self))
            for name, theirs in other.columns.items()
        }
        return replace(self, columns=columns)

    def packed(self) -> dict[str, Any]:
        """Return the columns of a table, without the topic, advertisements and limits."""
        fields = {f".{name}": arrow(column) for name, column in self.columns.items()}
        return {"time": self.time, "id": self.id, "publisher": self.publisher, "at": self.at, **fields}

    def pack(self) -> pa.Buffer:
        """Return the publications as one buffer."""
        return pack(pa.table(self.packed()))

    @classmethod
    def unpack(cls, buffer: pa.Buffer | bytes, topic: Topic) -> Self:
        """Return the publications of a topic in a buffer."""
        return cls(**cls.unpacked(unpack(buffer), topic))

    @staticmethod
    def unpacked(table: pa.Table, topic: Topic) -> dict[str, Any]:
        """Return the fields of publications in a table from `packed`."""
        names = [name[1:] for name in table.column_names if name.startswith(".")]
        return {
            "topic": topic.name,
            "time": table["time"].to_numpy(),
            "id": whole(table["id"]),
            "publisher": whole(table["publisher"]),
            "at": table["at"].to_numpy(),
            "columns": {name: unarrow(table[f".{name}"], topic.fields[name]) for name in names},
        }
