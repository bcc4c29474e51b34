"""MEFA, the Most-Efficient-First Algorithm.

Join the two clusters with the largest benefit for their incremental cost, over and over, until the benefit is theta or
no ratio is above delta. Only clusters that share a link are joined: others save nothing together, and a member in
another subtree does not cover what a leaving one leaves on the link.

The slides stop there. But incremental costs can fall (three ranges that cost 10 in any pair may cost nothing together),
so joining goes on, in two ways, and the cheaper plan is kept:

- in the order of efficiency until nothing is left to join, keeping the cheapest clusters on the way;
- by the pair that lowers the cost most, while there is one. This is the printed algorithm (`literal`), so MEFA never
  costs more than that, as far as all pairs are candidates.

Joins are never undone by that, so plans of few subscriptions are polished.

All pairs are candidates among few subscriptions (`all_pairs`; `joining` in three dimensions and more). Among many, the
candidates are neighbours in the order of ranges on some link (`candidates`). They wait in a heap, and a join only
computes the pairs of the new cluster again (`kernels.greedy`). Where the plan of a rival (`aa`, `spa`) is cheaper, as
where most ranges overlap, it is taken.

Source: slides "Most-Efficient-First Algorithm (MEFA)"; benefit counts links on which an entry is really saved.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.all_pairs import all_pairs
from sparing.control.folding.joining import Joining, Joins
from sparing.control.folding.kernels.greedy import EFFICIENT, LOWERING
from sparing.control.folding.polish import polished
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa

FEW = 100  # subscriptions, among which all pairs are candidates
MANY = 4096  # subscriptions; with more and several dimensions, past theta only joins that lower the cost are made
MOST_SIMILAR = 20_000  # subscriptions; with more, SPA's plan is not tried
ANY = -1.0  # below all similarities


def mefa(problem: Problem, theta: float, delta: float = 0.0, first: np.ndarray | None = None) -> Folds:
    """Clusters that save theta, or what is possible, at a low cost; with delta, as far as ratios are above it.

    `first` says for every subscription the lowest number in the cluster it starts in; these are kept together.

    In several dimensions, a cluster that has been cut to very many boxes (`kernels.greedy.MOST_PIECES`) is joined no
    further, and theta may not be reached.

    >>> mefa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=3)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    flat, theta = problem.low.shape[1] <= 2, min(theta, problem.possible())
    few = len(problem) <= FEW
    if few and flat:
        found = all_pairs(problem, theta, delta, first)
        return found if first is not None else _polished(problem, found, theta)
    found = joined(problem, theta, delta, first, len(problem) if few else None)
    if first is not None or found.benefit < theta:
        return found
    rivals = [aa(problem, theta, ANY)] if flat else []
    rivals += [spa(problem, theta, ANY)] if len(problem) <= MOST_SIMILAR else []
    return min([found, *(rival for rival in rivals if rival.benefit >= theta)], key=lambda folds: folds.cost)


def _polished(problem: Problem, found: Folds, theta: float) -> Folds:
    """The best of what polishing makes of three plans: of greedy joins, of the cheapest that save all, and of AA."""
    if found.benefit < theta:
        return polished(problem, found, theta)
    plans = [found, all_pairs(problem, problem.possible()), aa(problem, theta, ANY)]
    return min((polished(problem, plan, theta) for plan in plans), key=lambda folds: folds.cost)


def joined(
    problem: Problem,
    theta: float,
    delta: float = 0.0,
    first: np.ndarray | None = None,
    neighbours: int | None = None,
) -> Folds:
    """Clusters among many subscriptions. `neighbours` are the candidates of each on a link, in each order of ranges."""
    joining = Joining(problem, first, neighbours)
    joining.join(EFFICIENT, theta, delta)
    lowered = joining.copy().join(LOWERING, np.inf, -np.inf).folds()
    if problem.low.shape[1] > 1 and len(problem) > MANY:
        return lowered
    onward = joining.join(EFFICIENT, np.inf, -np.inf)
    return min(onward.folds(_cheapest(onward)), lowered, key=lambda folds: folds.cost)


def _cheapest(joins: Joins) -> int:
    """After how many joins the cost is least; of equals, the most joins."""
    costs = joins.costs()
    cheapest = np.flatnonzero(costs <= costs.min() + 1e-9 * max(float(np.abs(costs).max()), 1.0))
    return int(cheapest[-1])
