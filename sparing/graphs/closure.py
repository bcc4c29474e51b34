"""Maximum closures: the most valuable set of nodes that contains all nodes required by its nodes.

Picard (1976): such a set is one side of a minimum cut between nodes with positive and negative values, with edges of
unlimited capacity from each node to the nodes it requires. One maximum flow finds it.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

MAX_CAPACITY = np.iinfo(np.int32).max


def largest_closure(value: np.ndarray, node: np.ndarray, required: np.ndarray) -> np.ndarray:
    """Return whether each node is in the largest of the most valuable closed sets; node[i] requires required[i].

    Values are whole numbers; the sum of the positive ones is below 2^31.

    >>> largest_closure(np.array([3, -2, 0, 1]), np.array([0, 3]), np.array([1, 1])).tolist()
    [True, True, True, True]
    """
    count = len(value)
    gain = int(value[value > 0].sum())
    if gain >= MAX_CAPACITY:
        raise OverflowError(f"the sum of positive values is {gain:,}, above the limit of {MAX_CAPACITY - 1:,}")
    source, sink = count, count + 1
    good, bad = np.flatnonzero(value > 0), np.flatnonzero(value < 0)
    tails = np.concatenate([np.full(len(good), source), bad, node])
    heads = np.concatenate([good, np.full(len(bad), sink), required])
    capacity = np.concatenate([value[good], np.minimum(-value[bad], MAX_CAPACITY), np.full(len(node), gain + 1)])
    graph = csr_array((capacity.astype(np.int32), (tails, heads)), shape=(count + 2, count + 2))
    flow = maximum_flow(graph, source, sink).flow
    residual = graph - flow  # capacities that are left, in both directions
    residual.data = np.where(residual.data > 0, 1, 0)
    residual.eliminate_zeros()
    # A node with a residual path to the sink is on the sink's side of every minimum cut.
    reaching = breadth_first_order(csr_array(residual.T), sink, return_predecessors=False)
    inside = np.ones(count + 2, dtype=bool)
    inside[reaching] = False
    return inside[:count]
