"""The layout of subscriptions in segments.

A *segment* has subscriptions that require the same value of a field, and is matched with events of that value only.
It has its own buckets per field (their edges are bounds of its subscriptions) and some *pivot* fields. A subscription's
slot is among those of the pivot field in which it is most selective.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.match.kernels import buckets as kernels
from sparing.match.kernels.arrays import FieldBuckets, SetRuns, SlotData
from sparing.match.kernels.buckets import CELLS, MOST_BUCKETS, fill_cells
from sparing.match.kernels.pivots import arrange, find_pivots, put_flags
from sparing.match.kernels.rows import words
from sparing.match.predicates import LEAST, MOST, Predicates

MOST_EDGES = MOST_BUCKETS - 2
MOST_ROWS = 6144  # of a segment's table: at 64 bytes each they stay in a core's own cache
PIVOT_GAIN = 2500  # subscriptions that a tile skips, to make another pivot worth while
SAMPLE = 20_000

_NEVER = 32_767
UNSORTED = -1


def make_buckets(used: np.ndarray, field: np.ndarray, bounds: np.ndarray) -> FieldBuckets:
    """Return buckets of the used fields: every bound is an edge, or the edges are quantiles of the bounds."""
    fields = len(used)
    most = int(min(MOST_EDGES, max(1, MOST_ROWS // max(1, int(used.sum())) - 3)))
    edges = np.full((fields, 2 * (MOST_EDGES + 1)), MOST, dtype=np.int64)
    steps = np.zeros(fields, dtype=np.uint8)
    count = np.zeros(fields, dtype=np.int64)
    base, shift = np.zeros(fields, dtype=np.int64), np.zeros(fields, dtype=np.uint8)
    cells = np.zeros((fields, CELLS + 1), dtype=np.uint8)
    order = np.argsort(field, kind="stable")
    ends = np.searchsorted(field[order], np.arange(fields + 1))
    for f in range(fields):
        mine = np.sort(bounds[order[ends[f] : ends[f + 1]]])
        if not len(mine):
            continue
        distinct = mine[np.append(True, mine[1:] != mine[:-1])]
        if len(distinct) > most:
            distinct = np.unique(mine[np.linspace(0, len(mine) - 1, most).astype(np.int64)])
        size = len(distinct)
        edges[f, :size] = distinct
        count[f] = size
        # The rough table ignores the outermost edges: they may be so far away that all others share a cell.
        low, high = int(distinct[size // 50]), int(distinct[size - 1 - size // 50])
        base[f] = low
        shift[f] = max(0, (high - low).bit_length() - (CELLS.bit_length() - 1))
        fill_cells(edges[f], size, base[f], shift[f], cells[f])
        steps[f] = int(np.diff(cells[f].astype(np.int64)).max()).bit_length()
    rows = np.where(used, count + 3, 0)  # before NULL, after NULL, after each bucket
    first_row = np.cumsum(rows) - rows
    return FieldBuckets(edges, count, base, shift, cells, steps, first_row, rows)


@dataclass(frozen=True)
class PredicateBuckets:
    """Predicates in terms of a segment's buckets."""

    packed: np.ndarray
    low: np.ndarray
    last: np.ndarray
    inside: np.ndarray


def buckets_of(buckets: FieldBuckets, predicates: Predicates) -> PredicateBuckets:
    """Return the buckets of predicates in a segment."""
    size = len(predicates.field)
    low, last = np.empty(size, dtype=np.int16), np.empty(size, dtype=np.int16)
    found = PredicateBuckets(np.empty(size, dtype=np.uint32), low, last, np.empty(size, dtype=np.uint8))
    kernels.find_buckets(predicates.ranges, buckets, found.packed, low, last, found.inside)
    return found


@dataclass(frozen=True)
class Slots:
    """Subscriptions in the order of slots, with the pivot predicate first."""

    predicates: Predicates
    data: SlotData
    set_runs: SetRuns
    pivot_field: np.ndarray  # int16 [slot], -1: none


def find_set_runs(buckets: FieldBuckets, predicates: Predicates) -> tuple[np.ndarray, SetRuns]:
    """Return each subscription's position among the sets (0 if it has none), and the sets as runs of buckets."""
    which = np.flatnonzero(predicates.set >= 0)
    set_of = np.zeros(len(predicates), dtype=np.int32)
    owner = np.searchsorted(predicates.starts, which, side="right") - 1
    owners, firsts = np.unique(owner, return_index=True)
    set_of[owners] = np.arange(len(owners), dtype=np.int32)
    field, set_ = predicates.field[which].astype(np.int64), predicates.set[which].astype(np.int64)
    most = np.minimum(np.diff(predicates.sets.starts)[set_] + 1, MOST_BUCKETS + 1)
    exact = np.empty(len(which), dtype=bool)
    run_starts, runs = np.zeros(len(which) + 1, dtype=np.int64), np.empty(int(most.sum()), dtype=np.uint32)
    used = kernels.find_set_runs(which, predicates.ranges, buckets, exact, run_starts, runs)
    starts = np.append(firsts, len(which)).astype(np.int64)
    return set_of, SetRuns(starts, field, set_, exact, run_starts, runs[:used].copy())


def bounds_of(predicates: Predicates) -> tuple[np.ndarray, np.ndarray]:
    """Return field and code of every bound: the start of a range, and the code after its end."""
    one = predicates.set < 0
    field = [predicates.field[one], predicates.field[one]]
    low, last = [predicates.low[one]], [predicates.last[one]]
    if len(predicates.sets):
        ranges = np.diff(predicates.sets.starts)[predicates.set[~one]]
        of_set = np.repeat(predicates.field[~one], ranges)
        at = np.repeat(predicates.sets.starts[predicates.set[~one]], ranges)
        at = at + np.arange(len(at)) - np.repeat(np.cumsum(ranges) - ranges, ranges)
        field += [of_set, of_set]
        low.append(predicates.sets.low[at])
        last.append(predicates.sets.last[at])
        field = [field[0], field[2], field[1], field[3]]
    lows, lasts = np.concatenate(low), np.concatenate(last)
    fields = np.concatenate(field)
    given = np.concatenate([lows != LEAST, lasts != MOST])
    with np.errstate(over="ignore"):
        codes = np.concatenate([lows, lasts + 1])
    return fields[given], codes[given]


def choose_pivots(
    share: np.ndarray, predicates: Predicates, spans: PredicateBuckets, owned: int | None, size: int
) -> list[int]:
    """Return the fields to sort events by, the best first, from a sample of a segment's `size` subscriptions."""
    fields = len(share)
    if size < PIVOT_GAIN or not len(predicates):
        return []
    admits = np.ones((len(predicates), fields), dtype=np.float32)
    owner = np.repeat(np.arange(len(predicates)), np.diff(predicates.starts))
    field = predicates.field
    admits[owner, field] = share[field, spans.last + 1] - share[field, spans.low]
    if owned is not None:
        admits[:, owned] = 1
    scanned = np.ones(len(predicates), dtype=np.float32)
    pivots: list[int] = []
    while True:
        gain = np.maximum(scanned[:, None] - admits, 0).sum(axis=0)
        best = int(gain.argmax())
        if gain[best] * size / len(predicates) < PIVOT_GAIN:
            return pivots
        pivots.append(best)
        scanned = np.minimum(scanned, admits[:, best])


def shares(buckets: FieldBuckets) -> np.ndarray:
    """Return [field, r]: the expected share of events in the buckets before r, if events are spread like bounds."""
    at = np.arange(MOST_BUCKETS + 2)
    share: np.ndarray = np.clip((at[None, :] - 1) / (buckets.edge_count + 1)[:, None], 0, 1)
    return share


def order_slots(
    buckets: FieldBuckets, predicates: Predicates, number: np.ndarray, owned: int | None, pivots: list[int]
) -> Slots:
    """Return the slots of subscriptions, sorted by pivot; the predicates on the field `owned` are last."""
    spans = buckets_of(buckets, predicates)
    size = len(predicates)
    pivot = np.full(size, -1, dtype=np.int64)
    order = np.arange(size)
    pivot_field = np.full(size, UNSORTED, dtype=np.int16)
    if pivots:
        kept = np.zeros(len(buckets.edge_count), dtype=bool)
        kept[pivots] = True
        find_pivots(predicates.ranges, spans.low, spans.last, shares(buckets), kept, pivot)
        has = pivot >= 0
        pivot_field[:] = pivots[0]
        pivot_field[has] = predicates.field[pivot[has]]
        key = pivot_field.astype(np.int64) * (MOST_BUCKETS + 1)
        key[has] += spans.low[pivot[has]]
        order = np.argsort(key, kind="stable")
    starts = np.zeros(size + 1, dtype=np.int64)
    source = np.empty(len(predicates.field), dtype=np.int64)
    arrange(predicates.starts, predicates.field, order, pivot, -1 if owned is None else owned, starts, source)
    arranged = Predicates(
        starts, predicates.field[source], predicates.low[source], predicates.last[source], predicates.set[source],
        predicates.sets,
    )  # fmt: skip
    has = (pivot >= 0)[order]
    at = pivot[order][has]
    pivot_low, pivot_high = np.zeros(size, dtype=np.int16), np.full(size, MOST_BUCKETS, dtype=np.int16)
    within_low, within_high = np.full(size, _NEVER, dtype=np.int16), np.full(size, -1, dtype=np.int16)
    pivot_low[has], pivot_high[has] = spans.low[at], spans.last[at]
    single = predicates.set[at] < 0  # the range of a set only spans it
    within_low[has] = np.where(single, spans.low[at] + (spans.inside[at] & 1), _NEVER)
    within_high[has] = spans.last[at] - (spans.inside[at] >> 1)
    flags = np.empty(size, dtype=np.uint8)
    put_flags(starts, spans.inside[source], arranged.set, 0 if owned is None else 1, flags)
    set_of, set_runs = find_set_runs(buckets, arranged)
    slot_data = SlotData(
        number[order].astype(np.int32), spans.packed[source], pivot_low, pivot_high, within_low, within_high, flags,
        set_of,
    )  # fmt: skip
    return Slots(arranged, slot_data, set_runs, pivot_field[order])


def sampled(size: int) -> np.ndarray:
    """Return the subscriptions of a sample: all, or evenly spaced ones."""
    return np.arange(size) if size <= SAMPLE else np.linspace(0, size - 1, SAMPLE).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Segment:
    """Subscriptions with the same value of a field (`field`, `code`), or the common segment (`field` None)."""

    field: int | None
    code: int
    buckets: FieldBuckets
    slots: Slots

    @classmethod
    def of(
        cls, fields: int, predicates: Predicates, number: np.ndarray, field: int | None = None, code: int = 0
    ) -> Segment:
        """Build a segment: choose buckets and pivots, and sort the subscriptions."""
        sample = predicates.take(sampled(len(predicates)))
        used = np.bincount(predicates.field, minlength=fields) > 0
        buckets = make_buckets(used, *bounds_of(sample))
        pivots = choose_pivots(shares(buckets), sample, buckets_of(buckets, sample), field, len(predicates))
        return cls(field, code, buckets, order_slots(buckets, predicates, number, field, pivots))

    def __len__(self) -> int:
        return len(self.slots.pivot_field)

    @property
    def owned(self) -> int:
        """The number of predicates at the end of each subscription that hold for every event of the segment."""
        return 0 if self.field is None else 1

    @cached_property
    def pivots(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The pivot fields (-1: none), with the start and end of the slots of each."""
        pivot_field = self.slots.pivot_field
        begin = (
            np.flatnonzero(np.append(True, pivot_field[1:] != pivot_field[:-1]))
            if len(pivot_field)
            else np.zeros(0, dtype=np.int64)
        )
        return pivot_field[begin], begin, np.append(begin[1:], len(pivot_field)).astype(np.int64)

    @cached_property
    def table(self) -> np.ndarray:
        """Memory for the rows of one tile."""
        return words(int(self.buckets.rows.sum()) + 1)

    @property
    def nbytes(self) -> int:
        """Bytes of memory."""
        arrays = (*self.slots.data, *self.slots.set_runs, *self.buckets, self.slots.pivot_field, self.table)
        return self.slots.predicates.nbytes + sum(array.nbytes for array in arrays)
