"""Candidate pairs for joins: neighbours in the order of ranges among the subscriptions forwarded over a link."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.problem import WORD, Problem


def candidates(problem: Problem, neighbours: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distinct pairs, the lower number first.

    For each dimension and link, subscriptions are sorted by the low, then the high end of their ranges; each one is a
    candidate with some `neighbours` after it. Candidates connect all subscriptions that are forwarded over a link, so
    every benefit can be reached.

    >>> problem = Problem.on_tree([0, 0], [1, 1, 1], [(5, 9), (0, 4), (7, 8)])
    >>> [found.tolist() for found in candidates(problem, 1)]
    [[0, 0], [1, 2]]
    """
    count, keys = len(problem), [np.empty(0, dtype=np.int64)]
    links = [(word, bit) for word in range(problem.links.shape[1]) for bit in range(WORD)]
    for order in _orders(problem):
        links_of = problem.links[order]
        lists = [order[(links_of[:, word] >> np.uint64(bit)) & np.uint64(1) != 0] for word, bit in links]
        for members in lists:
            for step in range(1, min(neighbours + 1, len(members))):
                one, two = members[:-step], members[step:]
                keys.append(np.minimum(one, two) * count + np.maximum(one, two))
    pairs = np.unique(np.concatenate(keys))
    return pairs // max(count, 1), pairs % max(count, 1)


def _orders(problem: Problem) -> list[np.ndarray]:
    """Return the subscriptions in order for each dimension; those without a piece come first."""
    low, high = (np.full((len(problem), problem.low.shape[1]), -np.inf) for _ in range(2))
    some = np.flatnonzero(np.diff(problem.starts))
    if len(some):
        low[some] = np.minimum.reduceat(problem.low, problem.starts[some])
        high[some] = np.maximum.reduceat(problem.high, problem.starts[some])
    return [np.lexsort((high[:, axis], low[:, axis])) for axis in range(low.shape[1])]
