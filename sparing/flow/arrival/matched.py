"""Matched publications: a batch as columns, with the held subscriptions that each publication matches.

The match stage sends them, packed as one Arrow buffer, to the walk of their interest groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.flow.arrival.kernels import take_lists
from sparing.flow.packing import pack, unpack
from sparing.match.columns import Column, arrow, unarrow, whole
from sparing.match.columns import joined as joined_columns
from sparing.model.types import FieldType


@dataclass(frozen=True)
class Matched:
    """Publications of one topic; publication n matches the subscriptions held[starts[n]:starts[n + 1]].

    `id` and `publisher` are Arrow arrays, the latter dictionary-encoded. `raw[n]` are the brokers that a publication
    travels to raw on arrival, as bits of 64-bit words.
    """

    time: np.ndarray
    id: pa.Array
    publisher: pa.DictionaryArray
    at: np.ndarray
    columns: Mapping[str, Column]
    starts: np.ndarray
    held: np.ndarray
    raw: np.ndarray

    @classmethod
    def none(cls, words: int) -> Matched:
        """Return no rows; sets of brokers have so many words."""
        return cls(
            time=np.zeros(0, np.int64),
            id=pa.array([], pa.string()),
            publisher=pa.array([], pa.string()).dictionary_encode(),
            at=np.zeros(0, np.int32),
            columns={},
            starts=np.zeros(1, np.int64),
            held=np.zeros(0, np.int32),
            raw=np.zeros((0, words), np.uint64),
        )

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: np.ndarray) -> Matched:
        """Return some rows, in the given order."""
        starts, held = take_lists(self.starts, self.held, rows)
        some = pa.array(rows)
        return Matched(
            time=self.time[rows],
            id=self.id.take(some),
            publisher=self.publisher.take(some),
            at=self.at[rows],
            columns={name: column.take(rows) for name, column in self.columns.items()},
            starts=starts,
            held=held,
            raw=self.raw[rows],
        )

    def part(self, first: int, last: int) -> Matched:
        """Return consecutive rows, without copying them."""
        rows, starts = slice(first, last), self.starts[first : last + 1]
        return Matched(
            time=self.time[rows],
            id=self.id[rows],
            publisher=self.publisher[rows],
            at=self.at[rows],
            columns={name: column.part(first, last) for name, column in self.columns.items()},
            starts=starts - starts[0],
            held=self.held[starts[0] : starts[-1]],
            raw=self.raw[rows],
        )

    def with_columns(self, names: Sequence[str]) -> Matched:
        """Return the rows with some of the columns."""
        return replace(self, columns={name: self.columns[name] for name in names})

    def with_columns_of(self, other: Matched) -> Matched:
        """Return the rows with the columns of another batch; columns that are missing here have no values."""
        if self.columns.keys() == other.columns.keys():
            return self
        columns = {
            name: self.columns[name] if name in self.columns else theirs.blank(len(self))
            for name, theirs in other.columns.items()
        }
        return replace(self, columns=columns)

    def order(self) -> np.ndarray:
        """Return the row numbers by event time, then id, then publisher."""
        order = np.argsort(self.time, kind="stable")
        time = self.time[order]
        same = np.concatenate([[False], time[1:] == time[:-1], [False]])
        tied = np.flatnonzero(same[1:] | same[:-1])
        if len(tied):  # texts are compared only among publications of the same time
            rows = pa.array(order[tied])
            keys = {"time": time[tied], "id": self.id.take(rows), "publisher": self.publisher.take(rows).cast("string")}
            by = pc.sort_indices(pa.table(keys), sort_keys=[(key, "ascending") for key in keys])
            order[tied] = order[tied][by.to_numpy()]
        return order

    def pack(self) -> pa.Buffer:
        """Return the batch as one buffer."""
        lists = pa.ListArray.from_arrays(pa.array(self.starts, pa.int32()), pa.array(self.held, pa.int32()))
        words = pa.FixedSizeListArray.from_arrays(pa.array(self.raw.ravel()), self.raw.shape[1])
        return pack(
            pa.table(
                {
                    "time": self.time,
                    "id": self.id,
                    "publisher": self.publisher,
                    "at": self.at.astype(np.int32),
                    "held": lists,
                    "raw": words,
                    **{f".{name}": arrow(column) for name, column in self.columns.items()},
                }
            )
        )

    @classmethod
    def unpack(cls, buffer: pa.Buffer | bytes, types: Mapping[str, FieldType]) -> Matched:
        """Return the batch in a buffer; `types` has the types of the columns."""
        table = unpack(buffer)
        batch = {name: whole(table[name]) for name in ("id", "publisher", "held", "raw")}
        lists, words = batch["held"], batch["raw"]
        return cls(
            time=table["time"].to_numpy(),
            id=batch["id"],
            publisher=batch["publisher"],
            at=table["at"].to_numpy(),
            columns={name[1:]: unarrow(table[name], types[name[1:]]) for name in table.column_names if name[0] == "."},
            starts=lists.offsets.to_numpy().astype(np.int64),
            held=lists.values.to_numpy(),
            raw=words.values.to_numpy().reshape(-1, words.type.list_size),
        )


def concat(parts: Sequence[Matched]) -> Matched:
    """Concatenate batches, with the columns of the last one that has rows."""
    parts = [part for part in parts if len(part)] or [parts[0]]
    if len(parts) == 1:
        return parts[0]
    parts = [part.with_columns_of(parts[-1]) for part in parts]
    ends = np.cumsum([0, *(len(part.held) for part in parts)])

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    return Matched(
        time=joined("time"),
        id=pa.concat_arrays([part.id for part in parts]),
        publisher=whole(pa.chunked_array([part.publisher for part in parts]).unify_dictionaries()),
        at=joined("at"),
        columns={name: joined_columns([part.columns[name] for part in parts]) for name in parts[0].columns},
        starts=np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))]),
        held=joined("held"),
        raw=joined("raw"),
    )
