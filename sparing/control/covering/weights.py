"""Weights: the number of subscriptions that each forwarded one represents (topk-covering.txt, IV-B).

A subscription that is not forwarded passes its weight on in equal parts to forwarded ones that cover it and have the
same score, so each counts once in total. Without such a box it is outranked by k others: it can never be chosen, and
its weight is dropped.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.weights import distribute
from sparing.control.covering.ranked_boxes import RankedBoxes


def redistribute(
    ranked: RankedBoxes, kept: np.ndarray, weights: np.ndarray, score_class: np.ndarray, k: int
) -> np.ndarray:
    """Return the weights of boxes after those that are not kept have passed on theirs, each to at most k boxes."""
    found = np.where(kept, weights, 0.0)
    kept_order = ranked.order[kept[ranked.order]]
    distribute(kept_order, np.flatnonzero(~kept), k, *ranked.comparison, weights, score_class, found)
    return found
