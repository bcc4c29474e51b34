"""Diversity as a score (topk-covering.txt, appendix A): the sum of the distances to all other matches.

The distance of two boxes is one minus the measure of their intersection over the measure of their union in a field,
averaged over the fields that subscriptions of the topic constrain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled
from sparing.model.box import Box
from sparing.model.measure import spans
from sparing.model.types import FieldType


class Spans(NamedTuple):
    """The intervals that each box admits in each field, concatenated."""

    fields: int
    starts: np.ndarray  # [box * fields + field]
    low: np.ndarray
    high: np.ndarray


def spans_of(boxes: Sequence[Box], fields: Sequence[str], types: Mapping[str, FieldType]) -> Spans:
    """Return the intervals of several boxes."""
    found = [spans(box.on(field), types[field]) for box in boxes for field in fields]
    flat = [stretch for stretches in found for stretch in stretches]
    starts = np.cumsum([0, *map(len, found)])
    low, high = (np.array([stretch[end] for stretch in flat], dtype=np.float64) for end in (0, 1))
    return Spans(len(fields), starts, low, high)


@compiled
def distance(spans, one, other):
    """Return the distance of two boxes: 0 if they are equal, 1 if they are disjoint."""
    total = 0.0
    for field in range(spans.fields):
        i, mine = spans.starts[one * spans.fields + field], spans.starts[one * spans.fields + field + 1]
        j, theirs = spans.starts[other * spans.fields + field], spans.starts[other * spans.fields + field + 1]
        either = common = 0.0
        for at in range(i, mine):
            either += spans.high[at] - spans.low[at]
        for at in range(j, theirs):
            either += spans.high[at] - spans.low[at]
        while i < mine and j < theirs:
            common += max(min(spans.high[i], spans.high[j]) - max(spans.low[i], spans.low[j]), 0.0)
            if spans.high[i] < spans.high[j]:
                i += 1
            else:
                j += 1
        either -= common
        if either > 0.0:
            total += 1.0 - common / either
    return total / max(spans.fields, 1)


@compiled
def diversities(picked, starts, subscriptions, spans, scores):
    """Write the score of every match of the picked rows."""
    for row in picked:
        for i in range(starts[row], starts[row + 1]):
            scores[i] = 0.0
        for i in range(starts[row], starts[row + 1]):
            for j in range(i + 1, starts[row + 1]):
                apart = distance(spans, subscriptions[i], subscriptions[j])
                scores[i] += apart
                scores[j] += apart
