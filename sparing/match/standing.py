"""The store of an index's subscriptions, with insertion and removal.

Most are in the *base*, which is built at once: on the shelf of a value that many subscriptions ask for, hashed by a
value that few ask for, or on the common shelf. Later ones are on smaller shelves, the *tiers*, each at least twice as
large as the next; tiers are joined as they grow, so an insertion is cheap. Removal only marks a slot. After many
insertions and removals, the base is rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sparing.match.hashed import Hashed
from sparing.match.kernels.filing import choose_values
from sparing.match.layout import Shelf
from sparing.match.predicates import Predicates

FEWEST_ON_SHELF = 64  # subscriptions to a value from which on it gets its own shelf
MOST_SHELVES = 1024
MOST_HASHED = 16  # subscriptions to a value up to which they are hashed and checked one by one
SCANNED = 300  # subscriptions that a tile scans in the time that one of its events is checked against one of them
FEWEST_HASHED = 4096  # subscriptions hashed by a field for which a lookup per event is faster than a scan
MOST_HASHED_FIELDS = 4
FRESH = 512  # insertions that are collected before they become a tier
LOOSE = 4096  # insertions and removals before a rebuild, in addition to an eighth of the base

_HASHED = -2  # in `Standing._shelf_of`: hashed by field 0; -3 by field 1, and so on
_FRESH = -1
_GONE = np.iinfo(np.int32).min


@dataclass(frozen=True)
class Base:
    """The shelves and hashed subscriptions that were built at once."""

    shelves: list[Shelf]
    hashed: list[Hashed]

    @classmethod
    def of(cls, fields: int, predicates: Predicates, number: np.ndarray) -> Base:
        """Build the base from subscriptions."""
        size = len(predicates)
        chosen, sharing = _choose_values(fields, predicates)
        asks = np.flatnonzero(chosen >= 0)
        by, code, shared = predicates.field[chosen[asks]], predicates.low[chosen[asks]], sharing[chosen[asks]]
        own = shared >= max(FEWEST_ON_SHELF, size // MOST_SHELVES)
        few = ~own & (shared <= min(MOST_HASHED, size // SCANNED))
        few &= np.bincount(by[few], minlength=fields)[by] >= FEWEST_HASHED
        shelves, hashed = [], []
        for f in np.unique(by[own]).tolist():
            at = np.flatnonzero(own & (by == f))
            at = at[np.argsort(code[at], kind="stable")]
            begin = np.flatnonzero(np.append(True, np.diff(code[at]) != 0))
            for group in np.split(at, begin[1:]):
                mine = asks[group]
                shelves.append(Shelf.of(fields, predicates.take(mine), number[mine], f, int(code[group[0]])))
        for f in np.unique(by[few]).tolist():
            at = np.flatnonzero(few & (by == f))
            hashed.append(Hashed.of(f, code[at], number[asks[at]], predicates.take(asks[at])))
        common = np.ones(size, dtype=bool)
        common[asks[own | few]] = False
        rest = np.flatnonzero(common)
        if len(rest):
            everything = len(rest) == size
            shelves.append(Shelf.of(fields, predicates if everything else predicates.take(rest), number[rest]))
        return cls(shelves, hashed)


def _choose_values(fields: int, predicates: Predicates) -> tuple[np.ndarray, np.ndarray]:
    """Return each subscription's predicate to find it by (-1: none), and how many predicates share each one's value."""
    single = np.flatnonzero((predicates.low == predicates.last) & (predicates.set < 0))
    sharing = np.zeros(len(predicates.field), dtype=np.int64)
    by = predicates.field[single]
    popular = np.argsort(np.bincount(by, minlength=fields))[::-1][:MOST_HASHED_FIELDS]
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
class Standing:
    """The subscriptions of an index, by number."""

    fields: int
    base: Base = field(default_factory=lambda: Base([], []))
    tiers: list[Shelf] = field(default_factory=list)
    _fresh: dict[int, Predicates] = field(default_factory=dict)
    _fresh_shelf: Shelf | None = None
    _shelf_of: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _slot_of: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))
    _laid_out: int = 0
    _loose: int = 0

    @classmethod
    def of(cls, fields: int, predicates: Predicates, number: np.ndarray) -> Standing:
        """Build the store from subscriptions."""
        standing = cls(fields)
        standing._lay_out(predicates, number)
        return standing

    def _lay_out(self, predicates: Predicates, number: np.ndarray) -> None:
        self.base = Base.of(self.fields, predicates, number)
        self.tiers, self._fresh, self._fresh_shelf = [], {}, None
        self._laid_out, self._loose = len(predicates), 0
        self._reserve(int(number.max()) + 1 if len(number) else 0)
        self._shelf_of[:] = _GONE
        for at, shelf in enumerate(self.base.shelves):
            self._note(shelf.filed.filing.number, at)
        for at, hashed in enumerate(self.base.hashed):
            self._note(hashed.number, _HASHED - at)

    def _reserve(self, numbers: int) -> None:
        if numbers > len(self._shelf_of):
            more = max(numbers, 2 * len(self._shelf_of)) - len(self._shelf_of)
            self._shelf_of = np.concatenate([self._shelf_of, np.full(more, _GONE, dtype=np.int32)])
            self._slot_of = np.concatenate([self._slot_of, np.zeros(more, dtype=np.int32)])

    def _note(self, number: np.ndarray, where: int) -> None:
        alive = number >= 0
        self._shelf_of[number[alive]] = where
        self._slot_of[number[alive]] = np.flatnonzero(alive)

    def used(self) -> np.ndarray:
        """Return whether each field is constrained by a subscription."""
        used = np.zeros(self.fields, dtype=bool)
        for shelf in self.shelves():
            used |= shelf.buckets.rows > 0
        for hashed in self.base.hashed:
            used[hashed.fields] = True
        return used

    def shelves(self) -> Iterator[Shelf]:
        """Yield all shelves."""
        yield from self.base.shelves
        yield from self.tiers
        if self._fresh:
            if self._fresh_shelf is None:
                number = np.array(list(self._fresh), dtype=np.int64)
                self._fresh_shelf = Shelf.of(self.fields, Predicates.joined(list(self._fresh.values())), number)
            yield self._fresh_shelf

    def add(self, predicates: Predicates, number: np.ndarray) -> None:
        """Add subscriptions."""
        self._reserve(int(number.max()) + 1)
        self._loose += len(number)
        if len(number) >= FRESH:
            self._add_tier(predicates, number)
            return
        for at, mine in enumerate(number.tolist()):
            self._fresh[mine] = predicates if len(number) == 1 else predicates.take(np.array([at]))
            self._shelf_of[mine] = _FRESH
        self._fresh_shelf = None
        if len(self._fresh) >= FRESH:
            numbers = np.array(list(self._fresh), dtype=np.int64)
            together = Predicates.joined(list(self._fresh.values()))
            self._fresh = {}
            self._add_tier(together, numbers)

    def _add_tier(self, predicates: Predicates, number: np.ndarray) -> None:
        while self.tiers and len(self.tiers[-1]) <= 2 * len(number):
            theirs, their_number = alive(self.tiers.pop())
            predicates = Predicates.joined([theirs, predicates])
            number = np.concatenate([their_number, number])
        self.tiers.append(Shelf.of(self.fields, predicates, number))
        for at, tier in enumerate(self.tiers):
            self._note(
                np.where(tier.filed.filing.pivot_high >= 0, tier.filed.filing.number, -1), len(self.base.shelves) + at
            )

    def remove(self, number: int) -> None:
        """Remove a subscription."""
        where, slot = int(self._shelf_of[number]), int(self._slot_of[number])
        self._shelf_of[number] = _GONE
        if where == _FRESH:
            del self._fresh[number]
            self._fresh_shelf = None
            return
        self._loose += 1
        if where <= _HASHED:
            self.base.hashed[_HASHED - where].number[slot] = -1
            return
        shelves = self.base.shelves
        shelf = shelves[where] if where < len(shelves) else self.tiers[where - len(shelves)]
        shelf.filed.filing.pivot_high[slot] = -1

    def of_number(self, number: int) -> Predicates:
        """Return the predicates of one subscription."""
        where, slot = int(self._shelf_of[number]), np.array([self._slot_of[number]])
        if where == _FRESH:
            return self._fresh[number]
        if where <= _HASHED:
            return self.base.hashed[_HASHED - where].predicates.take(slot)
        shelves = self.base.shelves
        shelf = shelves[where] if where < len(shelves) else self.tiers[where - len(shelves)]
        return shelf.filed.predicates.take(slot)

    @property
    def nbytes(self) -> int:
        """Bytes of the lookup from numbers to slots."""
        return self._shelf_of.nbytes + self._slot_of.nbytes

    @property
    def untidy(self) -> bool:
        """Whether there were enough insertions and removals for a rebuild."""
        return self._loose > LOOSE + self._laid_out // 8

    def tidy(self) -> None:
        """Rebuild the base with all subscriptions."""
        self._lay_out(*self.everything())

    def everything(self) -> tuple[Predicates, np.ndarray]:
        """Return all subscriptions and their numbers."""
        parts = [alive(shelf) for shelf in self.shelves()]
        for hashed in self.base.hashed:
            at = np.flatnonzero(hashed.number >= 0)
            parts.append((hashed.predicates.take(at), hashed.number[at]))
        if not parts:
            return Predicates.none(), np.zeros(0, dtype=np.int64)
        number = np.concatenate([number for _, number in parts]).astype(np.int64)
        order = np.argsort(number)
        return Predicates.joined([predicates for predicates, _ in parts]).take(order), number[order]


def alive(shelf: Shelf) -> tuple[Predicates, np.ndarray]:
    """Return the subscriptions of a shelf that have not been removed, and their numbers."""
    at = np.flatnonzero(shelf.filed.filing.pivot_high >= 0)
    return shelf.filed.predicates.take(at), shelf.filed.filing.number[at].astype(np.int64)
