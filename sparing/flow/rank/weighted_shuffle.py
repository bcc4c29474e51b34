"""The weighted shuffle (topk-covering.txt, Algorithm 3): draw one after the other, each with a chance by its weight.

Weights lie end to end on a line. A draw is a place on the line; what has been drawn leaves a hole, which is filled by a
pointer to the end of the line: whoever hits the hole is sent on, again and again if there is a hole as well. The line
gets shorter by what was drawn. So each draw takes one search, and none is in vain.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.rank.draws import fraction

MOST_STEPS = 10_000


@inlined
def who(ends, place):
    """Whose stretch of the line a place lies in: it begins where the one before ends, and its end is not part of it."""
    return min(np.searchsorted(ends, place, side="right"), len(ends) - 1)


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
        at = who(ends, place)
        steps = 0
        while pointer[at] >= 0.0 and steps < MOST_STEPS:
            begin = ends[at - 1] if at > 0 else 0.0
            place = pointer[at] + (place - begin)
            at = who(ends, place)
            steps += 1
        if pointer[at] >= 0.0:  # rounding leads in circles: take whoever is left
            at = 0
            while pointer[at] >= 0.0:
                at += 1
        drawn[draw] = at
        tail = max(tail - weights[at], 0.0)
        pointer[at] = tail
