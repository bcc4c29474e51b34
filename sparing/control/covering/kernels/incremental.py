"""Searches among the kept boxes of an incremental cover.

The bounds of kept boxes are in contiguous arrays, so that most are excluded quickly.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.covering.kernels.contain import contains


@inlined
def ranks_higher(slots, fair, a, b):
    """Return whether a ranks above b, given that a contains b."""
    if slots.score[a] != slots.score[b]:
        return slots.score[a] > slots.score[b]
    return slots.id[a] < slots.id[b] or (fair and not contains(slots.ranges, b, a))


@compiled
def find_ancestors(slots, fair, kept, count, box, start, steps, k, into):
    """Put at most k kept boxes that rank-cover a box into `into`, in some steps from a start; return their number."""
    found = 0
    fields = kept.low.shape[1]
    low, last = slots.ranges.low[box], slots.ranges.last[box]
    for step in range(min(steps, count)):
        at = start + step
        if at >= count:
            at -= count
        bounds_contain = True
        for field in range(fields):
            if kept.low[at, field] > low[field] or kept.last[at, field] < last[field]:
                bounds_contain = False
                break
        if not bounds_contain:
            continue
        other = kept.slot[at]
        if other != box and contains(slots.ranges, other, box) and ranks_higher(slots, fair, other, box):
            into[found] = other
            found += 1
            if found == k:
                break
    return found


@compiled
def find_covered(slots, fair, kept, count, box, into):
    """Put the kept boxes that a box rank-covers into `into`; return their number."""
    found = 0
    fields = kept.low.shape[1]
    low, last = slots.ranges.low[box], slots.ranges.last[box]
    for at in range(count):
        bounds_contain = True
        for field in range(fields):
            if kept.low[at, field] < low[field] or kept.last[at, field] > last[field]:
                bounds_contain = False
                break
        if not bounds_contain:
            continue
        other = kept.slot[at]
        if other != box and contains(slots.ranges, box, other) and ranks_higher(slots, fair, box, other):
            into[found] = other
            found += 1
    return found


@compiled
def spread_covers(slots, fair, kept, count, boxes, steps, k, covers):
    """Replace the covers of boxes by others from different starts, if they are found within `steps`."""
    found = np.empty(k, np.int32)
    for box in boxes:
        if find_ancestors(slots, fair, kept, count, box, search_start(box, count), steps, k, found) == k:
            covers[box] = found


@compiled
def search_start(box, count):
    """Return the start of the search for a box's ancestors; different starts spread the covers over all kept boxes."""
    return (box * 40503) % max(count, 1)
