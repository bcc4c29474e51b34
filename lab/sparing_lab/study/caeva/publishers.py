"""The places of publishers, and their changes.

Steady publishers stay where they are for a whole sample. Changing ones go through three phases again and again: many at
brokers with one neighbour, then few next to the center, both making twice as many reports as usual, most of them
redundant; then all over the overlay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.merging.tree import MergeTree
from sparing_lab.study.caeva.grid import CaevaPoint, PublisherPlaces

CLUSTERS = 3
FEW = 4  # publishers next to the center
NEAR = 2  # hops from the active aggregators


@dataclass(frozen=True)
class EventPublishers:
    """The publishers of an event: their brokers, the mean number of reports, and the redundancy."""

    brokers: tuple[int, ...]
    reports: float
    redundancy: float


def publishers_of(point: CaevaPoint, tree: MergeTree, events: int, rng: np.random.Generator) -> list[EventPublishers]:
    """Return the publishers of every event."""
    if point.who is not PublisherPlaces.CHANGING:
        return [EventPublishers(tuple(_steady(point, tree, rng)), point.reports, point.redundancy)] * events
    phases = _phases(point, tree, rng)
    return [phases[number // point.phase % len(phases)] for number in range(events)]


def _steady(point: CaevaPoint, tree: MergeTree, rng: np.random.Generator) -> list[int]:
    brokers = list(tree.brokers)
    if point.who is PublisherPlaces.LOCAL:
        return [brokers[int(rng.integers(len(brokers)))]] * point.publishers
    if point.who is PublisherPlaces.CLUSTERS:
        middles = rng.choice(brokers, CLUSTERS, replace=False).tolist()
        around = [(middle, *tree.neighbours[middle]) for middle in middles]
        return [int(rng.choice(around[number % CLUSTERS])) for number in range(point.publishers)]
    return list(map(int, rng.choice(brokers, point.publishers, replace=False)))


def _phases(point: CaevaPoint, tree: MergeTree, rng: np.random.Generator) -> list[EventPublishers]:
    distance = tree.roles(0).distance
    ends = [b for b in tree.brokers if len(tree.neighbours[b]) == 1]
    near = [b for b in tree.brokers if 0 < distance[b] <= NEAR]
    edge = rng.choice(ends, min(point.publishers, len(ends)), replace=False)
    center = rng.choice(near, FEW)
    apart = rng.choice(tree.brokers, point.publishers, replace=False)
    return [
        EventPublishers(tuple(edge.tolist()), 2 * point.reports, 0.85),
        EventPublishers(tuple(center.tolist()), 2 * point.reports, 0.85),
        EventPublishers(tuple(apart.tolist()), point.reports, 0.5),
    ]
