"""AncestorCoverK for a changing set of subscriptions.

A box that is not forwarded has k *covers*: ancestors that are forwarded. It stays covered while they stay. When one is
removed, another ancestor replaces it; without one the box is forwarded. The forwarded boxes are always those of
AncestorCoverK on the current set. Scores must not depend on the publication, because rank-covering must be transitive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from sparing.control.covering.ancestor_cover import ancestors
from sparing.control.covering.boxes import CodedBoxes, CodeRanges
from sparing.control.covering.kernels.incremental import find_ancestors, find_covered, search_start, spread_covers
from sparing.control.covering.ranked_boxes import RankedBoxes
from sparing.match.encode import Encoder
from sparing.match.predicates import LEAST, MOST, NO_SET
from sparing.match.texts import TextLabels
from sparing.model.box import Box
from sparing.model.types import FieldType

INITIAL_SIZE = 64
SPREAD_STEPS = 2000  # kept boxes that are searched to spread covers more evenly


class BoxSlots(NamedTuple):
    """Boxes by slot, for compiled code."""

    ranges: CodeRanges
    score: np.ndarray  # float64 [slot]
    id: np.ndarray  # int64 [slot], ascending with the ids


class KeptBoxes(NamedTuple):
    """The kept boxes in contiguous arrays."""

    slot: np.ndarray  # int32
    low: np.ndarray  # int64 [place, field]
    last: np.ndarray


@dataclass(frozen=True, slots=True)
class CoverChange:
    """The messages to the neighbour: new subscriptions are forwarded before others are withdrawn."""

    forwarded: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()


@dataclass(slots=True)
class _Member:
    id: str
    box: Box
    score: float
    kept: bool = False
    ancestors: int = 0  # number of kept ones, if the box is kept
    covers: list[int] = field(default_factory=list)  # slots of k kept ancestors, if it is not


class IncrementalCover:
    """AncestorCoverK of a changing set of boxes over the fields of one topic."""

    def __init__(self, types: Mapping[str, FieldType], k: int, fair: bool = False) -> None:
        self._types, self._k, self._fair = dict(types), k, fair
        self._encoder = Encoder(self._types)
        self._ids = TextLabels()
        self._slot_of: dict[str, int] = {}
        self._member: dict[int, _Member] = {}
        self._free: list[int] = []
        self._covered_by: dict[int, set[int]] = {}  # kept slot -> slots with this cover
        self._kept = _kept(len(self._types), INITIAL_SIZE)
        self._kept_count = 0
        self._position = np.full(INITIAL_SIZE, -1, np.int32)  # slot -> position among the kept boxes, or -1
        self._found = np.empty(max(k, INITIAL_SIZE), np.int32)
        self._sets = _SetRanges()
        self._slots = _box_slots(len(self._types), INITIAL_SIZE, self._sets)

    def __len__(self) -> int:
        return len(self._slot_of)

    def __contains__(self, id_: str) -> bool:
        return id_ in self._slot_of

    @property
    def forwarded(self) -> set[str]:
        """The ids of the forwarded boxes."""
        return {self._member[slot].id for slot in self._kept.slot[: self._kept_count].tolist()}

    def weighted(self) -> dict[str, float]:
        """Return the weight of each forwarded box: itself, and a share of every box that it covers."""
        weights = dict.fromkeys(self._kept.slot[: self._kept_count].tolist(), 1.0)
        for member in self._member.values():
            for slot in member.covers:
                weights[slot] += 1 / len(member.covers)
        return {self._member[slot].id: weight for slot, weight in weights.items()}

    @classmethod
    def of(
        cls, boxes: Iterable[tuple[str, Box, float]], types: Mapping[str, FieldType], k: int, fair: bool = False
    ) -> IncrementalCover:
        """Build the cover of many boxes (id, box, score)."""
        cover = cls(types, k, fair)
        entries = sorted(boxes, key=lambda entry: entry[0])
        cover._ids.add(id_ for id_, _, _ in entries)
        cover._encoder.learn(box for _, box, _ in entries)
        for id_, box, score in entries:
            cover._write(cover._new_slot(id_, box, score))
        count = len(entries)
        coded = CodedBoxes(cover._slots.ranges).take(np.arange(count))
        covers = np.full((count, k), -1, np.int32)
        counts = ancestors(RankedBoxes.by_score(coded, cover._slots.score[:count], fair), k, covers)
        for slot in np.flatnonzero(counts < k).tolist():
            cover._add_kept(slot, int(counts[slot]))
        covered = np.flatnonzero(counts == k)
        spread_covers(cover._slots, fair, cover._kept, cover._kept_count, covered, SPREAD_STEPS, k, covers)
        for slot in covered.tolist():
            cover._set_covers(slot, covers[slot].tolist())
        return cover

    def add(self, id_: str, box: Box, score: float = 0.0) -> CoverChange:
        """Add a box."""
        slot = self._insert(id_, box, score)
        member = self._member[slot]
        found = self._ancestors(slot)
        if len(found) == self._k:
            self._set_covers(slot, found)
            return CoverChange()
        self._add_kept(slot, len(found))
        withdrawn = []
        for below in self._covered(slot):
            other = self._member[below]
            other.ancestors += 1
            if other.ancestors == self._k:
                withdrawn.append(below)
        for below in withdrawn:
            self._remove_kept(below)
        for below in withdrawn:
            self._set_covers(below, self._ancestors(below))
            for watcher in sorted(self._covered_by.pop(below, ())):
                self._find_covers(watcher)
        return CoverChange((member.id,), tuple(self._member[below].id for below in withdrawn))

    def remove(self, id_: str) -> CoverChange:
        """Remove a box. Boxes that are no longer covered are forwarded before it is withdrawn."""
        slot = self._slot_of.pop(id_)
        member = self._member[slot]
        if not member.kept:
            self._clear_covers(slot)
            self._free_slot(slot)
            return CoverChange()
        for below in self._covered(slot):
            self._member[below].ancestors -= 1
        self._remove_kept(slot)
        watchers = self._best_first(self._covered_by.pop(slot, set()))
        self._free_slot(slot)
        forwarded = [self._member[watcher].id for watcher in watchers if not self._find_covers(watcher)]
        return CoverChange(tuple(forwarded), (id_,))

    # Covers

    def _best_first(self, slots: set[int]) -> list[int]:
        """Return slots in an order in which boxes come after those that rank-cover them."""
        if len(slots) < 2:
            return list(slots)
        by_id = np.array(sorted(slots, key=lambda slot: self._member[slot].id))
        boxes = CodedBoxes(self._slots.ranges).take(by_id)
        order = RankedBoxes.by_score(boxes, self._slots.score[by_id], self._fair).order
        return [int(slot) for slot in by_id[order]]

    def _set_covers(self, slot: int, ancestors: list[int]) -> None:
        self._member[slot].covers = ancestors
        for ancestor in ancestors:
            self._covered_by.setdefault(ancestor, set()).add(slot)

    def _clear_covers(self, slot: int) -> None:
        for ancestor in self._member[slot].covers:
            self._covered_by.get(ancestor, set()).discard(slot)
        self._member[slot].covers = []

    def _find_covers(self, slot: int) -> bool:
        """Find covers for a box again, or keep it if there are too few; return whether it stays covered."""
        self._clear_covers(slot)
        found = self._ancestors(slot)
        if len(found) == self._k:
            self._set_covers(slot, found)
            return True
        self._add_kept(slot, len(found))
        return False

    def _ancestors(self, slot: int) -> list[int]:
        kept = self._kept_count
        start = search_start(slot, kept)
        count = find_ancestors(self._slots, self._fair, self._kept, kept, slot, start, kept, self._k, self._found)
        return [int(found) for found in self._found[:count]]

    def _covered(self, slot: int) -> list[int]:
        if len(self._found) < self._kept_count:
            self._found = np.empty(2 * self._kept_count, np.int32)
        count = find_covered(self._slots, self._fair, self._kept, self._kept_count, slot, self._found)
        return [int(found) for found in self._found[:count]]

    # Slots

    def _add_kept(self, slot: int, ancestors: int) -> None:
        member = self._member[slot]
        member.kept, member.ancestors = True, ancestors
        if self._kept_count == len(self._kept.slot):
            old, self._kept = self._kept, _kept(len(self._types), 2 * self._kept_count)
            for before, now in zip(old, self._kept, strict=True):
                now[: len(before)] = before
        self._write_kept(slot, self._kept_count)
        self._kept_count += 1

    def _write_kept(self, slot: int, place: int) -> None:
        self._kept.slot[place] = slot
        self._kept.low[place], self._kept.last[place] = self._slots.ranges.low[slot], self._slots.ranges.last[slot]
        self._position[slot] = place

    def _remove_kept(self, slot: int) -> None:
        self._member[slot].kept = False
        self._kept_count -= 1
        last, place = int(self._kept.slot[self._kept_count]), int(self._position[slot])
        self._position[slot] = -1
        if last != slot:
            self._write_kept(last, place)

    def _new_slot(self, id_: str, box: Box, score: float) -> int:
        """Reserve a slot for a box, without writing it."""
        assert id_ not in self._slot_of, f"{id_} exists already"
        slot = self._free.pop() if self._free else len(self._member)
        if slot == len(self._slots.score):
            self._grow()
        self._slot_of[id_] = slot
        self._member[slot] = _Member(id_, box, score)
        return slot

    def _insert(self, id_: str, box: Box, score: float) -> int:
        slot = self._new_slot(id_, box, score)
        same = self._ids.add([id_])
        if not (self._encoder.learn([box]) and same) or self._sets.wasteful(len(self._slot_of)):
            self._sets = _SetRanges()  # labels have changed: write all boxes again
            self._slots = _box_slots(len(self._types), len(self._slots.score), self._sets)
            for other in self._slot_of.values():
                self._write(other)
            for place in range(self._kept_count):
                self._write_kept(int(self._kept.slot[place]), place)
        else:
            self._write(slot)
        return slot

    def _free_slot(self, slot: int) -> None:
        del self._member[slot]
        self._free.append(slot)

    def _grow(self) -> None:
        room = 2 * len(self._slots.score)
        self._position = np.concatenate([self._position, np.full(room // 2, -1, np.int32)])
        old, self._slots = self._slots, _box_slots(len(self._types), room, self._sets)
        for before, now in zip(old.ranges[:4], self._slots.ranges[:4], strict=True):
            now[: len(before)] = before
        self._slots.score[: room // 2], self._slots.id[: room // 2] = old.score, old.id

    def _write(self, slot: int) -> None:
        member, ranges = self._member[slot], self._slots.ranges
        ranges.low[slot], ranges.last[slot], ranges.missing[slot], ranges.set[slot] = LEAST, MOST, True, NO_SET
        for name, constraint in member.box.constraints:
            at = self._encoder.number[name]
            closed = [self._encoder.closed(name, bounds) for bounds in constraint.ranges]
            ranges.low[slot, at] = closed[0][0] if closed else MOST
            ranges.last[slot, at] = closed[-1][1] if closed else LEAST
            ranges.missing[slot, at] = constraint.missing
            if len(closed) != 1:
                ranges.set[slot, at] = self._sets.add(closed)
        self._slots = self._slots._replace(ranges=self._sets.in_use(ranges))
        self._slots.score[slot] = member.score
        self._slots.id[slot] = self._ids.label(member.id)


class _SetRanges:
    """The ranges of constraints that are sets, with room for more."""

    def __init__(self) -> None:
        self.starts = np.zeros(INITIAL_SIZE, np.int64)
        self.low, self.last = np.zeros(INITIAL_SIZE, np.int64), np.zeros(INITIAL_SIZE, np.int64)
        self.count = 0

    def add(self, closed: list[tuple[int, int]]) -> int:
        """Add a set, and return its number."""
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
        """Return whether many sets belong to removed boxes."""
        return self.count > 16 * (members + INITIAL_SIZE)

    def in_use(self, ranges: CodeRanges) -> CodeRanges:
        """Return ranges with these sets."""
        if ranges.set_starts is self.starts and ranges.set_low is self.low:
            return ranges
        return ranges._replace(set_starts=self.starts, set_low=self.low, set_last=self.last)


def _kept(fields: int, places: int) -> KeptBoxes:
    return KeptBoxes(
        np.empty(places, np.int32), np.empty((places, fields), np.int64), np.empty((places, fields), np.int64)
    )


def _box_slots(fields: int, slots: int, sets: _SetRanges) -> BoxSlots:
    shape = slots, fields
    bounds = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, np.int32)
    return BoxSlots(CodeRanges(*bounds, sets.starts, sets.low, sets.last), np.zeros(slots), np.zeros(slots, np.int64))
