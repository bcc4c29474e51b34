"""The weighted shuffle (topk-covering.txt, Algorithm 3): draw one after the other, each with a chance by its weight.

The weights are consecutive intervals of a line, and a draw is a point on it. The interval of a drawn number gets a
pointer to the end of the line, which becomes shorter by the drawn weight; a later draw that hits the interval follows
the pointer, repeatedly if needed. So each draw takes one search, and no draw is rejected.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.rank.draws import fraction

MOST_STEPS = 10_000


@inlined
def who(ends, place):
    """Return the number of the half-open interval that contains a point."""
    return min(np.searchsorted(ends, place, side="right"), len(ends) - 1)


@compiled
def weighted_shuffle(weights, count, state, drawn):
    """Write the first `count` places of a weighted shuffle to `drawn`."""
    size = len(weights)
    ends = np.empty(size, np.float64)
    total = 0.0
    for i in range(size):
        total += weights[i]
        ends[i] = total
    pointer = np.full(size, -1.0)  # where the interval that replaces a drawn one begins
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
        if pointer[at] >= 0.0:  # rounding errors can lead to a cycle: take the first that is left
            at = 0
            while pointer[at] >= 0.0:
                at += 1
        drawn[draw] = at
        tail = max(tail - weights[at], 0.0)
        pointer[at] = tail
