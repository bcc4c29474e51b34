"""AncestorCoverK: forward what fewer than k others rank-cover (topk-covering.txt, Algorithm 2).

Whoever k others cover and outrank is not among the k best of any publication. Counting those that are kept is enough:
what is not kept has k kept ancestors itself, and they are ancestors of all that it covers.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.walk import ancestor_walk
from sparing.control.covering.ranked_boxes import STATIC, RankedBoxes


def ancestor_cover(standing: RankedBoxes, k: int) -> np.ndarray:
    """Which boxes are forwarded."""
    forwarded: np.ndarray = ancestors(standing, k) < k
    return forwarded


def ancestors(standing: RankedBoxes, k: int, stand_ins: np.ndarray | None = None) -> np.ndarray:
    """How many forwarded boxes rank-cover each box, counted up to k.

    `stand_ins` [box, k] gets the ones that were counted.
    """
    certain = STATIC if standing.certain is None else standing.certain
    into = np.zeros((0, 0), np.int32) if stand_ins is None else stand_ins
    counts: np.ndarray = ancestor_walk(
        standing.order,
        k,
        standing.buckets,
        standing.boxes.ranges,
        certain,
        standing.certain is None,
        standing.fair,
        into,
    )
    return counts
