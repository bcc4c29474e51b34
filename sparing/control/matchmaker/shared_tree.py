"""Shared tree: each link is marked independently (matchmaker.txt, Figure 4).

Along every path sigma does not fall and tau does not rise, so the marking is always valid.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand


def mark_shared_tree(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link: if that costs no more than a p-link."""
    marking: np.ndarray = demand.eta >= 0
    return marking
