"""Boxes, made up from a seed."""

from __future__ import annotations

import numpy as np

from sparing.workloads.randomness import seeded_rng

WIDTH = (0.3, 0.6)  # of ranges, as shares of the space


def made_up(seed: int, boxes: int, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds [box, dimension] of half-open ranges, placed so that they fit into [0, 1)."""
    rng = seeded_rng(seed, "covering", dimensions)
    wide = rng.uniform(*WIDTH, (boxes, dimensions))
    low = rng.random((boxes, dimensions)) * (1 - wide)
    return low, low + wide
