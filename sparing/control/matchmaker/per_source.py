"""With a tree for each source, one maximum flow finds the best marking (matchmaker.txt, Figure 6, corrected).

An s-link requires all links below it, in every tree, to be s-links; what is sought is the most valuable set that
contains all that it requires. Figure 6 as printed connects only links with gains to links with losses below them in
one tree, and misses chains that lead from tree to tree. Links that are not entangled need no flow.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.graphs.closure import largest_closure
from sparing.model.errors import SparingError


def mark_per_source(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link, as many of them as the least cost allows."""
    value = demand.eta
    whole = np.rint(value).astype(np.int64)
    if not np.array_equal(whole, value):
        raise SparingError("Link weights must be whole numbers for a tree per source: multiply all of them.")
    before, after = demand.requires
    return mark_by(whole, before, after, entangled(whole, before, after) != FREE)


def mark_by(eta: np.ndarray, before: np.ndarray, after: np.ndarray, caught: np.ndarray) -> np.ndarray:
    """The same, given what links save as s-links, which links require which, and which are entangled."""
    marking: np.ndarray = eta >= 0
    if caught.any():
        place, inner = np.cumsum(caught) - 1, caught[before] & caught[after]
        try:
            worth = eta[caught] // max(int(np.gcd.reduce(eta[caught])), 1)  # weights in common do not matter
            marking[caught] = largest_closure(worth, place[before[inner]], place[after[inner]])
        except OverflowError as error:
            raise SparingError(f"The matchmaker cannot count that far: {error}; use smaller link weights.") from None
    return marking
