"""Trees per source: the optimal marking by one maximum flow (matchmaker.txt, Figure 6, corrected).

An s-link requires all links below it to be s-links, in every tree. The optimal set of s-links is a maximum closure: the
set with the largest sum of eta that contains every link it requires. Figure 6 as printed connects only links with
eta >= 0 to links with eta < 0 below them in one tree, and misses chains of requirements across trees. Links that are
not entangled need no flow.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.graphs.closure import largest_closure
from sparing.model.errors import SparingError


def mark_per_source(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link, in the optimal marking with the most s-links."""
    value = demand.eta
    whole = np.rint(value).astype(np.int64)
    if not np.array_equal(whole, value):
        raise SparingError(
            "Link weights are not integers, which trees per source require: multiply all weights by a common factor."
        )
    before, after = demand.requires
    return mark_links(whole, before, after, entangled(whole, before, after) != FREE)


def mark_links(eta: np.ndarray, before: np.ndarray, after: np.ndarray, is_entangled: np.ndarray) -> np.ndarray:
    """Link -> whether it is an s-link; before[i] requires after[i]."""
    marking: np.ndarray = eta >= 0
    if is_entangled.any():
        place, inner = np.cumsum(is_entangled) - 1, is_entangled[before] & is_entangled[after]
        try:
            # Dividing by the common factor keeps the optimum and avoids overflow.
            value = eta[is_entangled] // max(int(np.gcd.reduce(eta[is_entangled])), 1)
            marking[is_entangled] = largest_closure(value, place[before[inner]], place[after[inner]])
        except OverflowError as error:
            raise SparingError(
                f"Link weights are too large for the min-cost matchmaker ({error}): use smaller weights."
            ) from None
    return marking
