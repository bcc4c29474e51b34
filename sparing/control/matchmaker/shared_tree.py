"""On a shared tree each link can decide for itself (matchmaker.txt, Figure 4).

Along every path the number of advertisements grows and that of subscriptions falls, so the markings fit together.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand


def mark_shared_tree(demand: Demand) -> np.ndarray:
    """Link -> whether it is an s-link: it is if that is no dearer."""
    marking: np.ndarray = demand.eta >= 0
    return marking
