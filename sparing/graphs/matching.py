"""Maximum matchings and minimum vertex covers of bipartite graphs, with SciPy's Hopcroft-Karp algorithm.

A graph is two arrays, the left and the right ends of its edges.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_bipartite_matching

UNMATCHED = -1


def maximum_matching(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the right end that each left end is matched to, UNMATCHED if none.

    >>> (maximum_matching(np.array([0, 0, 1, 2]), np.array([0, 1, 0, 0])) >= 0).sum()
    np.int64(2)
    """
    if not len(left):
        return np.zeros(0, dtype=np.int32)
    shape = int(left.max()) + 1, int(right.max()) + 1
    graph = csr_array((np.ones(len(left), dtype=np.int8), (left, right)), shape=shape)
    matching: np.ndarray = maximum_bipartite_matching(graph, perm_type="column")
    return matching


def minimum_vertex_cover(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each left and each right end is in the minimum vertex cover with the fewest right ends.

    König's theorem: the cover has the right ends with an alternating path from an unmatched left end, and the left ends
    without one.

    >>> minimum_vertex_cover(np.array([0, 0, 0]), np.array([0, 1, 2]))
    (array([ True]), array([False, False, False]))
    """
    if not len(left):
        return np.zeros(0, dtype=bool), np.zeros(0, dtype=bool)
    matching = maximum_matching(left, right)
    lefts, rights = len(matching), int(right.max()) + 1
    start = lefts + rights
    there = np.unique(left)
    free = there[matching[there] == UNMATCHED]
    matched = there[matching[there] != UNMATCHED]
    tails = np.concatenate([np.full(len(free), start), left, lefts + matching[matched]])
    heads = np.concatenate([free, lefts + right, matched])
    graph = csr_array((np.ones(len(tails), dtype=np.int8), (tails, heads)), shape=(start + 1, start + 1))
    reached = np.zeros(start + 1, dtype=bool)
    reached[breadth_first_order(graph, start, return_predecessors=False)] = True
    in_graph = np.zeros(lefts, dtype=bool)
    in_graph[there] = True
    return in_graph & ~reached[:lefts], reached[lefts:start]
