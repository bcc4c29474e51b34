"""RankCoverK: forward the first k levels of the rank-cover poset (topk-covering.txt, Algorithm 1).

The level of a box is the length of the longest chain that ends in it, in which each box rank-covers the next: the
tightest reading for which Theorem 2 holds.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.cover import find_first_levels
from sparing.control.covering.ranked_boxes import RankedBoxes


def rank_cover(ranked: RankedBoxes, k: int) -> np.ndarray:
    """Return whether each box is forwarded."""
    kept: np.ndarray = find_first_levels(ranked.order, k, ranked.buckets, *ranked.comparison)
    return kept
