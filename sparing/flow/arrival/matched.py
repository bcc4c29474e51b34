"""Matched publications: a batch as columns, with the held subscriptions that each publication matches.

The match stage sends them, packed as one Arrow buffer, to the walk of an interest group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.match.columns import Column, arrow, unarrow
from sparing.model.types import FieldType

NO_MARK = -1


@dataclass(frozen=True)
class Matched:
    """Publications of one topic.

    `held_rows` and `held` are (row, subscription) pairs by ascending row; `goal_rows` and `goals` are the brokers that
    a row travels to raw on arrival. `mark_end` and `mark_subscription` identify the window range whose decision in
    another process forwarded the row (NO_MARK: none); the row counts for that range and later ones only.
    """

    time: np.ndarray
    id: np.ndarray
    publisher: np.ndarray
    at: np.ndarray
    columns: Mapping[str, Column]
    held_rows: np.ndarray
    held: np.ndarray
    goal_rows: np.ndarray
    goals: np.ndarray
    mark_end: np.ndarray
    mark_subscription: np.ndarray

    def __len__(self) -> int:
        return len(self.time)

    @cached_property
    def held_starts(self) -> np.ndarray:
        """The first position of each row's held subscriptions, and the end of the last."""
        return _starts(self.held_rows, len(self))

    @cached_property
    def goal_starts(self) -> np.ndarray:
        """The first position of each row's goals, and the end of the last."""
        return _starts(self.goal_rows, len(self))

    def take(self, rows: np.ndarray) -> Matched:
        """Return some rows, in the given order."""
        held_rows, held_at = _take_pairs(self.held_starts, rows)
        goal_rows, goal_at = _take_pairs(self.goal_starts, rows)
        return Matched(
            time=self.time[rows],
            id=self.id[rows],
            publisher=self.publisher[rows],
            at=self.at[rows],
            columns={name: column.take(rows) for name, column in self.columns.items()},
            held_rows=held_rows,
            held=self.held[held_at],
            goal_rows=goal_rows,
            goals=self.goals[goal_at],
            mark_end=self.mark_end[rows],
            mark_subscription=self.mark_subscription[rows],
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

    def without_pairs(self, rows: np.ndarray) -> Matched:
        """Return all rows, without the held subscriptions and goals of some of them (a mask)."""
        held, goals = ~rows[self.held_rows], ~rows[self.goal_rows]
        return replace(
            self,
            held_rows=self.held_rows[held],
            held=self.held[held],
            goal_rows=self.goal_rows[goals],
            goals=self.goals[goals],
        )

    def order(self) -> np.ndarray:
        """Return the row numbers by event time, then id, then publisher."""
        order = np.argsort(self.time, kind="stable")
        if (np.diff(self.time[order]) == 0).any():
            names = {"id": self.id, "publisher": self.publisher}
            keys = pa.table({"time": self.time, **{key: pa.array(v, pa.string()) for key, v in names.items()}})
            order = pc.sort_indices(keys, sort_keys=[(key, "ascending") for key in keys.column_names]).to_numpy()
        return order.astype(np.int64)

    def pack(self) -> bytes:
        """Encode the batch as one Arrow buffer."""
        table = pa.table(
            {
                "time": self.time,
                "id": pa.array(self.id, type=pa.string()),
                "publisher": pa.array(self.publisher, type=pa.string()),
                "at": self.at.astype(np.int32),
                "held": _lists(self.held_starts, self.held),
                "goals": _lists(self.goal_starts, self.goals),
                "mark_end": self.mark_end,
                "mark_subscription": self.mark_subscription,
                **{f".{name}": arrow(column) for name, column in self.columns.items()},
            }
        )
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return bytes(sink.getvalue().to_pybytes())

    @classmethod
    def unpack(cls, buffer: bytes, types: Mapping[str, FieldType]) -> Matched:
        """Decode a batch that `pack` encoded; `types` are the types of the columns."""
        with pa.ipc.open_stream(buffer) as reader:
            table = reader.read_all()
        held_rows, held = _pairs(table["held"])
        goal_rows, goals = _pairs(table["goals"])
        fields = [name for name in table.column_names if name.startswith(".")]
        return cls(
            time=table["time"].to_numpy(),
            id=table["id"].to_numpy(),
            publisher=table["publisher"].to_numpy(),
            at=table["at"].to_numpy(),
            columns={name[1:]: unarrow(table[name], types[name[1:]]) for name in fields},
            held_rows=held_rows,
            held=held,
            goal_rows=goal_rows,
            goals=goals,
            mark_end=table["mark_end"].to_numpy(),
            mark_subscription=table["mark_subscription"].to_numpy(),
        )


def concat(parts: Sequence[Matched]) -> Matched:
    """Concatenate batches with the same columns."""
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *map(len, parts)])

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])

    def shifted(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) + offset for part, offset in zip(parts, offsets, strict=False)])

    columns = {
        name: Column(
            first.type,
            np.concatenate([part.columns[name].values for part in parts]),
            np.concatenate([part.columns[name].valid for part in parts]),
        )
        for name, first in parts[0].columns.items()
    }
    return Matched(
        time=joined("time"),
        id=joined("id"),
        publisher=joined("publisher"),
        at=joined("at"),
        columns=columns,
        held_rows=shifted("held_rows"),
        held=joined("held"),
        goal_rows=shifted("goal_rows"),
        goals=joined("goals"),
        mark_end=joined("mark_end"),
        mark_subscription=joined("mark_subscription"),
    )


def _starts(pair_rows: np.ndarray, total: int) -> np.ndarray:
    """Return the first position of each row's pairs, and the end of the last; pair rows ascend."""
    return np.concatenate([[0], np.cumsum(np.bincount(pair_rows, minlength=total))]).astype(np.int64)


def _take_pairs(starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the new row numbers of the pairs of some rows, and the positions of those pairs."""
    counts = (starts[1:] - starts[:-1])[rows]
    new_rows = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(new_rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return new_rows, np.repeat(starts[:-1][rows], counts) + within


def _lists(starts: np.ndarray, values: np.ndarray) -> pa.Array:
    return pa.ListArray.from_arrays(starts.astype(np.int32), pa.array(values.astype(np.int32)))


def _pairs(lists: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    whole = lists.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0) if whole.num_chunks else pa.array([], type=pa.list_(pa.int32()))
    counts = np.diff(whole.offsets.to_numpy())
    values = whole.flatten().to_numpy(zero_copy_only=False)
    return np.repeat(np.arange(len(whole)), counts), values.astype(np.int64)
