"""With a tree for each source, one maximum flow finds the best marking (matchmaker.txt, Figure 6, corrected).

An s-link requires all links below it, in every tree, to be s-links; what is sought is the most valuable set that
contains all that it requires. Figure 6 as printed connects only links with gains to links with losses below them in
one tree, and misses chains that lead from tree to tree.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand
from sparing.graphs.closure import largest_closure
from sparing.model.errors import SparingError


def mark_per_source(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link, as many of them as the least cost allows."""
    value = demand.eta
    whole = np.rint(value).astype(np.int64)
    if not np.array_equal(whole, value):
        raise SparingError("Link weights must be whole numbers for a tree per source: multiply all of them.")
    try:
        return largest_closure(whole, *demand.requires)
    except OverflowError as error:
        raise SparingError(f"The matchmaker cannot count that far: {error}; use smaller link weights.") from None
