"""MEFA for few subscriptions: all pairs of clusters that share a link are candidates, and nothing is compiled.

Costs of clusters are remembered, so a round only computes the pairs of the cluster that is new.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import NamedTuple

import numpy as np

from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.weighing import Cluster, Weighing

ROUNDING = 1e-9


class _Plan(NamedTuple):
    clusters: list[Cluster]  # by lowest members
    benefit: int
    cost: float


class _Pair(NamedTuple):
    """Two clusters by their places in the plan. Pairs are compared in this order: the least is the best."""

    key: float
    lost: int  # the benefit, negative
    one: int
    two: int
    more: float  # incremental cost


def all_pairs(problem: Problem, theta: float, delta: float = 0.0, first: np.ndarray | None = None) -> Folds:
    """Clusters by the rules of `mefa`, without polishing and without rivals' plans."""
    pairs = _Pairs(Weighing(problem))
    plan = pairs.start(np.arange(len(problem)) if first is None else first)
    while plan.benefit < theta and (best := pairs.most_efficient(plan)) is not None and -best.key > delta:
        plan = _joined(plan, best)
    cheapest = onward = lowered = plan
    while (best := pairs.most_efficient(onward)) is not None:
        onward = _joined(onward, best)
        if onward.cost <= cheapest.cost + ROUNDING * max(cheapest.cost, 1.0):
            cheapest = onward
    while (best := pairs.lowering_most(lowered)) is not None:
        lowered = _joined(lowered, best)
    return pairs.folds(min(cheapest, lowered, key=lambda found: found.cost), len(problem))


def _joined(plan: _Plan, pair: _Pair) -> _Plan:
    """The plan after a join; the joined cluster keeps the place of the one with the lowest member."""
    clusters = plan.clusters
    joined = clusters[pair.one] | clusters[pair.two]
    rest = [*clusters[: pair.one], joined, *clusters[pair.one + 1 : pair.two], *clusters[pair.two + 1 :]]
    return _Plan(rest, plan.benefit - pair.lost, plan.cost + pair.more)


class _Pairs:
    """Pairs of clusters and what they are worth."""

    def __init__(self, weighing: Weighing) -> None:
        self._weighing = weighing
        self._worth = cache(self._compute_worth)

    def start(self, first: np.ndarray) -> _Plan:
        """The plan before the first join."""
        links = self._weighing.links
        clusters = self._weighing.folded(first)
        alone = sum(links(frozenset([member])).bit_count() for cluster in clusters for member in cluster)
        told = sum(links(cluster).bit_count() for cluster in clusters)
        return _Plan(clusters, alone - told, float(sum(map(self._weighing.cost, clusters))))

    def most_efficient(self, plan: _Plan) -> _Pair | None:
        """The pair with the largest benefit for its incremental cost."""
        found = (
            _Pair(-inf if more <= 0 else lost / more, lost, one, two, more)
            for one, two, lost, more in self._sharing(plan)
        )
        return min(found, default=None)

    def lowering_most(self, plan: _Plan) -> _Pair | None:
        """The pair that lowers the cost most, if any lowers it."""
        found = (_Pair(more, lost, one, two, more) for one, two, lost, more in self._sharing(plan) if more < 0)
        return min(found, default=None)

    def folds(self, plan: _Plan, count: int) -> Folds:
        """The plan's clusters as `Folds`, with the cost computed without rounding errors of increments."""
        of = np.empty(count, dtype=np.int64)
        for cluster in plan.clusters:
            of[list(cluster)] = min(cluster)
        return Folds(of, plan.benefit, float(sum(map(self._weighing.cost, plan.clusters))))

    def _sharing(self, plan: _Plan) -> list[tuple[int, int, int, float]]:
        """Pairs that share a link: their places, the benefit (negative) and the incremental cost."""
        clusters = plan.clusters
        return [
            (at, later, *worth)
            for at, one in enumerate(clusters)
            for later in range(at + 1, len(clusters))
            if (worth := self._worth(one, clusters[later])) is not None
        ]

    def _compute_worth(self, one: Cluster, other: Cluster) -> tuple[int, float] | None:
        links, cost = self._weighing.links, self._weighing.cost
        benefit = (links(one) & links(other)).bit_count()
        return (-benefit, cost(one | other) - cost(one) - cost(other)) if benefit else None
