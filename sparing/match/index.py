"""`Index`: subscriptions that are matched with batches of events."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from sparing.language.parse import parse_filter
from sparing.match.bitmaps import BitmapIndex
from sparing.match.columns import Column, column
from sparing.match.encode import Encoder
from sparing.match.explain import Explanation, explain
from sparing.match.kernels.arrays import Collected, EventColumns
from sparing.match.kernels.pairs import rows_by_value, scatter
from sparing.match.kernels.rows import BITS
from sparing.match.kernels.tiles import count_matches, gather, match_segment
from sparing.match.layout import Segment
from sparing.match.predicates import Predicates
from sparing.match.store import SubscriptionStore
from sparing.match.tables import as_table, ids_of, read_table
from sparing.model.box import Box
from sparing.model.errors import SparingError
from sparing.model.types import FieldType, field_type

FEW_EVENTS = 24  # events at a segment up to which an index of subscriptions is faster than one of events
MOST_PAIRS = 1 << 27  # in one slice
MOST_FIELDS = 4096
MOST_KEPT = 1 << 28  # array entries of the workspace that are kept between batches

Id = Any


class TooManyPairsError(Exception):
    """A batch has more matches than the limit."""


@dataclass(frozen=True)
class Matches:
    """Matching pairs by event: row `events[e]` matches the subscriptions `numbers[starts[e]:starts[e + 1]]`.

    Subscriptions are numbered in the order of insertion; `ids` are their names.
    """

    events: np.ndarray
    starts: np.ndarray
    numbers: np.ndarray
    names: Sequence[Id] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def rows(self) -> np.ndarray:
        """The event row of each pair, ascending."""
        return np.repeat(self.events, np.diff(self.starts))

    @property
    def ids(self) -> list[Id]:
        """The subscription of each pair."""
        numbers = self.numbers.tolist()
        return numbers if self.names is None else [self.names[number] for number in numbers]

    def to_arrow(self) -> pa.Table:
        """The pairs as a table with the columns event and subscription."""
        if self.names is None:
            ids = pa.array(self.numbers)
        else:
            ids = self._ids_as_array() if len(self) else pa.array(self.names[:1])[:0]  # empty, with the same type
        return pa.table({"event": pa.array(self.rows), "subscription": ids})

    def _ids_as_array(self) -> pa.Array:
        try:
            return pa.array(self.ids)
        except pa.ArrowException as error:
            raise SparingError(f"The ids do not fit into one column: {error}. Use one type for all ids.") from error


@dataclass(frozen=True)
class Stats:
    """The size of an index, and the work for the last batch."""

    subscriptions: int
    segments: int
    looked_up: int  # subscriptions that are looked up by a value
    tiers: int
    bytes: int
    events: int
    pairs: int
    scanned: int  # (subscription, tile of 512 events) pairs of the last batch
    verified: int  # (subscription, event) pairs that were compared by value

    @property
    def bytes_per_subscription(self) -> float:
        """Bytes of memory per subscription."""
        return self.bytes / self.subscriptions if self.subscriptions else 0.0


class Index:
    """An index of subscriptions that matches batches of events exactly.

    >>> index = Index({"symbol": "string", "price": "double"}, [
    ...     {"id": "cheap", "where": "price < 10"},
    ...     {"id": "acme", "where": "symbol = 'ACME' AND price BETWEEN 5 AND 20"},
    ... ])
    >>> batch = pa.record_batch({"symbol": ["ACME", "INIT"], "price": [7.5, 30.0]})
    >>> sorted(index.match(batch).ids)
    ['acme', 'cheap']
    >>> index.insert("init", "symbol LIKE 'IN%'")
    >>> index.remove("cheap")
    >>> index.match(batch).to_arrow().to_pylist()
    [{'event': 0, 'subscription': 'acme'}, {'event': 1, 'subscription': 'init'}]
    >>> print(index.explain({"symbol": "ACME", "price": 30.0}, "acme"))
    (price >= 5.0D AND price <= 20.0D) fails: price is 30.0D.
    """

    def __init__(self, fields: Mapping[str, FieldType | str], subscriptions: Any = None) -> None:
        """Create an index from the types of the events' fields and a table of subscriptions (see `tables`)."""
        types = {name: field_type(kind) if isinstance(kind, str) else kind for name, kind in fields.items()}
        if len(types) > MOST_FIELDS:
            raise SparingError(f"An index can have at most {MOST_FIELDS} fields, not {len(types)}.")
        self._encoder = Encoder(types)
        self._ids: list[Id] | None = None
        self._number_of: dict[Id, int] | None = None
        self._removed: set[int] = set()
        self._count = 0
        self._store = SubscriptionStore(len(types))
        self._bitmap_indexes: WeakKeyDictionary[Segment, BitmapIndex] = WeakKeyDictionary()
        self._workspace = _Workspace()
        self._last = (0, 0, 0, 0)
        self._changes = 0
        if subscriptions is not None:
            table = as_table(subscriptions)
            predicates, _ = read_table(table, self._encoder)
            self._start(predicates, ids_of(table))

    @classmethod
    def of_boxes(
        cls, fields: Mapping[str, FieldType], boxes: Sequence[Box | None], ids: Sequence[Id] | None = None
    ) -> Index:
        """Create an index from boxes; the default ids are their numbers."""
        index = cls(fields)
        index._encoder.learn(box for box in boxes if box is not None)
        index._start(index._encoder.predicates(boxes), None if ids is None else list(ids))
        return index

    def _start(self, predicates: Predicates, ids: list[Id] | None) -> None:
        self._count = len(predicates)
        if ids is not None:
            self._ids = ids
            self._number_ids()
        self._store = SubscriptionStore.of(len(self._encoder.fields), predicates, np.arange(self._count))

    def _number_ids(self) -> None:
        assert self._ids is not None
        self._number_of = {name: number for number, name in enumerate(self._ids)}
        if len(self._number_of) < len(self._ids):
            twice = next(name for number, name in enumerate(self._ids) if self._number_of[name] != number)
            raise SparingError(f"Two subscriptions have the id {twice!r}: use unique ids.")

    def __len__(self) -> int:
        return self._count - len(self._removed)

    def __contains__(self, id_: Id) -> bool:
        return self._find(id_) is not None

    @property
    def numbers(self) -> int:
        """The number of subscriptions inserted so far, including removed ones."""
        return self._count

    def number_of(self, id_: Id) -> int:
        """Return the number of a subscription."""
        number = self._find(id_)
        if number is None:
            raise SparingError(f"Subscription {id_!r} does not exist.")
        return number

    @property
    def fields(self) -> dict[str, FieldType]:
        """The types of the events' fields."""
        return dict(self._encoder.fields)

    def insert(self, id_: Id, where: str | Box) -> None:
        """Add one subscription: a SQL condition or a box."""
        if self._find(id_) is not None:
            raise SparingError(f"There is a subscription {id_!r} already: remove it first, or choose another id.")
        box = parse_filter(where, self._encoder.fields) if isinstance(where, str) else where
        if not self._encoder.learn([box]):
            self._relabel()
        self._add(self._encoder.predicates([box]), [id_])

    def insert_many(self, subscriptions: Any) -> None:
        """Add a table of subscriptions."""
        table = as_table(subscriptions)
        ids = ids_of(table)
        names = list(range(self._count, self._count + table.num_rows)) if ids is None else ids
        if len(set(names)) < len(names):
            raise SparingError("Two of the new subscriptions have the same id: give each its own.")
        for name in names:
            if self._find(name) is not None:
                raise SparingError(f"There is a subscription {name!r} already: remove it first, or choose another id.")
        predicates, kept = read_table(table, self._encoder)
        if not kept:
            self._relabel()
        self._add(predicates, names)

    def _add(self, predicates: Predicates, ids: Sequence[Id]) -> None:
        self._changes += 1
        numbers = np.arange(self._count, self._count + len(ids))
        if self._ids is None and list(ids) != numbers.tolist():
            self._ids = list(range(self._count))
            self._number_of = {number: number for number in self._ids if number not in self._removed}
        if self._ids is not None:
            assert self._number_of is not None
            self._ids.extend(ids)
            self._number_of.update(zip(ids, numbers.tolist(), strict=True))
        self._count += len(ids)
        if len(ids):
            self._store.add(predicates, numbers)

    def remove(self, id_: Id) -> None:
        """Remove a subscription."""
        number = self.number_of(id_)
        self._changes += 1
        self._store.remove(number)
        self._removed.add(number)
        if self._number_of is not None:
            del self._number_of[id_]

    def _find(self, id_: Id) -> int | None:
        if self._number_of is not None:
            return self._number_of.get(id_)
        known = isinstance(id_, int) and 0 <= id_ < self._count and id_ not in self._removed
        return id_ if known else None

    def _relabel(self) -> None:
        """Rebuild the index after text labels have changed, because there was no free label between two others."""
        predicates, numbers = self._store.everything()
        self._store = SubscriptionStore.of(len(self._encoder.fields), self._encoder.relabeled(predicates), numbers)

    def match(self, batch: pa.RecordBatch | pa.Table) -> Matches:
        """Return all matching pairs of a batch; it needs a column for every field that subscriptions constrain."""
        return self.match_columns(self._columns(batch), batch.num_rows)

    def slices(self, batch: pa.RecordBatch | pa.Table, pairs: int = MOST_PAIRS) -> Iterator[Matches]:
        """Yield the matching pairs in slices of at most `pairs`, or of one event if that has more.

        A slice has all pairs of its events, so memory is bounded. The index must not change until all slices are read.
        """
        return self.slice_columns(self._columns(batch), batch.num_rows, pairs)

    def match_columns(self, columns: Mapping[str, Column], rows: int) -> Matches:
        """Return all matching pairs of a batch, given as columns by field."""
        codes, valid = self._encoded(columns, rows)
        return self._match(codes, valid, np.arange(rows, dtype=np.int32), None)

    def slice_columns(self, columns: Mapping[str, Column], rows: int, pairs: int = MOST_PAIRS) -> Iterator[Matches]:
        """Like `slices`, given columns by field."""
        codes, valid = self._encoded(columns, rows)
        size = self._fitting(rows, pairs)
        order = self._by_segment(codes) if size < rows else np.arange(rows, dtype=np.int32)
        start, changes = 0, self._changes
        while start < rows:
            if self._changes != changes:
                raise SparingError(
                    "The index changed while slices of a batch were read: read all slices before changing it."
                )
            end = min(rows, start + size)
            everyone = end - start == rows
            mine = order if everyone else np.sort(order[start:end])
            some_codes, some_valid = (codes, valid) if everyone else (codes[:, mine], valid[:, mine])
            try:
                yield self._match(some_codes, some_valid, mine, pairs if end - start > 1 else None)
            except TooManyPairsError:
                if everyone:
                    order = self._by_segment(codes)
                size = (end - start + 1) // 2
                continue
            start = end

    def _by_segment(self, codes: np.ndarray) -> np.ndarray:
        """Return the rows ordered by the value of the most frequent segment field."""
        owned = [segment.field for segment in self._store.base.segments if segment.field is not None]
        if not owned:
            return np.arange(codes.shape[1], dtype=np.int32)
        return np.argsort(codes[max(set(owned), key=owned.count)], kind="stable").astype(np.int32)

    def _fitting(self, rows: int, pairs: int) -> int:
        """Return the number of rows for the next slice, estimated from the last batch."""
        last_rows, last_pairs, _, _ = self._last
        if last_pairs * rows <= pairs * last_rows:
            return max(1, rows)
        fitting = int(0.9 * pairs * last_rows / last_pairs)
        return max(1, fitting if fitting < BITS else fitting // BITS * BITS)  # a partial tile costs as much

    def _columns(self, batch: pa.RecordBatch | pa.Table) -> dict[str, Column]:
        columns = {}
        used = self._store.used()
        for number, (name, kind) in enumerate(self._encoder.fields.items()):
            if not used[number]:
                continue
            places = batch.schema.get_all_field_indices(name)
            if len(places) != 1:
                count = "two columns" if places else "no column"
                raise SparingError(f"The batch has {count} {name}: subscriptions on this field need exactly one.")
            try:
                columns[name] = column(batch.column(name), kind)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
                raise SparingError(
                    f"Column {name} of the batch is {batch.schema.field(name).type}, which cannot be read as {kind}: "
                    f"{error}."
                ) from error
        return columns

    def _encoded(self, columns: Mapping[str, Column], rows: int) -> tuple[np.ndarray, np.ndarray]:
        if self._store.needs_rebuild:
            self._store.rebuild()
        return self._encoder.codes(columns, self._store.used(), rows)

    def _match(self, codes: np.ndarray, valid: np.ndarray, of: np.ndarray, most: int | None) -> Matches:
        rows = len(of)
        limit = sys.maxsize if most is None else most
        events = EventColumns(codes, valid, not bool(valid.all()))
        everyone = np.arange(rows, dtype=np.int32)
        by_value = _RowsByValue(events, self._store.base.segments)
        space = self._workspace
        space.clear()
        pairs = [lookup.match(events) for lookup in self._store.base.lookups]
        for segment in self._store.segments():
            visiting = everyone if segment.field is None else by_value.of(segment.field, segment.code)
            if len(visiting) > FEW_EVENTS:
                space.match(segment, events, visiting, limit)
                if space.collected.used > limit:
                    raise TooManyPairsError
            elif len(visiting):
                if segment not in self._bitmap_indexes:
                    self._bitmap_indexes[segment] = BitmapIndex(segment)
                pairs.append(self._bitmap_indexes[segment].match(segment, events, visiting, limit))
        counts = np.zeros(rows, dtype=np.int64)
        count_matches(space.collected, counts)
        for mine, _ in pairs:
            counts += np.bincount(mine, minlength=rows)
        starts = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(counts, out=starts[1:])
        total = int(starts[-1])
        if total > limit:
            raise TooManyPairsError
        out = space.output(total)
        place = starts[:-1].copy()
        gather(space.collected, place, out)
        for mine, numbers in pairs:
            scatter(mine, numbers, place, out)
        self._last = (rows, total, int(space.scanned[0]), int(space.scanned[1]))
        space.trim()
        return Matches(of, starts, out, self._ids)

    def explain(self, event: Mapping[str, Any], id_: Id) -> Explanation:
        """Return the constraints of a subscription that an event fails."""
        box = self._encoder.box(self._store.of_number(self.number_of(id_)))
        return explain(event, box, self._encoder.fields)

    def rebuild(self) -> None:
        """Rebuild the index now; `match` does so after many insertions and removals."""
        self._store.rebuild()

    def stats(self) -> Stats:
        """Return the size of the index, and the work for the last batch."""
        base, tiers = self._store.base, self._store.tiers
        bytes_ = sum(segment.nbytes for segment in self._store.segments())
        bytes_ += sum(lookup.nbytes for lookup in base.lookups)
        bytes_ += sum(bitmaps.nbytes for bitmaps in self._bitmap_indexes.values())
        bytes_ += sum(texts.nbytes for texts in self._encoder.texts.values())
        bytes_ += self._store.nbytes
        looked_up = sum(len(lookup.number) for lookup in base.lookups)
        return Stats(len(self), len(base.segments), looked_up, len(tiers), bytes_, *self._last)


class _RowsByValue:
    """The rows of a batch by segment: those with the segment's value."""

    def __init__(self, events: EventColumns, segments: Sequence[Segment]) -> None:
        self._rows: dict[tuple[int, int], np.ndarray] = {}
        for field in {segment.field for segment in segments if segment.field is not None}:
            codes = sorted(segment.code for segment in segments if segment.field == field)
            rows, starts = rows_by_value(events.codes[field], events.valid[field], np.array(codes, dtype=np.int64))
            for at, code in enumerate(codes):
                self._rows[field, code] = rows[starts[at] : starts[at + 1]]

    def of(self, field: int, code: int) -> np.ndarray:
        """Return the rows with a value, ascending."""
        return self._rows[field, code]


class _Workspace:
    """Arrays for matches, reused between batches because allocation is slow."""

    def __init__(self) -> None:
        self._outputs: list[np.ndarray] = []
        self._start_over()

    def _start_over(self) -> None:
        buffer, counts = np.empty(1 << 16, dtype=np.int32), np.empty(1 << 14, dtype=np.uint16)
        piece_rows, orders = np.empty(1 << 8, dtype=np.int64), np.empty(1 << 14, dtype=np.int32)
        self.collected = Collected(0, 0, 0, buffer, counts, piece_rows, orders)
        self.scanned = np.zeros(2, dtype=np.int64)

    def clear(self) -> None:
        """Start a new batch."""
        self.collected = Collected(0, 0, 0, *self.collected[3:])
        self.scanned = np.zeros(2, dtype=np.int64)

    def match(self, segment: Segment, events: EventColumns, rows: np.ndarray, most: int) -> None:
        """Collect the matches of some rows with the subscriptions of a segment."""
        slots = segment.slots
        found = match_segment(
            events, rows, segment.buckets, *segment.pivots, slots.predicates.ranges, np.uint64(segment.owned),
            slots.data, slots.set_runs, segment.table, most, self.collected, self.scanned,
        )  # fmt: skip
        self.collected = Collected(*found)

    def output(self, size: int) -> np.ndarray:
        """Return an array for `size` matches: a previous one if it is no longer referenced.

        Two are kept, because a loop over slices still references one while the next is filled.
        """
        for at in range(len(self._outputs)):
            if sys.getrefcount(self._outputs[at]) == 2 and len(self._outputs[at]) >= size:
                return self._outputs[at][:size]
        made = np.empty(size + size // 4, dtype=np.int32)
        self._outputs = [made, *self._outputs[:1]]
        return made[:size]

    def trim(self) -> None:
        """Release arrays that are larger than MOST_KEPT."""
        if len(self.collected.buffer) > MOST_KEPT:
            self._start_over()
        self._outputs = [made for made in self._outputs if len(made) <= MOST_KEPT]
