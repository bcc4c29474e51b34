"""Tuples of arrays that kernels take as one argument."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAST = np.iinfo(np.int64).min  # least code, also an open lower end
MOST = np.iinfo(np.int64).max


class FieldBuckets(NamedTuple):
    """The buckets of every field: bucket 0 is for missing values, bucket b ends before edge b - 1."""

    edges: np.ndarray  # int64 [field, padded], ascending, as many as edge_count
    edge_count: np.ndarray  # int64 [field]
    base: np.ndarray  # int64 [field] what the rough table starts from
    shift: np.ndarray  # uint8 [field] how coarse it is
    cells: np.ndarray  # uint8 [field, cell] edges before each cell of the rough table
    steps: np.ndarray  # uint8 [field] halvings that find an edge in any cell
    first_row: np.ndarray  # int64 [field] in a tile's table of rows
    rows: np.ndarray  # int64 [field] in that table, 0 for unconstrained fields


class PredicateArrays(NamedTuple):
    """Predicates of subscriptions, end to end."""

    starts: np.ndarray  # int64 [subscription + 1]
    field: np.ndarray  # uint16 [predicate]
    low: np.ndarray  # int64 [predicate]
    last: np.ndarray  # int64 [predicate]
    set: np.ndarray  # int32 [predicate] number of the set, or -1
    set_starts: np.ndarray  # int64 [set + 1]
    set_low: np.ndarray  # int64 [range]
    set_last: np.ndarray  # int64 [range]
    set_missing: np.ndarray  # bool [set]


class SlotData(NamedTuple):
    """The data of each slot of a segment that a scan needs."""

    number: np.ndarray  # int32 [slot] number of the subscription
    packed: np.ndarray  # uint32 [predicate]
    pivot_low: np.ndarray  # int16 [slot] buckets of the pivot predicate
    pivot_high: np.ndarray  # int16 [slot], -1 if the subscription was removed
    within_low: np.ndarray  # int16 [slot] buckets in which every value satisfies it
    within_high: np.ndarray  # int16 [slot]
    flags: np.ndarray  # uint8 [slot]
    set_of: np.ndarray  # int32 [slot] index in `SetRuns.starts`, if the slot has sets


class SetRuns(NamedTuple):
    """The sets of slots as runs of buckets."""

    starts: np.ndarray  # int64: which sets a slot has
    field: np.ndarray  # int64
    set: np.ndarray  # int64
    exact: np.ndarray  # bool: no bound falls inside a bucket
    run_starts: np.ndarray  # int64
    runs: np.ndarray  # uint32, packed like predicates


class EventColumns(NamedTuple):
    """A batch: codes and validity, [field, row]; `gaps` if any value is NULL."""

    codes: np.ndarray
    valid: np.ndarray
    gaps: bool


class Collected(NamedTuple):
    """A buffer of matches, in pieces of one tile each.

    A piece has the subscriptions of its first event, then those of its second, and so on; `counts` has their numbers.
    The events of a piece are `orders[piece_rows[piece]:]`.
    """

    used: int  # of the buffer
    pieces: int
    ordered: int  # of the orders
    buffer: np.ndarray  # int32
    counts: np.ndarray  # uint16 [piece, event of the tile]
    piece_rows: np.ndarray  # int64 [piece]
    orders: np.ndarray  # int32
