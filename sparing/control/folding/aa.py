"""AA, all aggregation: at a broker either all subscriptions that pass through are folded into one, or none.

The threshold method of the slides' related work, with which MEFA is compared.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.covered import cost_of_many, covered_by
from sparing.control.folding.measures import saved
from sparing.control.folding.problem import NO_PATH, Folds, Problem, counted
from sparing.control.folding.split import split


def aa(problem: Problem, theta: float, similarity: float = 0.0) -> Folds:
    """Fold at brokers whose subscriptions are most similar first, until the benefit is theta or none is above a limit.

    A subscription passes through its home and all brokers on its path to any publishers' broker. Ties go to the larger
    additional benefit, then to lower numbers; brokers that add no benefit are skipped. Subscriptions that pass through
    a broker over different links and share none onward cannot share an entry: they end up in different clusters.

    >>> aa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=1)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    there = _through(problem)
    alike = {broker: _similarity(problem, members) for broker, members in there.items() if len(members) > 1}
    waiting = sorted((broker for broker in alike if alike[broker] > similarity), key=lambda broker: -alike[broker])
    of, told, benefit = np.arange(len(problem)), problem.links.copy(), 0  # told: by lowest members
    while benefit < theta:
        best, added = _best(waiting, alike, there, told, of)
        if not added:
            break
        waiting.remove(best)
        joined = np.unique(of[there[best]])
        told[joined[0]] = np.bitwise_or.reduce(told[joined], axis=0)
        of[np.isin(of, joined)] = joined[0]
        benefit += added
    of = split(problem, of)
    folds = Folds(of, saved(problem, of), 0.0)
    return Folds(of, folds.benefit, float(sum(cost_of_many(problem, members) for members in folds.clusters())))


def _through(problem: Problem) -> dict[int, np.ndarray]:
    """Broker -> the subscriptions sent through it."""
    numbers = np.flatnonzero(problem.links.any(axis=1))
    homes = problem.home[numbers].astype(np.int64)
    found = [(homes, numbers)]
    for towards in problem.towards:
        at, who = homes, numbers
        while len(who):
            onward = towards[at].astype(np.int64)
            moves = (onward != at) & (onward != NO_PATH)
            at, who = onward[moves], who[moves]
            found.append((at, who))
    brokers, members = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return {int(broker): np.unique(members[brokers == broker]) for broker in np.unique(brokers)}


def _best(
    waiting: list[int], alike: dict[int, float], there: dict[int, np.ndarray], told: np.ndarray, of: np.ndarray
) -> tuple[int, int]:
    """Of brokers in order of similarity, the one to fold at next, and the benefit it adds: 0 if none adds any."""
    best, most = -1, 0
    for broker in waiting:
        if most and alike[broker] < alike[best]:
            break
        added = _added(told, of[there[broker]])
        if added and (added, -broker) > (most, -best):
            best, most = broker, added
    return best, most


def _added(told: np.ndarray, clusters: np.ndarray) -> int:
    """The links on which entries are saved if these clusters are made one."""
    each = told[np.unique(clusters)]
    return int(counted(each).sum() - counted(np.bitwise_or.reduce(each, axis=0)).sum())


def _similarity(problem: Problem, members: np.ndarray) -> float:
    once, some = covered_by(problem, members)
    return 1 - once / some if some else 1.0
