"""The slow and obvious covering, to judge the fast one: every pair of boxes is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparing.model.box import Box
from tests.judges.boxes import contains

Above = Callable[[int, int], bool]


def rank_covers(boxes: Sequence[Box], above: Above) -> list[list[int]]:
    """For each box the others that rank-cover it: they contain it and rank above it."""
    numbers = range(len(boxes))
    return [[a for a in numbers if a != b and contains(boxes[a], boxes[b]) and above(a, b)] for b in numbers]


def ancestors(boxes: Sequence[Box], above: Above) -> list[int]:
    """How many others rank-cover each box."""
    return [len(found) for found in rank_covers(boxes, above)]


def depths(boxes: Sequence[Box], above: Above) -> list[int]:
    """The length of the longest chain of rank-covering boxes that ends in each."""
    covering = rank_covers(boxes, above)
    known: dict[int, int] = {}

    def depth(box: int) -> int:
        if box not in known:
            known[box] = 1 + max((depth(other) for other in covering[box]), default=0)
        return known[box]

    return [depth(box) for box in range(len(boxes))]


def by_score(boxes: Sequence[Box], scores: Sequence[float], fair: bool = False) -> Above:
    """Higher scores first; among equal ones the lower number, or if fair containing boxes and then the lower number."""

    def above(a: int, b: int) -> bool:
        if scores[a] != scores[b]:
            return scores[a] > scores[b]
        return a < b or (fair and not contains(boxes[b], boxes[a]))

    return above
