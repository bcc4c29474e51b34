"""The store of an index's subscriptions, with insertion and removal.

Most are in the *base*, which is built at once: in the segment of a value that many subscriptions require, in a lookup
by a value that few require, or in the common segment. Later ones are first in a buffer, then in smaller segments, the
*tiers*, each at least twice as large as the next. Tiers are merged as they grow, so an insertion is cheap. Removal only
marks a slot. After many insertions and removals, the base is rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sparing.match.kernels.pivots import choose_values
from sparing.match.layout import Segment
from sparing.match.lookup import ValueLookup
from sparing.match.predicates import Predicates

FEWEST_IN_SEGMENT = 64  # fewest subscriptions that require a value for it to have a segment
MOST_SEGMENTS = 1024
MOST_LOOKED_UP = 16  # most subscriptions that require a value for a lookup by it
SCANNED = 300  # subscriptions that a tile scans in the time that one of its events is checked against one of them
FEWEST_LOOKED_UP = 4096  # fewest subscriptions for which a lookup per event is faster than a scan
MOST_LOOKUP_FIELDS = 4
BUFFER_SIZE = 512  # insertions in the buffer before they become a tier
REBUILD_AFTER = 4096  # insertions and removals before a rebuild, in addition to an eighth of the base

_LOOKED_UP = -2  # in `SubscriptionStore._segment_of`: in lookup 0; -3 is lookup 1, and so on
_BUFFERED = -1
_REMOVED = np.iinfo(np.int32).min


@dataclass(frozen=True)
class Base:
    """The segments and lookups that are built at once."""

    segments: list[Segment]
    lookups: list[ValueLookup]

    @classmethod
    def of(cls, fields: int, predicates: Predicates, number: np.ndarray) -> Base:
        """Build the base from subscriptions."""
        size = len(predicates)
        chosen, sharing = _choose_values(fields, predicates)
        found = np.flatnonzero(chosen >= 0)
        by, code, shared = predicates.field[chosen[found]], predicates.low[chosen[found]], sharing[chosen[found]]
        own = shared >= max(FEWEST_IN_SEGMENT, size // MOST_SEGMENTS)
        few = ~own & (shared <= min(MOST_LOOKED_UP, size // SCANNED))
        few &= np.bincount(by[few], minlength=fields)[by] >= FEWEST_LOOKED_UP
        segments, lookups = [], []
        for f in np.unique(by[own]).tolist():
            at = np.flatnonzero(own & (by == f))
            at = at[np.argsort(code[at], kind="stable")]
            begin = np.flatnonzero(np.append(True, np.diff(code[at]) != 0))
            for group in np.split(at, begin[1:]):
                mine = found[group]
                segments.append(Segment.of(fields, predicates.take(mine), number[mine], f, int(code[group[0]])))
        for f in np.unique(by[few]).tolist():
            at = np.flatnonzero(few & (by == f))
            lookups.append(ValueLookup.of(f, code[at], number[found[at]], predicates.take(found[at])))
        common = np.ones(size, dtype=bool)
        common[found[own | few]] = False
        rest = np.flatnonzero(common)
        if len(rest):
            everything = len(rest) == size
            segments.append(Segment.of(fields, predicates if everything else predicates.take(rest), number[rest]))
        return cls(segments, lookups)


def _choose_values(fields: int, predicates: Predicates) -> tuple[np.ndarray, np.ndarray]:
    """Return the predicate by which each subscription is found (-1: none), and the predicates that share its value."""
    single = np.flatnonzero((predicates.low == predicates.last) & (predicates.set < 0))
    sharing = np.zeros(len(predicates.field), dtype=np.int64)
    by = predicates.field[single]
    popular = np.argsort(np.bincount(by, minlength=fields))[::-1][:MOST_LOOKUP_FIELDS]
    useful = np.zeros(fields, dtype=bool)
    for f in popular.tolist():
        at = single[by == f]
        if len(at):
            useful[f] = True
            _, value, count = np.unique(predicates.low[at], return_inverse=True, return_counts=True)
            sharing[at] = count[value]
    chosen = np.full(len(predicates), -1, dtype=np.int64)
    if useful.any():
        choose_values(predicates.ranges, sharing, useful, chosen)
    return chosen, sharing


@dataclass
class SubscriptionStore:
    """The subscriptions of an index, by number."""

    fields: int
    base: Base = field(default_factory=lambda: Base([], []))
    tiers: list[Segment] = field(default_factory=list)
    _buffer: dict[int, Predicates] = field(default_factory=dict)
    _buffer_segment: Segment | None = None
    _segment_of: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _slot_of: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _built: int = 0
    _changes: int = 0

    @classmethod
    def of(cls, fields: int, predicates: Predicates, number: np.ndarray) -> SubscriptionStore:
        """Build the store from subscriptions."""
        store = cls(fields)
        store._build(predicates, number)
        return store

    def _build(self, predicates: Predicates, number: np.ndarray) -> None:
        self.base = Base.of(self.fields, predicates, number)
        self.tiers, self._buffer, self._buffer_segment = [], {}, None
        self._built, self._changes = len(predicates), 0
        self._reserve(int(number.max()) + 1 if len(number) else 0)
        self._segment_of[:] = _REMOVED
        for at, segment in enumerate(self.base.segments):
            self._set_location(segment.slots.data.number, at)
        for at, lookup in enumerate(self.base.lookups):
            self._set_location(lookup.number, _LOOKED_UP - at)

    def _reserve(self, numbers: int) -> None:
        if numbers > len(self._segment_of):
            more = max(numbers, 2 * len(self._segment_of)) - len(self._segment_of)
            self._segment_of = np.concatenate([self._segment_of, np.full(more, _REMOVED, dtype=np.int32)])
            self._slot_of = np.concatenate([self._slot_of, np.zeros(more, dtype=np.int32)])

    def _set_location(self, number: np.ndarray, where: int) -> None:
        alive = number >= 0
        self._segment_of[number[alive]] = where
        self._slot_of[number[alive]] = np.flatnonzero(alive)

    def used(self) -> np.ndarray:
        """Return whether each field is constrained by a subscription."""
        used = np.zeros(self.fields, dtype=bool)
        for segment in self.segments():
            used |= segment.buckets.rows > 0
        for lookup in self.base.lookups:
            used[lookup.fields] = True
        return used

    def segments(self) -> Iterator[Segment]:
        """Yield all segments."""
        yield from self.base.segments
        yield from self.tiers
        if self._buffer:
            if self._buffer_segment is None:
                number = np.array(list(self._buffer), dtype=np.int64)
                self._buffer_segment = Segment.of(self.fields, Predicates.joined(list(self._buffer.values())), number)
            yield self._buffer_segment

    def add(self, predicates: Predicates, number: np.ndarray) -> None:
        """Add subscriptions."""
        self._reserve(int(number.max()) + 1)
        self._changes += len(number)
        if len(number) >= BUFFER_SIZE:
            self._add_tier(predicates, number)
            return
        for at, mine in enumerate(number.tolist()):
            self._buffer[mine] = predicates if len(number) == 1 else predicates.take(np.array([at]))
            self._segment_of[mine] = _BUFFERED
        self._buffer_segment = None
        if len(self._buffer) >= BUFFER_SIZE:
            numbers = np.array(list(self._buffer), dtype=np.int64)
            together = Predicates.joined(list(self._buffer.values()))
            self._buffer = {}
            self._add_tier(together, numbers)

    def _add_tier(self, predicates: Predicates, number: np.ndarray) -> None:
        while self.tiers and len(self.tiers[-1]) <= 2 * len(number):
            theirs, their_number = alive(self.tiers.pop())
            predicates = Predicates.joined([theirs, predicates])
            number = np.concatenate([their_number, number])
        self.tiers.append(Segment.of(self.fields, predicates, number))
        for at, tier in enumerate(self.tiers):
            self._set_location(
                np.where(tier.slots.data.pivot_high >= 0, tier.slots.data.number, -1), len(self.base.segments) + at
            )

    def remove(self, number: int) -> None:
        """Remove a subscription."""
        where, slot = int(self._segment_of[number]), int(self._slot_of[number])
        self._segment_of[number] = _REMOVED
        if where == _BUFFERED:
            del self._buffer[number]
            self._buffer_segment = None
            return
        self._changes += 1
        if where <= _LOOKED_UP:
            self.base.lookups[_LOOKED_UP - where].number[slot] = -1
            return
        segments = self.base.segments
        segment = segments[where] if where < len(segments) else self.tiers[where - len(segments)]
        segment.slots.data.pivot_high[slot] = -1

    def of_number(self, number: int) -> Predicates:
        """Return the predicates of one subscription."""
        where, slot = int(self._segment_of[number]), np.array([self._slot_of[number]])
        if where == _BUFFERED:
            return self._buffer[number]
        if where <= _LOOKED_UP:
            return self.base.lookups[_LOOKED_UP - where].predicates.take(slot)
        segments = self.base.segments
        segment = segments[where] if where < len(segments) else self.tiers[where - len(segments)]
        return segment.slots.predicates.take(slot)

    @property
    def nbytes(self) -> int:
        """Bytes of the lookup from numbers to slots."""
        return self._segment_of.nbytes + self._slot_of.nbytes

    @property
    def needs_rebuild(self) -> bool:
        """Whether there were enough insertions and removals for a rebuild."""
        return self._changes > REBUILD_AFTER + self._built // 8

    def rebuild(self) -> None:
        """Rebuild the base with all subscriptions."""
        self._build(*self.everything())

    def everything(self) -> tuple[Predicates, np.ndarray]:
        """Return all subscriptions and their numbers."""
        parts = [alive(segment) for segment in self.segments()]
        for lookup in self.base.lookups:
            at = np.flatnonzero(lookup.number >= 0)
            parts.append((lookup.predicates.take(at), lookup.number[at]))
        if not parts:
            return Predicates.none(), np.zeros(0, dtype=np.int64)
        number = np.concatenate([number for _, number in parts]).astype(np.int64)
        order = np.argsort(number)
        return Predicates.joined([predicates for predicates, _ in parts]).take(order), number[order]


def alive(segment: Segment) -> tuple[Predicates, np.ndarray]:
    """Return the subscriptions in a segment that have not been removed, and their numbers."""
    at = np.flatnonzero(segment.slots.data.pivot_high >= 0)
    return segment.slots.predicates.take(at), segment.slots.data.number[at].astype(np.int64)
