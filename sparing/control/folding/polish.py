"""Polishing: move single subscriptions between clusters, and join clusters, while that lowers the cost.

Greedy joins are never undone, so a subscription may sit where it was cheap early on. Every step takes the change that
lowers the cost most and leaves the benefit at what was asked for; each lowers the cost, so this ends. All changes are
looked at in every step, which is for few subscriptions only. Members of a cluster go on to share links.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.weighing import Cluster, Weighing

Change = tuple[tuple[Cluster, ...], tuple[Cluster, ...]]  # the clusters that go, and those that come instead
LEAST = 1e-9  # of the cost, below which a change is a matter of rounding


def polished(problem: Problem, folds: Folds, theta: float) -> Folds:
    """Clusters that cost no more and save theta, or as much as before if that is less."""
    weighing = Weighing(problem)
    costs = weighing.cost
    clusters, benefit, whole = set(weighing.folded(folds.of)), folds.benefit, folds.cost

    def links(cluster: Cluster) -> int:
        return weighing.links(cluster).bit_count()

    def weighed(change: Change) -> tuple[float, int]:
        """How much a change adds to the cost, and to the benefit."""
        goes, comes = change
        more = sum(map(costs, comes)) - sum(map(costs, goes))
        return more, sum(map(links, goes)) - sum(map(links, comes))

    least = min(theta, benefit)
    while True:
        found = [(*weighed(change), _order(change), change) for change in _changes(weighing, clusters)]
        good = [one for one in found if one[0] < -LEAST * max(whole, 1.0) and benefit + one[1] >= least]
        if not good:
            break
        more, gained, _, (goes, comes) = min(good, key=lambda one: one[:3])
        clusters = clusters.difference(goes).union(comes)
        whole, benefit = whole + more, benefit + gained
    of = np.empty(len(problem), dtype=folds.of.dtype)
    for cluster in clusters:
        of[list(cluster)] = min(cluster)
    return Folds(of, benefit, float(sum(map(costs, clusters))))


def _changes(weighing: Weighing, clusters: set[Cluster]) -> Iterator[Change]:
    ordered = sorted(clusters, key=min)
    for at, one in enumerate(ordered):
        for other in ordered[at + 1 :]:
            if weighing.share(one, other):
                yield (one, other), (one | other,)
        for member in sorted(one) if len(one) > 1 else ():
            alone, rest = frozenset([member]), one - {member}
            if not weighing.connected(rest):
                continue
            yield (one,), (rest, alone)
            for other in ordered:
                if other is not one and len(other) > 1 and weighing.share(alone, other):
                    yield (one, other), (rest, other | alone)


def _order(change: Change) -> list[list[int]]:
    return [sorted(cluster) for cluster in change[1]]
