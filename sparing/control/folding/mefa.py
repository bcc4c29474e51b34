"""MEFA, the Most-Efficient-First Algorithm.

Join the two clusters with the largest benefit for their incremental cost, over and over, until the benefit is theta or
no ratio is above delta. Only clusters that share a link are joined: others save nothing together, and a member in
another subtree does not cover what a leaving one leaves on the link.

The slides stop there. But incremental costs can fall (three ranges that cost 10 in any pair may cost nothing together),
so joining continues in two ways, and the cheaper plan is kept:

- in the order of efficiency until no pair is left; the cheapest clusters on the way are kept;
- by the pair that lowers the cost most, while there is one. This is the printed algorithm, so MEFA never costs more
  than that if all pairs are candidates.

Greedy joins are never undone, so plans of few subscriptions are improved by local search.

All pairs are candidates among few subscriptions (`all_pairs`; `joining` in three dimensions and more). Among many, the
candidates are neighbours in the order of ranges on some link (`candidates`), in a heap; a join evaluates only the pairs
of the new cluster again (`kernels.greedy`). If the plan of a baseline (`aa`, `spa`) is cheaper, as it can be when most
ranges overlap, it is taken.

Source: slides "Most-Efficient-First Algorithm (MEFA)"; benefit counts links on which an entry is really saved.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.all_pairs import all_pairs
from sparing.control.folding.joining import Joining, Joins
from sparing.control.folding.kernels.greedy import EFFICIENT, LOWERING
from sparing.control.folding.local_search import local_search
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa

FEW = 100  # subscriptions up to which all pairs are candidates
MANY = 4096  # subscriptions; with more, in several dimensions, joins beyond theta only lower the cost
MOST_SIMILAR = 20_000  # subscriptions; with more, SPA's plan is not tried
ANY = -1.0  # less than every similarity


def mefa(problem: Problem, theta: float, delta: float = 0.0, first: np.ndarray | None = None) -> Folds:
    """Return clusters that save theta, or the possible benefit, at a low cost; ratios must be above delta.

    `first` has the lowest number in the initial cluster of every subscription; initial clusters stay together.

    In several dimensions, a cluster of very many pieces (`kernels.greedy.MOST_PIECES`) is joined no further, so theta
    may not be reached.

    >>> mefa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=3)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    flat, theta = problem.low.shape[1] <= 2, min(theta, problem.possible())
    few = len(problem) <= FEW
    if few and flat:
        found = all_pairs(problem, theta, delta, first)
        return found if first is not None else _improved(problem, found, theta)
    found = joined(problem, theta, delta, first, len(problem) if few else None)
    if first is not None or found.benefit < theta:
        return found
    baselines = [aa(problem, theta, ANY)] if flat else []
    baselines += [spa(problem, theta, ANY)] if len(problem) <= MOST_SIMILAR else []
    return min(
        [found, *(baseline for baseline in baselines if baseline.benefit >= theta)], key=lambda folds: folds.cost
    )


def _improved(problem: Problem, found: Folds, theta: float) -> Folds:
    """Return the cheapest of three plans after local search: greedy joins, the cheapest with all benefit, and AA."""
    if found.benefit < theta:
        return local_search(problem, found, theta)
    plans = [found, all_pairs(problem, problem.possible()), aa(problem, theta, ANY)]
    return min((local_search(problem, plan, theta) for plan in plans), key=lambda folds: folds.cost)


def joined(
    problem: Problem,
    theta: float,
    delta: float = 0.0,
    first: np.ndarray | None = None,
    neighbours: int | None = None,
) -> Folds:
    """Return clusters among many subscriptions, with candidates among `neighbours` in each order of ranges."""
    joining = Joining(problem, first, neighbours)
    joining.join(EFFICIENT, theta, delta)
    lowered = joining.copy().join(LOWERING, np.inf, -np.inf).folds()
    if problem.low.shape[1] > 1 and len(problem) > MANY:
        return lowered
    joined_all = joining.join(EFFICIENT, np.inf, -np.inf)
    return min(joined_all.folds(_cheapest(joined_all)), lowered, key=lambda folds: folds.cost)


def _cheapest(joins: Joins) -> int:
    """Return the number of joins with the least cost; the most of equal ones."""
    costs = joins.costs()
    cheapest = np.flatnonzero(costs <= costs.min() + 1e-9 * max(float(np.abs(costs).max()), 1.0))
    return int(cheapest[-1])
