"""Which subscriptions may be joined at all: neighbours in the order of ranges, among those told over the same link."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.problem import WORD, Problem


def candidates(problem: Problem, neighbours: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs, each once, the lower number first.

    In each dimension, and on each link, subscriptions are put in order of the low, then of the high end of their
    ranges; each is a candidate with so many after it. All that are told over a link hang together that way, so that
    no benefit is out of reach.

    >>> problem = Problem.on_tree([0, 0], [1, 1, 1], [(5, 9), (0, 4), (7, 8)])
    >>> [found.tolist() for found in candidates(problem, 1)]
    [[0, 0], [1, 2]]
    """
    count, keys = len(problem), [np.empty(0, dtype=np.int64)]
    links = [(word, bit) for word in range(problem.links.shape[1]) for bit in range(WORD)]
    for order in _orders(problem):
        told = problem.links[order]
        lists = [order[(told[:, word] >> np.uint64(bit)) & np.uint64(1) != 0] for word, bit in links]
        for there in lists:
            for step in range(1, min(neighbours + 1, len(there))):
                one, two = there[:-step], there[step:]
                keys.append(np.minimum(one, two) * count + np.maximum(one, two))
    pairs = np.unique(np.concatenate(keys))
    return pairs // max(count, 1), pairs % max(count, 1)


def _orders(problem: Problem) -> list[np.ndarray]:
    """For each dimension, subscriptions in order; those without a piece come first."""
    low, high = (np.full((len(problem), problem.low.shape[1]), -np.inf) for _ in range(2))
    some = np.flatnonzero(np.diff(problem.starts))
    if len(some):
        low[some] = np.minimum.reduceat(problem.low, problem.starts[some])
        high[some] = np.maximum.reduceat(problem.high, problem.starts[some])
    return [np.lexsort((high[:, axis], low[:, axis])) for axis in range(low.shape[1])]
