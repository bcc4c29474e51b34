"""Matched publications: a batch with the held subscriptions that each publication matches.

The match stage sends them, packed as one Arrow buffer, to the walk of their interest groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.kernels import take_lists
from sparing.match.columns import joined as joined_columns
from sparing.match.columns import whole
from sparing.model.topic import Topic


@dataclass(frozen=True, kw_only=True)
class Matched(Publications):
    """Publications of one topic; publication n matches the subscriptions held[starts[n]:starts[n + 1]].

    `raw[n]` are the brokers that a publication travels to raw on arrival, as bits of 64-bit words.
    """

    starts: np.ndarray
    held: np.ndarray
    raw: np.ndarray

    @classmethod
    def none(cls, words: int) -> Matched:
        """Return no publications; sets of brokers have so many words."""
        return cls(
            topic="",
            time=np.zeros(0, np.int64),
            id=[],
            publisher=[],
            at=np.zeros(0, np.int32),
            columns={},
            starts=np.zeros(1, np.int64),
            held=np.zeros(0, np.int32),
            raw=np.zeros((0, words), np.uint64),
        )

    def take(self, rows: np.ndarray) -> Self:
        """Return some publications, in the given order."""
        starts, held = take_lists(self.starts, self.held, rows)
        return replace(super().take(rows), starts=starts, held=held, raw=self.raw[rows])

    def part(self, first: int, last: int) -> Self:
        """Return consecutive publications, without copying them."""
        starts = self.starts[first : last + 1]
        held = self.held[starts[0] : starts[-1]]
        return replace(super().part(first, last), starts=starts - starts[0], held=held, raw=self.raw[first:last])

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

    def packed(self) -> dict[str, Any]:
        """Return the columns of a table."""
        lists = pa.ListArray.from_arrays(pa.array(self.starts, pa.int32()), pa.array(self.held, pa.int32()))
        words = pa.FixedSizeListArray.from_arrays(pa.array(self.raw.ravel()), self.raw.shape[1])
        return super().packed() | {"held": lists, "raw": words}

    @staticmethod
    def unpacked(table: pa.Table, topic: Topic) -> dict[str, Any]:
        """Return the fields of a batch in a table from `packed`."""
        lists, words = whole(table["held"]), whole(table["raw"])
        return Publications.unpacked(table, topic) | {
            "starts": lists.offsets.to_numpy().astype(np.int64),
            "held": lists.values.to_numpy(),
            "raw": words.values.to_numpy().reshape(-1, words.type.list_size),
        }


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
        topic=parts[-1].topic,
        time=joined("time"),
        id=pa.concat_arrays([part.id for part in parts]),
        publisher=whole(pa.chunked_array([part.publisher for part in parts]).unify_dictionaries()),
        at=joined("at"),
        columns={name: joined_columns([part.columns[name] for part in parts]) for name in parts[0].columns},
        starts=np.concatenate([[0], *(part.starts[1:] + end for part, end in zip(parts, ends, strict=False))]),
        held=joined("held"),
        raw=joined("raw"),
    )
