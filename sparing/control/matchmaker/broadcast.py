"""The two broadcasts: advertisements to all subscribers' brokers, or subscriptions to all publishers' brokers."""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.demand import Demand


def publish_everywhere(demand: Demand) -> np.ndarray:
    """Mark all links as p-links (PubE in the paper)."""
    return np.zeros(len(demand.source), dtype=bool)


def subscribe_everywhere(demand: Demand) -> np.ndarray:
    """Mark all links as s-links (SubE in the paper)."""
    return np.ones(len(demand.source), dtype=bool)
