"""The two broadcasts: advertisements go everywhere, or subscriptions do."""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand


def publish_everywhere(demand: Demand) -> np.ndarray:
    """All links are p-links."""
    return np.zeros(len(demand.source), dtype=bool)


def subscribe_everywhere(demand: Demand) -> np.ndarray:
    """All links are s-links."""
    return np.ones(len(demand.source), dtype=bool)
