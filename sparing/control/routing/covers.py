"""Covers that brokers keep up to date: the known subscriptions of one matching set, and those forwarded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from sparing.control.covering.incremental import CoverChange, IncrementalCover
from sparing.control.covering.matching_set import MatchingSet
from sparing.model.box import Box
from sparing.model.policy import Covering
from sparing.model.subscription import Subscription
from sparing.model.types import FieldType


class Cover(Protocol):
    """The subscriptions of one matching set that a broker knows, and those that it forwards."""

    def add(self, number: int) -> CoverChange:
        """Add a subscription."""

    def remove(self, number: int) -> CoverChange:
        """Remove a subscription."""

    def forwarded(self) -> set[str]:
        """Return the ids of the subscriptions that the broker forwards."""


class _IncrementalCover:
    """A cover that is updated incrementally."""

    def __init__(
        self,
        matching_set: MatchingSet,
        subscriptions: Sequence[Subscription],
        types: dict[str, FieldType],
        numbers: Iterable[int],
        clipped: dict[int, Box],
    ) -> None:
        self._matching_set, self._subscriptions, self._clipped = matching_set, subscriptions, clipped
        entries = [self._entry(number) for number in numbers]
        regular = matching_set.method is Covering.REGULAR
        self._cover = IncrementalCover.of(entries, types, matching_set.k, regular or matching_set.fair)

    def _entry(self, number: int) -> tuple[str, Box, float]:
        subscription = self._subscriptions[number]
        box = self._clipped.get(number) or subscription.query.box.intersect(self._matching_set.advertisement.box)
        assert box is not None
        self._clipped[number] = box
        scores = self._matching_set.scores
        if scores is None:
            return subscription.id, box, 0.0
        return subscription.id, box, float(scores[int(np.searchsorted(self._matching_set.numbers, number))])

    def add(self, number: int) -> CoverChange:
        return self._cover.add(*self._entry(number))

    def remove(self, number: int) -> CoverChange:
        return self._cover.remove(self._subscriptions[number].id)

    def forwarded(self) -> set[str]:
        return self._cover.forwarded


class _RecomputedCover:
    """A cover that is recomputed after every change, for coverings without an incremental algorithm."""

    def __init__(
        self, matching_set: MatchingSet, subscriptions: Sequence[Subscription], numbers: Iterable[int]
    ) -> None:
        self._matching_set, self._subscriptions = matching_set, subscriptions
        self._known = set(numbers)
        self._forwarded = self._all_forwarded()

    def _all_forwarded(self) -> set[int]:
        numbers = self._matching_set.numbers
        places = np.searchsorted(numbers, np.array(sorted(self._known), numbers.dtype))
        return set(numbers[self._matching_set.forwarded(places)].tolist())

    def add(self, number: int) -> CoverChange:
        self._known.add(number)
        return self._change()

    def remove(self, number: int) -> CoverChange:
        self._known.discard(number)
        return self._change()

    def _change(self) -> CoverChange:
        before, self._forwarded = self._forwarded, self._all_forwarded()
        return CoverChange(self._ids(self._forwarded - before), self._ids(before - self._forwarded))

    def forwarded(self) -> set[str]:
        return set(self._ids(self._forwarded))

    def _ids(self, numbers: set[int]) -> tuple[str, ...]:
        return tuple(self._subscriptions[number].id for number in sorted(numbers))


def cover_of(
    matching_set: MatchingSet,
    subscriptions: Sequence[Subscription],
    types: dict[str, FieldType],
    numbers: Iterable[int],
    clipped: dict[int, Box],
) -> Cover:
    """Return the cover of subscriptions, incremental if the covering method allows it.

    `clipped` caches the intersections of subscriptions' boxes with the advertised box; it is extended.
    """
    static = matching_set.method is Covering.REGULAR or matching_set.scores is not None
    if static and matching_set.method in (Covering.REGULAR, Covering.ANCESTOR):
        return _IncrementalCover(matching_set, subscriptions, types, numbers, clipped)
    return _RecomputedCover(matching_set, subscriptions, numbers)
