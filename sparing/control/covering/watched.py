"""Covering that keeps up with subscriptions that come and go.

A box that is not forwarded has k *watched* ancestors, all of them forwarded. As long as they stay, nothing about it can
change; when one leaves, another is looked for, and if there is none the box is forwarded. What is forwarded is at any
time what AncestorCoverK would forward of all boxes that are there. Scores must not depend on the publication: only then
does whoever covers a covering box cover what that one covers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sparing.control.covering.ancestor_cover import ancestors
from sparing.control.covering.boxes import CodedBoxes, CodeRanges
from sparing.control.covering.kernels.live import find_above, find_below, spread, start_of
from sparing.control.covering.ranked_boxes import RankedBoxes
from sparing.match.encode import Encoder
from sparing.match.predicates import LEAST, MOST, NO_SET
from sparing.match.texts import TextLabels
from sparing.model.box import Box
from sparing.model.types import FieldType

FIRST_ROOM = 64
PLACES = 2000  # among kept boxes that are looked at to spread watching more evenly


class LiveBoxes(NamedTuple):
    """Boxes by slot, for compiled code."""

    ranges: CodeRanges
    score: np.ndarray  # float64 [slot]
    id: np.ndarray  # int64 [slot], ascending with the ids


class KeptBoxes(NamedTuple):
    """The kept boxes, side by side."""

    slot: np.ndarray  # int32
    low: np.ndarray  # int64 [place, field]
    last: np.ndarray


@dataclass(frozen=True, slots=True)
class CoverChange:
    """What the neighbour must be told, in this order: first what is new to it, then what it may forget."""

    forwarded: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


@dataclass(slots=True)
class _Member:
    id: str
    box: Box
    score: float
    kept: bool = False
    ancestors: int = 0  # kept ones, while the box is kept itself
    watched: list[int] = field(default_factory=list)  # slots of kept ancestors, while it is not


class WatchedCover:
    """AncestorCoverK of a changing set of boxes over the fields of one topic."""

    def __init__(self, types: Mapping[str, FieldType], k: int, fair: bool = False) -> None:
        self._types, self._k, self._fair = dict(types), k, fair
        self._encoder = Encoder(self._types)
        self._ids = TextLabels()
        self._slot: dict[str, int] = {}
        self._member: dict[int, _Member] = {}
        self._free: list[int] = []
        self._watchers: dict[int, set[int]] = {}  # kept slot -> slots that watch it
        self._shelf = _shelf(len(self._types), FIRST_ROOM)
        self._kept_count = 0
        self._place = np.full(FIRST_ROOM, -1, np.int32)  # slot -> place among the kept
        self._found = np.empty(max(k, FIRST_ROOM), np.int32)
        self._sets = _Sets()
        self._live = _room(len(self._types), FIRST_ROOM, self._sets)

    def __len__(self) -> int:
        return len(self._slot)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._slot

    @property
    def forwarded(self) -> set[str]:
        """The ids of the boxes that the neighbour knows."""
        return {self._member[slot].id for slot in self._shelf.slot[: self._kept_count].tolist()}

    def weighted(self) -> dict[str, float]:
        """What each forwarded box stands for: itself, and a share of every box that watches it."""
        weights = dict.fromkeys(self._shelf.slot[: self._kept_count].tolist(), 1.0)
        for member in self._member.values():
            for slot in member.watched:
                weights[slot] += 1 / len(member.watched)
        return {self._member[slot].id: weight for slot, weight in weights.items()}

    @classmethod
    def of(
        cls, boxes: Iterable[tuple[str, Box, float]], types: Mapping[str, FieldType], k: int, fair: bool = False
    ) -> WatchedCover:
        """The cover of many boxes (id, box, score) at once."""
        cover = cls(types, k, fair)
        entries = sorted(boxes, key=lambda entry: entry[0])
        cover._ids.add(id_ for id_, _, _ in entries)
        cover._encoder.learn(box for _, box, _ in entries)
        for id_, box, score in entries:
            cover._write(cover._seat(id_, box, score))
        count = len(entries)
        coded = CodedBoxes(cover._live.ranges).take(np.arange(count))
        stand_ins = np.full((count, k), -1, np.int32)
        counts = ancestors(RankedBoxes.by_score(coded, cover._live.score[:count], fair), k, stand_ins)
        for slot in np.flatnonzero(counts < k).tolist():
            cover._keep(slot, int(counts[slot]))
        covered = np.flatnonzero(counts == k)
        spread(cover._live, fair, cover._shelf, cover._kept_count, covered, PLACES, k, stand_ins)
        for slot in covered.tolist():
            cover._watch(slot, stand_ins[slot].tolist())
        return cover

    def add(self, id_: str, box: Box, score: float = 0.0) -> CoverChange:
        """Add a box."""
        slot = self._enter(id_, box, score)
        member = self._member[slot]
        found = self._above(slot)
        if len(found) == self._k:
            self._watch(slot, found)
            return CoverChange()
        self._keep(slot, len(found))
        withdrawn = []
        for below in self._below(slot):
            other = self._member[below]
            other.ancestors += 1
            if other.ancestors == self._k:
                withdrawn.append(below)
        for below in withdrawn:
            self._drop(below)
        for below in withdrawn:
            self._watch(below, self._above(below))
            for watcher in sorted(self._watchers.pop(below, ())):
                self._watch_instead(watcher)
        return CoverChange((member.id,), tuple(self._member[below].id for below in withdrawn))

    def remove(self, id_: str) -> CoverChange:
        """Remove a box. Those that need it no longer covered are told before it is withdrawn."""
        slot = self._slot.pop(id_)
        member = self._member[slot]
        if not member.kept:
            self._unwatch(slot)
            self._leave(slot)
            return CoverChange()
        for below in self._below(slot):
            self._member[below].ancestors -= 1
        self._drop(slot)
        watchers = self._best_first(self._watchers.pop(slot, set()))
        self._leave(slot)
        forwarded = [self._member[watcher].id for watcher in watchers if not self._watch_instead(watcher)]
        return CoverChange(tuple(forwarded), (id_,))

    # Watching

    def _best_first(self, slots: set[int]) -> list[int]:
        """Slots in an order in which nobody comes before one that rank-covers it."""
        if len(slots) < 2:
            return list(slots)
        by_id = np.array(sorted(slots, key=lambda slot: self._member[slot].id))
        boxes = CodedBoxes(self._live.ranges).take(by_id)
        order = RankedBoxes.by_score(boxes, self._live.score[by_id], self._fair).order
        return [int(slot) for slot in by_id[order]]

    def _watch(self, slot: int, ancestors: list[int]) -> None:
        self._member[slot].watched = ancestors
        for ancestor in ancestors:
            self._watchers.setdefault(ancestor, set()).add(slot)

    def _unwatch(self, slot: int) -> None:
        for ancestor in self._member[slot].watched:
            self._watchers.get(ancestor, set()).discard(slot)
        self._member[slot].watched = []

    def _watch_instead(self, slot: int) -> bool:
        """Look for ancestors again; if there are too few, keep the box. Whether it stays covered."""
        self._unwatch(slot)
        found = self._above(slot)
        if len(found) == self._k:
            self._watch(slot, found)
            return True
        self._keep(slot, len(found))
        return False

    def _above(self, slot: int) -> list[int]:
        kept = self._kept_count
        start = start_of(slot, kept)
        count = find_above(self._live, self._fair, self._shelf, kept, slot, start, kept, self._k, self._found)
        return [int(found) for found in self._found[:count]]

    def _below(self, slot: int) -> list[int]:
        if len(self._found) < self._kept_count:
            self._found = np.empty(2 * self._kept_count, np.int32)
        count = find_below(self._live, self._fair, self._shelf, self._kept_count, slot, self._found)
        return [int(found) for found in self._found[:count]]

    # Slots

    def _keep(self, slot: int, ancestors: int) -> None:
        member = self._member[slot]
        member.kept, member.ancestors = True, ancestors
        if self._kept_count == len(self._shelf.slot):
            old, self._shelf = self._shelf, _shelf(len(self._types), 2 * self._kept_count)
            for before, now in zip(old, self._shelf, strict=True):
                now[: len(before)] = before
        self._put(slot, self._kept_count)
        self._kept_count += 1

    def _put(self, slot: int, place: int) -> None:
        self._shelf.slot[place] = slot
        self._shelf.low[place], self._shelf.last[place] = self._live.ranges.low[slot], self._live.ranges.last[slot]
        self._place[slot] = place

    def _drop(self, slot: int) -> None:
        self._member[slot].kept = False
        self._kept_count -= 1
        last, place = int(self._shelf.slot[self._kept_count]), int(self._place[slot])
        self._place[slot] = -1
        if last != slot:
            self._put(last, place)

    def _seat(self, id_: str, box: Box, score: float) -> int:
        """A slot for a box; nothing is written there yet."""
        assert id_ not in self._slot, f"{id_} is there already"
        slot = self._free.pop() if self._free else len(self._member)
        if slot == len(self._live.score):
            self._grow()
        self._slot[id_] = slot
        self._member[slot] = _Member(id_, box, score)
        return slot

    def _enter(self, id_: str, box: Box, score: float) -> int:
        slot = self._seat(id_, box, score)
        same = self._ids.add([id_])
        if not (self._encoder.learn([box]) and same) or self._sets.wasteful(len(self._slot)):
            self._sets = _Sets()  # labels have changed: write everything anew
            self._live = _room(len(self._types), len(self._live.score), self._sets)
            for other in self._slot.values():
                self._write(other)
            for place in range(self._kept_count):
                self._put(int(self._shelf.slot[place]), place)
        else:
            self._write(slot)
        return slot

    def _leave(self, slot: int) -> None:
        del self._member[slot]
        self._free.append(slot)

    def _grow(self) -> None:
        room = 2 * len(self._live.score)
        self._place = np.concatenate([self._place, np.full(room // 2, -1, np.int32)])
        old, self._live = self._live, _room(len(self._types), room, self._sets)
        for before, now in zip(old.ranges[:4], self._live.ranges[:4], strict=True):
            now[: len(before)] = before
        self._live.score[: room // 2], self._live.id[: room // 2] = old.score, old.id

    def _write(self, slot: int) -> None:
        member, ranges = self._member[slot], self._live.ranges
        ranges.low[slot], ranges.last[slot], ranges.missing[slot], ranges.set[slot] = LEAST, MOST, True, NO_SET
        for name, constraint in member.box.constraints:
            at = self._encoder.number[name]
            closed = [self._encoder.closed(name, bounds) for bounds in constraint.ranges]
            ranges.low[slot, at] = closed[0][0] if closed else MOST
            ranges.last[slot, at] = closed[-1][1] if closed else LEAST
            ranges.missing[slot, at] = constraint.missing
            if len(closed) != 1:
                ranges.set[slot, at] = self._sets.add(closed)
        self._live = self._live._replace(ranges=self._sets.in_use(ranges))
        self._live.score[slot] = member.score
        self._live.id[slot] = self._ids.label(member.id)


class _Sets:
    """CodeRanges of constraints that are not one range, with room for more."""

    def __init__(self) -> None:
        self.starts = np.zeros(FIRST_ROOM, np.int64)
        self.low, self.last = np.zeros(FIRST_ROOM, np.int64), np.zeros(FIRST_ROOM, np.int64)
        self.count = 0

    def add(self, closed: list[tuple[int, int]]) -> int:
        """The number of a new set."""
        first = int(self.starts[self.count])
        end = first + len(closed)
        if self.count + 2 > len(self.starts):
            self.starts = np.resize(self.starts, 2 * len(self.starts))
        while end > len(self.low):
            self.low, self.last = np.resize(self.low, 2 * len(self.low)), np.resize(self.last, 2 * len(self.last))
        self.low[first:end] = [low for low, _ in closed]
        self.last[first:end] = [last for _, last in closed]
        self.count += 1
        self.starts[self.count] = end
        return self.count - 1

    def wasteful(self, members: int) -> bool:
        """Whether many of them belong to boxes that have left."""
        return self.count > 16 * (members + FIRST_ROOM)

    def in_use(self, ranges: CodeRanges) -> CodeRanges:
        """CodeRanges with these sets."""
        if ranges.set_starts is self.starts and ranges.set_low is self.low:
            return ranges
        return ranges._replace(set_starts=self.starts, set_low=self.low, set_last=self.last)


def _shelf(fields: int, places: int) -> KeptBoxes:
    return KeptBoxes(
        np.empty(places, np.int32), np.empty((places, fields), np.int64), np.empty((places, fields), np.int64)
    )


def _room(fields: int, slots: int, sets: _Sets) -> LiveBoxes:
    shape = slots, fields
    bounds = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, np.int32)
    return LiveBoxes(CodeRanges(*bounds, sets.starts, sets.low, sets.last), np.zeros(slots), np.zeros(slots, np.int64))
