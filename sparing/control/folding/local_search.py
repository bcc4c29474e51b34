"""Local search: move single subscriptions between clusters, and join clusters, while that lowers the cost.

Greedy joins are never undone, so a subscription may be in a cluster that was cheap only at first. Every step makes the
change that lowers the cost most and keeps the benefit; it ends because the cost falls. Every step tries all changes, so
this is for few subscriptions only. Members of a cluster always share links.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.control.folding.cluster_costs import Cluster, ClusterCosts
from sparing.control.folding.problem import Folds, Problem

Change = tuple[tuple[Cluster, ...], tuple[Cluster, ...]]  # the removed clusters, and those that replace them
LEAST = 1e-9  # relative decrease of the cost; smaller ones may be rounding errors


def local_search(problem: Problem, folds: Folds, theta: float) -> Folds:
    """Return clusters of at most the same cost that save theta, or as much as before if that is less."""
    cluster_costs = ClusterCosts(problem)
    costs = cluster_costs.cost
    clusters, benefit, whole = set(cluster_costs.folded(folds.of)), folds.benefit, folds.cost

    def links(cluster: Cluster) -> int:
        return cluster_costs.links(cluster).bit_count()

    def effect(change: Change) -> tuple[float, int]:
        """Return the cost and the benefit that a change adds."""
        removed, added = change
        more = sum(map(costs, added)) - sum(map(costs, removed))
        return more, sum(map(links, removed)) - sum(map(links, added))

    least = min(theta, benefit)
    while True:
        found = [(*effect(change), _order(change), change) for change in _changes(cluster_costs, clusters)]
        good = [one for one in found if one[0] < -LEAST * max(whole, 1.0) and benefit + one[1] >= least]
        if not good:
            break
        more, gained, _, (removed, added) = min(good, key=lambda one: one[:3])
        clusters = clusters.difference(removed).union(added)
        whole, benefit = whole + more, benefit + gained
    of = np.empty(len(problem), dtype=folds.of.dtype)
    for cluster in clusters:
        of[list(cluster)] = min(cluster)
    return Folds(of, benefit, float(sum(map(costs, clusters))))


def _changes(cluster_costs: ClusterCosts, clusters: set[Cluster]) -> Iterator[Change]:
    ordered = sorted(clusters, key=min)
    for at, one in enumerate(ordered):
        for other in ordered[at + 1 :]:
            if cluster_costs.share(one, other):
                yield (one, other), (one | other,)
        for member in sorted(one) if len(one) > 1 else ():
            alone, rest = frozenset([member]), one - {member}
            if not cluster_costs.connected(rest):
                continue
            yield (one,), (rest, alone)
            for other in ordered:
                if other is not one and len(other) > 1 and cluster_costs.share(alone, other):
                    yield (one, other), (rest, other | alone)


def _order(change: Change) -> list[list[int]]:
    return [sorted(cluster) for cluster in change[1]]
