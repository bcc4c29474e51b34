"""RankCoverK: forward what lies in the first k levels of the rank-cover poset (topk-covering.txt, Algorithm 1).

The level of a box is the length of the longest chain that leads down to it, each member rank-covering the next: the
tightest reading for which Theorem 2 holds.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.walk import rank_walk
from sparing.control.covering.ranked_boxes import STATIC, RankedBoxes


def rank_cover(standing: RankedBoxes, k: int) -> np.ndarray:
    """Which boxes are forwarded."""
    certain = STATIC if standing.certain is None else standing.certain
    kept: np.ndarray = rank_walk(
        standing.order, k, standing.buckets, standing.boxes.ranges, certain, standing.certain is None, standing.fair
    )
    return kept
