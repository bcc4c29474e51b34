"""What boxes have in common."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined

LEAST, MOST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


@inlined
def next_range(ranges, box, field, at):
    """A box's ranges in a field one after the other: whether there is one with a number, and which."""
    which = ranges.set[box, field]
    if which < 0:
        return at == 0, ranges.low[box, field], ranges.last[box, field]
    place = ranges.set_starts[which] + at
    if place >= ranges.set_starts[which + 1]:
        return False, np.int64(0), np.int64(0)
    return True, ranges.set_low[place], ranges.set_last[place]


@compiled
def clip_field(ranges, one, other, field, low, last):
    """The ranges of what two boxes admit in a field, written to `low` and `last`; how many there are."""
    i = j = count = 0
    mine, my_low, my_last = next_range(ranges, one, field, 0)
    theirs, their_low, their_last = next_range(ranges, other, field, 0)
    while mine and theirs:
        first, end = max(my_low, their_low), min(my_last, their_last)
        if first <= end:
            low[count], last[count] = first, end
            count += 1
        if my_last < their_last:
            i += 1
            mine, my_low, my_last = next_range(ranges, one, field, i)
        else:
            j += 1
            theirs, their_low, their_last = next_range(ranges, other, field, j)
    return count


@compiled
def meets(ranges, one, other, low, last):
    """Whether some publication lies in both boxes; `low` and `last` are room to work in."""
    for field in range(ranges.low.shape[1]):
        if ranges.missing[one, field] and ranges.missing[other, field]:
            continue
        if clip_field(ranges, one, other, field, low, last) == 0:
            return False
    return True


@compiled
def all_that_meet(ranges, boxes, other, low, last):
    """Which of the first so many boxes meet another one."""
    found = np.zeros(boxes, np.bool_)
    for box in range(boxes):
        found[box] = meets(ranges, box, other, low, last)
    return found


@compiled
def clip(ranges, which, other, starts, low, last, into):
    """Some boxes, cut off at the edges of another: bounds into `into`, sets to `low` and `last`; how many sets."""
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
