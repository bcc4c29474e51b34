"""The least cost of small problems by exhaustive search, to judge greedy methods."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.measures import cost
from sparing.control.folding.problem import Folds, Problem, counted
from sparing.model.errors import SparingError

MOST = 10  # subscriptions; ten have 115,975 partitions


def exact(problem: Problem, theta: float) -> Folds:
    """Return the cheapest partition with a benefit of at least theta; of equal ones, the one with the most benefit.

    Members of a cluster share links, directly or through other members. If theta cannot be reached, the possible
    benefit is required.

    >>> exact(Problem.on_tree([0, 0], [1, 1, 1], [(0, 10), (10, 20), (0, 20)]), theta=1)
    Folds(of=array([0, 0, 0]), benefit=2, cost=0.0)
    """
    if len(problem) > MOST:
        raise SparingError(f"The least cost is found by trying all partitions, for up to {MOST} subscriptions.")
    subsets = [[member for member in range(len(problem)) if mask >> member & 1] for mask in range(1 << len(problem))]
    costs = [cost(problem, members) for members in subsets]
    links = [int(counted(np.bitwise_or.reduce(problem.links[members], axis=0, initial=0)).sum()) for members in subsets]
    allowed = [_connected(problem, members) for members in subsets]
    alone = int(counted(problem.links).sum())
    wanted = min(theta, problem.possible())
    best: tuple[float, int, list[int]] | None = None

    def part(left: int, clusters: list[int], spent: float, entries: int) -> None:
        """Try every cluster for the lowest remaining subscription."""
        nonlocal best
        if best is not None and (spent, entries) >= best[:2]:  # both only grow
            return
        if not left:
            if alone - entries >= wanted:
                best = spent, entries, clusters
            return
        lowest = left & -left
        others = joined = left ^ lowest
        while True:
            cluster = lowest | joined
            if allowed[cluster]:
                part(left ^ cluster, [*clusters, cluster], spent + costs[cluster], entries + links[cluster])
            if not joined:
                return
            joined = (joined - 1) & others

    part((1 << len(problem)) - 1, [], 0.0, 0)
    of = np.arange(len(problem))
    for cluster in best[2] if best is not None else []:
        of[subsets[cluster]] = subsets[cluster][0]
    spent, entries = best[:2] if best is not None else (0.0, 0)
    return Folds(of, alone - entries, spent)


def _connected(problem: Problem, members: list[int]) -> bool:
    """Return whether links shared by two members connect all members."""
    left, reached = members[1:], np.bitwise_or.reduce(problem.links[members[:1]], axis=0, initial=0)
    while near := [member for member in left if (problem.links[member] & reached).any()]:
        left = [member for member in left if member not in near]
        reached = np.bitwise_or.reduce(problem.links[near], axis=0, initial=0) | reached
    return not left
