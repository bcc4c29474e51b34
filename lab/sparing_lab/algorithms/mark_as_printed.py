"""Figure 6 of the paper as printed, to study how often it fails.

Only links with eta >= 0 require links with eta < 0, and only if one is above the other in a single tree. So the marking
may be invalid: if t is above q in one tree and q above r in another, r must be an s-link if t is one, which is missed.
`per_source` is correct.

The paper raises the capacity of one link after another and computes a flow each time. The flow grows exactly if that
link has a path to the sink, which one flow shows, as for any closure.

Paper: matchmaker, section 3.3.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import ROOT, Demand
from sparing.graphs.closure import largest_closure


def mark_as_printed(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link by Figure 6, for integer weights; the marking may be invalid."""
    eta = demand.eta.astype(np.int64)
    above, below = upstream(demand)
    bipartite = (eta[above] >= 0) & (eta[below] < 0)
    return largest_closure(eta, above[bipartite], below[bipartite])


def upstream(demand: Demand) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of links of which the first is above the second in some tree."""
    count = max(len(demand.source), 1)
    links, parent = demand.forest
    keys, place, above = [np.zeros(0, dtype=np.int64)], np.arange(len(links)), parent
    while len(place):
        inner = above != ROOT
        place, above = place[inner], above[inner]
        keys.append(links[above] * count + links[place])
        above = parent[above]
    found = np.unique(np.concatenate(keys))
    return found // count, found % count
