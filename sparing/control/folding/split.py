"""The split of clusters into parts whose members share links."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sparing.control.folding.problem import WORD, Problem


def split(problem: Problem, of: np.ndarray) -> np.ndarray:
    """Return the clusters of `of` (by lowest members), each split into parts without common links.

    Members of a part share links, directly or through other members, so no benefit is lost.

    >>> problem = Problem.on_tree([0, 0, 0], [1, 2, 1], [(0, 4), (0, 4), (0, 4)])
    >>> split(problem, np.zeros(3, dtype=np.int64)).tolist()
    [0, 1, 0]
    """
    order = np.argsort(of, kind="stable")
    links_of = problem.links[order]
    ends: list[tuple[np.ndarray, np.ndarray]] = []
    for link in range(links_of.shape[1] * WORD):
        members = order[(links_of[:, link // WORD] >> np.uint64(link % WORD)) & np.uint64(1) != 0]
        one, two = members[:-1], members[1:]
        together = of[one] == of[two]
        ends.append((one[together], two[together]))
    one, two = (np.concatenate(some) for some in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(one), dtype=np.int8), (one, two)), shape=(len(of), len(of)))
    _, part = connected_components(graph, directed=False)
    _, lowest, inverse = np.unique(part, return_index=True, return_inverse=True)
    found: np.ndarray = lowest[inverse]
    return found
