"""MEFA, the Most-Efficient-First Algorithm.

Join the pair of clusters with the largest benefit for its incremental cost, over and over, until the benefit is theta
or no ratio is above delta. The slides stop there. But increments of cost can fall (three ranges that cost 10 in any
pair may cost nothing together), so it pays to go on: here all is joined in that order, and of the clusters from there
on the cheapest are taken. What has been joined early is never parted by that, so few subscriptions are polished.

All pairs are candidates among few subscriptions (`all_pairs`). Among many they are neighbours in the order of ranges on
some link (`candidates`), which wait in a heap; after a join only the pairs of the new cluster are worked out again
(`kernels.greedy`). Where the plan of a rival (`aa`, `spa`) is cheaper still, as where most ranges overlap, it is taken.

Source: slides "Most-Efficient-First Algorithm (MEFA)"; benefit counts links on which an entry is really saved. As
printed it is in `literal`.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.aa import aa
from sparing.control.folding.all_pairs import all_pairs
from sparing.control.folding.joining import Joining, Joins
from sparing.control.folding.kernels.greedy import EFFICIENT, KEY
from sparing.control.folding.polish import polished
from sparing.control.folding.problem import Folds, Problem
from sparing.control.folding.spa import spa

FEW = 100  # subscriptions, with ranges of one or two dimensions
MANY = 4096  # subscriptions, from which on SPA is not tried, and with several dimensions joining ends at theta
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
    if len(problem) <= FEW and flat:
        found = all_pairs(problem, theta, delta, first)
        return found if first is not None else _polished(problem, found, theta)
    found = joined(problem, theta, delta, first)
    if first is not None or found.benefit < theta:
        return found
    rivals = [aa(problem, theta, ANY)] if flat else []
    rivals += [spa(problem, theta, ANY)] if len(problem) <= MANY else []
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
    onward = problem.low.shape[1] == 1 or len(problem) <= MANY
    joins = joining.join(EFFICIENT, np.inf if onward else theta, -np.inf if onward else delta)
    return joins.folds(_cheapest(joins, theta, delta))


def _cheapest(joins: Joins, theta: float, delta: float) -> int:
    """After how many joins the cost is least, from where the benefit is theta or a ratio is no more than delta."""
    costs = joins.costs()
    enough = np.append(-joins.facts[:, KEY] <= delta, True) | (joins.benefits() >= theta)
    from_there = costs[int(np.argmax(enough)) :]
    cheapest = np.flatnonzero(from_there <= from_there.min() + 1e-9 * max(float(np.abs(costs).max()), 1.0))
    return int(np.argmax(enough)) + int(cheapest[-1])
