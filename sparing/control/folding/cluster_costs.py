"""Cached costs of clusters of few subscriptions; `measures` has the same without cache, for tests."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sparing.control.folding.measures import unique
from sparing.control.folding.problem import NO_PATH, Problem

Cluster = frozenset[int]


class ClusterCosts:
    """Costs and links of clusters of a problem, each computed once."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._costs: dict[Cluster, float] = {}
        self._links: dict[Cluster, int] = {}
        self._member_links = [
            sum(int(word) << 64 * at for at, word in enumerate(row)) for row in problem.links.tolist()
        ]

    def cost(self, cluster: Cluster) -> float:
        """Return unique range times delay; 0 for a single subscription."""
        if cluster not in self._costs:
            self._costs[cluster] = self._unique(cluster) * self._delay(cluster) if len(cluster) > 1 else 0.0
        return self._costs[cluster]

    def links(self, cluster: Cluster) -> int:
        """Return the links over which some member is forwarded, as bits."""
        if cluster not in self._links:
            bits = 0
            for member in cluster:
                bits |= self._member_links[member]
            self._links[cluster] = bits
        return self._links[cluster]

    def share(self, one: Cluster, other: Cluster) -> bool:
        """Return whether members of both clusters are forwarded over a common link."""
        return bool(self.links(one) & self.links(other))

    def connected(self, cluster: Cluster) -> bool:
        """Return whether all members share links, directly or through other members."""
        start, *left = cluster
        reached = self._member_links[start]
        while near := [member for member in left if self._member_links[member] & reached]:
            left = [member for member in left if not self._member_links[member] & reached]
            for member in near:
                reached |= self._member_links[member]
        return not left

    def folded(self, names: np.ndarray) -> list[Cluster]:
        """Return the clusters, given for every subscription the name of its cluster."""
        return [frozenset(np.flatnonzero(names == name).tolist()) for name in np.unique(names).tolist()]

    @cached_property
    def _intervals(self) -> list[list[tuple[float, float]]] | None:
        """Subscription -> bounds of its ranges; None in several dimensions."""
        problem = self._problem
        if problem.low.shape[1] != 1:
            return None
        ends = list(zip(problem.low[:, 0].tolist(), problem.high[:, 0].tolist(), strict=True))
        return [ends[problem.starts[n] : problem.starts[n + 1]] for n in range(len(problem))]

    def _unique(self, cluster: Cluster) -> float:
        if self._intervals is None:
            return unique(self._problem, cluster)
        bounds = [
            (end, step) for n in cluster for low, high in self._intervals[n] for end, step in ((low, 1), (high, -1))
        ]
        bounds.sort()
        found, depth, before = 0.0, 0, 0.0
        for at, step in bounds:
            if depth == 1:
                found += at - before
            depth, before = depth + step, at
        return found

    @cached_property
    def _paths(self) -> list[list[tuple[int, int]]]:
        """For each publishers' broker, subscription -> the brokers on its path, as bits, and its hops."""
        found = []
        for towards in self._problem.towards.tolist():
            paths: dict[int, tuple[int, int]] = {}
            for home in set(self._problem.home.tolist()):
                at, bits, hops = home, 0, 0
                while at != NO_PATH:
                    bits |= 1 << at
                    if towards[at] == at:
                        break
                    at, hops = towards[at], hops + 1
                paths[home] = (0, 0) if at == NO_PATH else (bits, hops)
            found.append([paths[home] for home in self._problem.home.tolist()])
        return found

    def _delay(self, cluster: Cluster) -> int:
        """Return the delay: the brokers common to all paths form one path, which starts where the cluster is folded."""
        most = 0
        for paths in self._paths:
            shared, deepest = -1, 0
            for member in cluster:
                bits, hops = paths[member]
                if bits:
                    shared &= bits
                    deepest = max(deepest, hops)
            if shared > 0:
                most = max(most, deepest - shared.bit_count() + 1)
        return 1 + most
