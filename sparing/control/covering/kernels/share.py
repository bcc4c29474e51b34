"""Handing on weights."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.control.covering.kernels.walk import covers


@compiled
def share(kept, others, k, ranges, forms, static, fair, mass, alike, weights):
    """Add each other box's mass in equal parts to kept ones that cover it and score the same, at most k of them."""
    found = np.empty(k, np.int64)
    for other in others:
        count = 0
        # Each starts elsewhere, so that all who cover get something to stand for.
        start = (other * 40503) % max(len(kept), 1)
        for step in range(len(kept)):
            if count == k:
                break
            box = kept[(start + step) % len(kept)]
            if alike[box] == alike[other] and covers(ranges, forms, static, fair, box, other):
                found[count] = box
                count += 1
        for i in range(count):
            weights[found[i]] += mass[other] / count
