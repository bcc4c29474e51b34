"""Looking through the kept ones of boxes that come and go."""

from __future__ import annotations

from sparing.control.covering.kernels.contain import contains
from sparing.graphs.compiled import compiled, inlined


@inlined
def outranks(live, fair, a, b):
    """Whether a ranks above b, of boxes that come and go; a contains b."""
    if live.score[a] != live.score[b]:
        return live.score[a] > live.score[b]
    return live.id[a] < live.id[b] or (fair and not contains(live.ranges, b, a))


@compiled
def find_above(live, fair, kept, box, start, k, into):
    """Kept boxes that rank-cover a box, at most k of them, searched for from a place on; how many there are."""
    count = 0
    for step in range(len(kept)):
        if count == k:
            break
        other = kept[(start + step) % len(kept)]
        if other != box and contains(live.ranges, other, box) and outranks(live, fair, other, box):
            into[count] = other
            count += 1
    return count


@compiled
def find_below(live, fair, kept, box, into):
    """Kept boxes that a box rank-covers; how many there are."""
    count = 0
    for other in kept:
        if other != box and contains(live.ranges, box, other) and outranks(live, fair, box, other):
            into[count] = other
            count += 1
    return count
