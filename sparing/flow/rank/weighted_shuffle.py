"""The weighted shuffle (topk-covering.txt, Algorithm 3): draw one after the other, each with a chance by its weight.

Weights lie end to end on a line. A draw is a place on the line; what has been drawn leaves a hole, which is filled by a
pointer to the end of the line: whoever hits the hole is sent on, again and again if there is a hole as well. The line
gets shorter by what was drawn. So each draw takes one search, and none is in vain.
"""

from __future__ import annotations

import numpy as np

from sparing.flow.rank.draws import fraction
from sparing.graphs.compiled import compiled


@compiled
def weighted_shuffle(weights, count, state, drawn):
    """The first `count` places of a weighted shuffle, into `drawn`."""
    size = len(weights)
    ends = np.empty(size, np.float64)
    total = 0.0
    for i in range(size):
        total += weights[i]
        ends[i] = total
    pointer = np.full(size, -1.0)  # where the range begins that fills the hole
    tail = total
    for draw in range(count):
        place = fraction(state) * tail
        while True:
            at = min(np.searchsorted(ends, place, side="right"), size - 1)
            if pointer[at] < 0.0:
                break
            begin = ends[at - 1] if at > 0 else 0.0
            onward = pointer[at] + (place - begin)
            if onward <= place:  # no further by rounding: whoever is left will do
                at = -1
                break
            place = onward
        if at < 0:
            at = 0
            while pointer[at] >= 0.0:
                at += 1
        drawn[draw] = at
        tail = max(tail - weights[at], 0.0)
        pointer[at] = tail
