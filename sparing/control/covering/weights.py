"""Weights: how many subscriptions each forwarded one stands for (topk-covering.txt, IV-B).

A subscription that is not forwarded hands its weight on in equal parts to forwarded ones that cover it and score the
same, so that everybody counts once in total. One that no such box covers is outranked by k others for certain; it can
never be chosen, and its weight is dropped.
"""

from __future__ import annotations

import numpy as np

from sparing.control.covering.kernels.share import share
from sparing.control.covering.ranked_boxes import STATIC, RankedBoxes


def handed_on(standing: RankedBoxes, kept: np.ndarray, mass: np.ndarray, alike: np.ndarray, k: int) -> np.ndarray:
    """The weight of each box after those that are not kept have handed on theirs; at most k share one."""
    weights = np.where(kept, mass, 0.0)
    certain = STATIC if standing.certain is None else standing.certain
    order = standing.order
    given = standing.boxes.ranges, certain, standing.certain is None, standing.fair
    share(order[kept[order]], np.flatnonzero(~kept), k, *given, mass, alike, weights)
    return weights
