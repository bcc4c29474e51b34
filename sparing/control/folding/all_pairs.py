"""MEFA for few subscriptions, not compiled: all pairs of clusters that share a link are candidates.

Costs of clusters are cached, so a round computes only the pairs of the new cluster.
"""

from __future__ import annotations

from functools import cache
from math import inf
from typing import NamedTuple

import numpy as np

from sparing.control.folding.cluster_costs import Cluster, ClusterCosts
from sparing.control.folding.problem import Folds, Problem

ROUNDING = 1e-9


class _Plan(NamedTuple):
    clusters: list[Cluster]  # by lowest members
    benefit: int
    cost: float


class _Pair(NamedTuple):
    """Two clusters by their positions in the plan. Pairs are compared by these fields; the least is the best."""

    key: float
    lost: int  # the benefit, negative
    one: int
    two: int
    more: float  # incremental cost


def all_pairs(problem: Problem, theta: float, delta: float = 0.0, first: np.ndarray | None = None) -> Folds:
    """Return clusters by the rules of `mefa`, without local search and without the plans of AA and SPA."""
    pairs = _Pairs(ClusterCosts(problem))
    plan = pairs.start(np.arange(len(problem)) if first is None else first)
    while plan.benefit < theta and (best := pairs.most_efficient(plan)) is not None and -best.key > delta:
        plan = _joined(plan, best)
    cheapest = joined_all = lowered = plan
    while (best := pairs.most_efficient(joined_all)) is not None:
        joined_all = _joined(joined_all, best)
        if joined_all.cost <= cheapest.cost + ROUNDING * max(cheapest.cost, 1.0):
            cheapest = joined_all
    while (best := pairs.lowering_most(lowered)) is not None:
        lowered = _joined(lowered, best)
    return pairs.folds(min(cheapest, lowered, key=lambda found: found.cost), len(problem))


def _joined(plan: _Plan, pair: _Pair) -> _Plan:
    """Return the plan after a join; the joined cluster has the position of the one with the lowest member."""
    clusters = plan.clusters
    joined = clusters[pair.one] | clusters[pair.two]
    rest = [*clusters[: pair.one], joined, *clusters[pair.one + 1 : pair.two], *clusters[pair.two + 1 :]]
    return _Plan(rest, plan.benefit - pair.lost, plan.cost + pair.more)


class _Pairs:
    """Pairs of clusters, with cached benefits and costs."""

    def __init__(self, cluster_costs: ClusterCosts) -> None:
        self._cluster_costs = cluster_costs
        self._evaluate = cache(self._compute)

    def start(self, first: np.ndarray) -> _Plan:
        """Return the plan before the first join."""
        links = self._cluster_costs.links
        clusters = self._cluster_costs.folded(first)
        alone = sum(links(frozenset([member])).bit_count() for cluster in clusters for member in cluster)
        folded = sum(links(cluster).bit_count() for cluster in clusters)
        return _Plan(clusters, alone - folded, float(sum(map(self._cluster_costs.cost, clusters))))

    def most_efficient(self, plan: _Plan) -> _Pair | None:
        """Return the pair with the largest benefit per incremental cost."""
        found = (
            _Pair(-inf if more <= 0 else lost / more, lost, one, two, more)
            for one, two, lost, more in self._sharing(plan)
        )
        return min(found, default=None)

    def lowering_most(self, plan: _Plan) -> _Pair | None:
        """Return the pair that lowers the cost most, None if none lowers it."""
        found = (_Pair(more, lost, one, two, more) for one, two, lost, more in self._sharing(plan) if more < 0)
        return min(found, default=None)

    def folds(self, plan: _Plan, count: int) -> Folds:
        """Return the plan's clusters as `Folds`, with the cost computed without rounding errors of increments."""
        of = np.empty(count, dtype=np.int64)
        for cluster in plan.clusters:
            of[list(cluster)] = min(cluster)
        return Folds(of, plan.benefit, float(sum(map(self._cluster_costs.cost, plan.clusters))))

    def _sharing(self, plan: _Plan) -> list[tuple[int, int, int, float]]:
        """Return the pairs that share a link: positions, benefit (negative) and incremental cost."""
        clusters = plan.clusters
        return [
            (at, later, *added)
            for at, one in enumerate(clusters)
            for later in range(at + 1, len(clusters))
            if (added := self._evaluate(one, clusters[later])) is not None
        ]

    def _compute(self, one: Cluster, other: Cluster) -> tuple[int, float] | None:
        links, cost = self._cluster_costs.links, self._cluster_costs.cost
        benefit = (links(one) & links(other)).bit_count()
        return (-benefit, cost(one | other) - cost(one) - cost(other)) if benefit else None
