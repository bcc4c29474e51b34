"""Looking through the kept ones of boxes that come and go.

The bounds of kept boxes stand side by side on a shelf, so that most are passed over at a glance.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.covering.kernels.contain import contains


@inlined
def outranks(live, fair, a, b):
    """Whether a ranks above b; a contains b."""
    if live.score[a] != live.score[b]:
        return live.score[a] > live.score[b]
    return live.id[a] < live.id[b] or (fair and not contains(live.ranges, b, a))


@compiled
def find_above(live, fair, shelf, count, box, start, places, k, into):
    """Kept boxes that rank-cover a box, at most k of them, in so many places from one on; how many there are."""
    found = 0
    fields = shelf.low.shape[1]
    low, last = live.ranges.low[box], live.ranges.last[box]
    for step in range(min(places, count)):
        at = start + step
        if at >= count:
            at -= count
        spans = True
        for field in range(fields):
            if shelf.low[at, field] > low[field] or shelf.last[at, field] < last[field]:
                spans = False
                break
        if not spans:
            continue
        other = shelf.slot[at]
        if other != box and contains(live.ranges, other, box) and outranks(live, fair, other, box):
            into[found] = other
            found += 1
            if found == k:
                break
    return found


@compiled
def find_below(live, fair, shelf, count, box, into):
    """Kept boxes that a box rank-covers; how many there are."""
    found = 0
    fields = shelf.low.shape[1]
    low, last = live.ranges.low[box], live.ranges.last[box]
    for at in range(count):
        spans = True
        for field in range(fields):
            if shelf.low[at, field] < low[field] or shelf.last[at, field] > last[field]:
                spans = False
                break
        if not spans:
            continue
        other = shelf.slot[at]
        if other != box and contains(live.ranges, box, other) and outranks(live, fair, box, other):
            into[found] = other
            found += 1
    return found


@compiled
def spread(live, fair, shelf, count, boxes, places, k, stand_ins):
    """Other stand-ins for boxes, each found from another place on, where that does not take long."""
    found = np.empty(k, np.int32)
    for box in boxes:
        if find_above(live, fair, shelf, count, box, start_of(box, count), places, k, found) == k:
            stand_ins[box] = found


@compiled
def start_of(box, count):
    """Where to begin to look for a box's ancestors: anywhere, so that nobody is watched by all."""
    return (box * 40503) % max(count, 1)
