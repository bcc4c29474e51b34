"""AA, all aggregation: at a broker, either all subscriptions that pass through are folded into one, or none.

The threshold method of the slides' related work, a baseline for MEFA.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.covered import cost_of_many, covered_by
from sparing.control.folding.measures import saved
from sparing.control.folding.problem import NO_PATH, Folds, Problem, counted
from sparing.control.folding.split import split


def aa(problem: Problem, theta: float, similarity: float = 0.0) -> Folds:
    """Fold at brokers in the order of similarity, until the benefit is theta or no broker is above `similarity`.

    A subscription passes through its home and all brokers on its path to any publishers' broker. Ties go to the larger
    additional benefit, then to lower numbers; brokers that add no benefit are skipped. Subscriptions that pass through
    a broker without a common link cannot share an entry, so they end in different clusters.

    >>> aa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=1)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    passing = _through(problem)
    similarities = {broker: _similarity(problem, members) for broker, members in passing.items() if len(members) > 1}
    remaining = sorted(
        (broker for broker in similarities if similarities[broker] > similarity),
        key=lambda broker: -similarities[broker],
    )
    of, links, benefit = np.arange(len(problem)), problem.links.copy(), 0  # links: by lowest members
    while benefit < theta:
        best, added = _best(remaining, similarities, passing, links, of)
        if not added:
            break
        remaining.remove(best)
        joined = np.unique(of[passing[best]])
        links[joined[0]] = np.bitwise_or.reduce(links[joined], axis=0)
        of[np.isin(of, joined)] = joined[0]
        benefit += added
    of = split(problem, of)
    folds = Folds(of, saved(problem, of), 0.0)
    return Folds(of, folds.benefit, float(sum(cost_of_many(problem, members) for members in folds.clusters())))


def _through(problem: Problem) -> dict[int, np.ndarray]:
    """Broker -> the subscriptions that pass through it."""
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
    remaining: list[int],
    similarities: dict[int, float],
    passing: dict[int, np.ndarray],
    links: np.ndarray,
    of: np.ndarray,
) -> tuple[int, int]:
    """Return the next broker to fold at, of those in order of similarity, and its added benefit (0: none)."""
    best, most = -1, 0
    for broker in remaining:
        if most and similarities[broker] < similarities[best]:
            break
        added = _added(links, of[passing[broker]])
        if added and (added, -broker) > (most, -best):
            best, most = broker, added
    return best, most


def _added(links: np.ndarray, clusters: np.ndarray) -> int:
    """Return the number of entries saved if clusters are joined."""
    each = links[np.unique(clusters)]
    return int(counted(each).sum() - counted(np.bitwise_or.reduce(each, axis=0)).sum())


def _similarity(problem: Problem, members: np.ndarray) -> float:
    once, some = covered_by(problem, members)
    return 1 - once / some if some else 1.0
