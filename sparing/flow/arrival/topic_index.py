"""The index of one topic's subscriptions, updated in place when the plan changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.arrival.pairs import Pairs
from sparing.match.columns import Column
from sparing.match.index import Index
from sparing.model.box import Box
from sparing.model.types import FieldType

MOST_CHANGED = 1 / 8  # share of changed subscriptions up to which updating is cheaper than rebuilding


class TopicIndex:
    """Finds the subscriptions that publications match, as numbers of the plan."""

    def __init__(self, plan: Plan, topic: str, before: TopicIndex | None = None) -> None:
        """Build the index, or update that of an earlier plan if little has changed; `before` is unusable afterwards."""
        self._boxes = {
            plan.subscriptions[number].id: plan.subscriptions[number].query.box for number in plan.by_topic[topic]
        }
        fields = plan.topics[topic].fields
        taken_over = before.changed_to(self._boxes) if before is not None else None
        self._index = taken_over or Index.of_boxes(fields, list(self._boxes.values()), list(self._boxes))
        self._number = np.full(self._index.numbers, -1, dtype=np.int32)
        at = [self._index.number_of(id_) for id_ in self._boxes]
        self._number[at] = plan.by_topic[topic]
        self._same = bool((self._number == np.arange(len(self._number))).all())

    def changed_to(self, boxes: Mapping[str, Box]) -> Index | None:
        """Update the index to other subscriptions and return it; None if too many have changed."""
        removed = [id_ for id_, box in self._boxes.items() if boxes.get(id_) != box]
        new = [id_ for id_, box in boxes.items() if self._boxes.get(id_) != box]
        if len(removed) + len(new) > MOST_CHANGED * len(boxes):
            return None
        for id_ in removed:
            self._index.remove(id_)
        for id_ in new:
            self._index.insert(id_, boxes[id_])
        return self._index

    @property
    def fields(self) -> dict[str, FieldType]:
        """The types of the topic's fields."""
        return self._index.fields

    def match(self, columns: Mapping[str, Column], rows: int, pairs: int) -> Iterator[Pairs]:
        """Return the matches in parts; all matches of a row are in one part."""
        for found in self._index.slice_columns(columns, rows, pairs):
            numbers = found.numbers if self._same else self._number[found.numbers]
            yield Pairs(found.events, found.starts, numbers)
