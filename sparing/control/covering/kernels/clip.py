"""Intersections of boxes."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@inlined
def range_at(ranges, box, field, at):
    """Return whether a box has a range number `at` in a field, and its ends."""
    which = ranges.set[box, field]
    if which < 0:
        return at == 0, ranges.low[box, field], ranges.last[box, field]
    place = ranges.set_starts[which] + at
    if place >= ranges.set_starts[which + 1]:
        return False, np.int64(0), np.int64(0)
    return True, ranges.set_low[place], ranges.set_last[place]


@compiled
def clip_field(ranges, one, other, field, low, last):
    """Write the ranges of the intersection of two boxes in a field to `low` and `last`; return their number."""
    i = j = count = 0
    mine, my_low, my_last = range_at(ranges, one, field, 0)
    theirs, their_low, their_last = range_at(ranges, other, field, 0)
    while mine and theirs:
        first, end = max(my_low, their_low), min(my_last, their_last)
        if first <= end:
            low[count], last[count] = first, end
            count += 1
        if my_last < their_last:
            i += 1
            mine, my_low, my_last = range_at(ranges, one, field, i)
        else:
            j += 1
            theirs, their_low, their_last = range_at(ranges, other, field, j)
    return count


@compiled
def overlap(ranges, one, other, low, last):
    """Return whether two boxes overlap; `low` and `last` are scratch arrays."""
    for field in range(ranges.low.shape[1]):
        if ranges.missing[one, field] and ranges.missing[other, field]:
            continue
        if clip_field(ranges, one, other, field, low, last) == 0:
            return False
    return True


@compiled
def find_overlapping(ranges, boxes, other, low, last):
    """Return whether each of the first `boxes` boxes overlaps another one."""
    found = np.zeros(boxes, np.bool_)
    for box in range(boxes):
        found[box] = overlap(ranges, box, other, low, last)
    return found


@compiled
def clip(ranges, which, other, starts, low, last, into):
    """Intersect boxes with another one: bounds into `into`, sets into `low` and `last`; return the number of sets."""
    fields = ranges.low.shape[1]
    used = sets = 0
    for row in range(len(which)):
        for field in range(fields):
            count = clip_field(ranges, which[row], other, field, low[used:], last[used:])
            into.missing[row, field] = ranges.missing[which[row], field] and ranges.missing[other, field]
            into.low[row, field] = low[used] if count else MOST
            into.last[row, field] = last[used + count - 1] if count else LEAST
            if count == 1:
                into.set[row, field] = -1
                continue
            into.set[row, field] = sets
            used += count
            sets += 1
            starts[sets] = used
    return sets
