"""Figure 6 of the paper as it is printed, to study how often it fails. Nothing else uses it.

It lets only links with gains require links with losses, and only where one is above the other in a single tree. So it
may return a marking that is not valid: t above q in one tree and q above r in another make r an s-link if t is one, and
that is missed. `per_source` has it right.

The paper raises the capacity of one link after the other and works out the flow again. It grows just if that link can
still send something to the sink, which is read off after one flow, as for any closure.

Paper: matchmaker, section 3.3.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import ROOT, Demand
from sparing.graphs.closure import largest_closure


def mark_as_printed(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link by Figure 6; weights are whole numbers. The marking may not be valid."""
    eta = demand.eta.astype(np.int64)
    above, below = upstream(demand)
    bipartite = (eta[above] >= 0) & (eta[below] < 0)
    return largest_closure(eta, above[bipartite], below[bipartite])


def upstream(demand: Demand) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of links, the first anywhere above the second in some tree."""
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
