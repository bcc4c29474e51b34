"""MEFA for few subscriptions: all pairs of clusters are candidates, and nothing is compiled.

What pairs cost is remembered, so that a round only works out those of the cluster that is new.
"""

from __future__ import annotations

from functools import cache
from math import inf

import numpy as np

from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.weighing import Cluster, Weighing

ROUNDING = 1e-9


def all_pairs(problem: Problem, theta: float, delta: float = 0.0, first: np.ndarray | None = None) -> Folds:
    """Clusters by the rules of `mefa`, without polishing. Who is told over no link stays alone."""
    weighing = Weighing(problem)
    costs, links = weighing.cost, weighing.links

    @cache
    def key(one: Cluster, other: Cluster) -> tuple[float, int] | None:
        """How good it is to join two clusters (less is better), None if it is not to be thought of."""
        benefit = (links(one) & links(other)).bit_count()
        more = costs(one | other) - costs(one) - costs(other)
        if not links(one) or not links(other) or (not benefit and more >= 0):
            return None
        return -inf if more <= 0 else -benefit / more, -benefit

    start = np.arange(len(problem)) if first is None else first
    clusters = weighing.folded(start)
    benefit = sum(links(frozenset([n])).bit_count() for n in range(len(problem)))
    benefit -= sum(links(cluster).bit_count() for cluster in clusters)
    total, enough = float(sum(map(costs, clusters))), False
    best: tuple[float, list[Cluster], int] | None = None
    while True:
        pairs = [
            (found, at, later)
            for at, one in enumerate(clusters)
            for later, other in enumerate(clusters[at + 1 :], at + 1)
            if (found := key(one, other)) is not None
        ]
        (ratio, lost), at, later = min(pairs, default=((0.0, 0), 0, 0))
        enough = enough or benefit >= theta or -ratio <= delta
        if enough and (best is None or total <= best[0] + ROUNDING * max(best[0], 1.0)):
            best = total, clusters, benefit
        if not pairs:
            break
        joined = clusters[at] | clusters[later]  # keeps the place of the one with the lowest member
        total += costs(joined) - costs(clusters[at]) - costs(clusters[later])
        benefit -= lost
        clusters = [*clusters[:at], joined, *clusters[at + 1 : later], *clusters[later + 1 :]]
    assert best is not None
    of = np.empty(len(problem), dtype=np.int64)
    for cluster in best[1]:
        of[list(cluster)] = min(cluster)
    return Folds(of, best[2], float(sum(map(costs, best[1]))))
