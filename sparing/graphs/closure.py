"""Maximum closures: the most valuable set of nodes that contains, with every node, all that the node requires.

Picard (1976): a minimum cut between the valuable nodes and the costly ones, with edges of unlimited capacity from each
node to what it requires, separates such a set from the rest. One maximum flow finds it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

MOST = np.iinfo(np.int32).max  # of the capacities


def largest_closure(value: np.ndarray, node: np.ndarray, required: np.ndarray) -> np.ndarray:
    """Which nodes are in the largest of the most valuable closed sets; node[i] requires required[i].

    Values are whole numbers whose positive ones add up to less than 2^31.

    >>> largest_closure(np.array([3, -2, 0, 1]), np.array([0, 3]), np.array([1, 1])).tolist()
    [True, True, True, True]
    """
    count = len(value)
    gain = int(value[value > 0].sum())
    if gain >= MOST:
        raise OverflowError(f"the gains add up to {gain:,}, and only {MOST - 1:,} can be worked with")
    source, sink = count, count + 1
    good, bad = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    tails = np.concatenate([np.full(len(good), source), bad, node])
    heads = np.concatenate([good, np.full(len(bad), sink), required])
    capacity = np.concatenate([value[good], np.minimum(-value[bad], MOST), np.full(len(node), gain + 1)])
    graph = csr_array((capacity.astype(np.int32), (tails, heads)), shape=(count + 2, count + 2))
    flow = maximum_flow(graph, source, sink).flow
    residual = graph - flow  # what could still flow, also backwards
    residual.data = np.where(residual.data > 0, 1, 0)
    residual.eliminate_zeros()
    # Whoever can still send something to the sink is on its side of every minimum cut.
    reaching = breadth_first_order(csr_array(residual.T), sink, return_predecessors=False)
    inside = np.ones(count + 2, dtype=bool)
    inside[reaching] = False
    return inside[:count]
