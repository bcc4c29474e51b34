"""A batch of publications ranked in every field, so that any constraint becomes a few whole-number comparisons.

Each field's values are sorted once; a row's rank is its place in that order. A range of codes is then a range of
ranks, found by binary search for all constraints at once, whatever the field's type is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.flow.columns import Column
from sparing.model.constraint import Range
from sparing.model.types import Code, Kind

MISSING = -1


@dataclass(frozen=True)
class RankedField:
    """One field of a batch: rows in ascending order of value, each row's rank, and the rows without a value."""

    order: np.ndarray  # rank -> row
    rank: np.ndarray  # row -> rank, MISSING without a value
    missing: np.ndarray  # rows without a value
    _sorted: np.ndarray | None  # codes in ascending order; None for text
    _texts: Sequence[str]  # distinct texts in ascending order
    _starts: np.ndarray  # rank of the first row with each distinct text

    def positions(self, ranges: Sequence[Range]) -> tuple[np.ndarray, np.ndarray]:
        """The first rank in each range, and the first one after it."""
        last = len(self.order)
        lows = self._search([low for low, _ in ranges], 0)
        highs = self._search([high for _, high in ranges], last)
        return lows, highs

    def _search(self, codes: Sequence[Code | None], otherwise: int) -> np.ndarray:
        if self._sorted is None:
            found = [otherwise if c is None else int(self._starts[bisect_left(self._texts, c)]) for c in codes]
            return np.array(found, dtype=np.int64)
        given = np.array([c is not None for c in codes], dtype=bool)
        known = np.array([0 if c is None else c for c in codes], dtype=np.int64)
        return np.where(given, np.searchsorted(self._sorted, known), otherwise)


class Ranked:
    """All fields of a batch; a field is ranked when it is first asked for."""

    def __init__(self, columns: Mapping[str, Column], rows: int) -> None:
        self.rows = rows
        self._columns = columns
        self._fields: dict[str, RankedField] = {}

    def field(self, name: str) -> RankedField:
        """The ranks of a field."""
        if name not in self._fields:
            self._fields[name] = _rank(self._columns[name])
        return self._fields[name]


def _rank(column: Column) -> RankedField:
    there = np.flatnonzero(column.valid)
    missing = np.flatnonzero(~column.valid)
    texts: Sequence[str] = ()
    starts = np.zeros(1, dtype=np.int64)
    if column.type.kind is Kind.TEXT:
        coded = pa.array(column.values[there], type=pa.string()).dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        ascending = sorted(range(len(distinct)), key=distinct.__getitem__)
        texts = [distinct[at] for at in ascending]
        place = np.empty(len(distinct), dtype=np.int64)
        place[ascending] = np.arange(len(distinct))
        codes = place[coded.indices.to_numpy(zero_copy_only=False)]
        starts = np.concatenate([starts, np.cumsum(np.bincount(codes, minlength=len(distinct)))])
    else:
        codes = column.codes()[there]
    ascending_rows = np.argsort(codes, kind="stable")
    order = there[ascending_rows].astype(np.int32)
    rank = np.full(len(column), MISSING, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    by_code = None if column.type.kind is Kind.TEXT else codes[ascending_rows]
    return RankedField(order, rank, missing.astype(np.int32), by_code, texts, starts)
