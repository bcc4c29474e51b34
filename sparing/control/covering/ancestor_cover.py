"""AncestorCoverK: forward the boxes that fewer than k others rank-cover (topk-covering.txt, Algorithm 2).

A box that k others rank-cover is not among the k best of any publication. Counting forwarded ancestors is enough: a box
that is not forwarded has k forwarded ancestors, which are ancestors of all boxes that it covers.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.cover import count_ancestors
from sparing.control.covering.ranked_boxes import RankedBoxes


def ancestor_cover(ranked: RankedBoxes, k: int) -> np.ndarray:
    """Return whether each box is forwarded."""
    forwarded: np.ndarray = ancestors(ranked, k) < k
    return forwarded


def ancestors(ranked: RankedBoxes, k: int, found: np.ndarray | None = None) -> np.ndarray:
    """Return the number of forwarded boxes that rank-cover each box, up to k.

    `found` [box, k] receives the counted boxes.
    """
    into = np.zeros((0, 0), np.int32) if found is None else found
    counts: np.ndarray = count_ancestors(ranked.order, k, ranked.buckets, *ranked.comparison, into)
    return counts
