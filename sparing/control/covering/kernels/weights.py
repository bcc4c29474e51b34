"""Distribution of weights."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.control.covering.kernels.cover import rank_covers


@compiled
def distribute(kept, others, k, ranges, forms, static, fair, weights, score_class, found):
    """Add the weight of each other box in equal parts to at most k kept ones that cover it with the same score."""
    receivers = np.empty(k, np.int64)
    for other in others:
        count = 0
        # Different starts spread the weights over all covering boxes.
        start = (other * 40503) % max(len(kept), 1)
        for step in range(len(kept)):
            if count == k:
                break
            box = kept[(start + step) % len(kept)]
            if score_class[box] == score_class[other] and rank_covers(ranges, forms, static, fair, box, other):
                receivers[count] = box
                count += 1
        for i in range(count):
            found[receivers[i]] += weights[other] / count
