"""Containment of boxes."""

from __future__ import annotations

from sparing.compiled import compiled, inlined


@inlined
def admits(ranges, a, b, field):
    """Return whether box a admits every value of a field that box b admits."""
    if ranges.missing[b, field] and not ranges.missing[a, field]:
        return False
    if ranges.low[a, field] > ranges.low[b, field] or ranges.last[a, field] < ranges.last[b, field]:
        return False
    mine, theirs = ranges.set[a, field], ranges.set[b, field]
    if mine < 0:
        return True
    at, end = ranges.set_starts[mine], ranges.set_starts[mine + 1]
    if theirs < 0:
        return within(ranges, at, end, ranges.low[b, field], ranges.last[b, field])
    for i in range(ranges.set_starts[theirs], ranges.set_starts[theirs + 1]):
        if not within(ranges, at, end, ranges.set_low[i], ranges.set_last[i]):
            return False
    return True


@inlined
def within(ranges, at, end, low, last):
    """Return whether a range is within one range of a set."""
    for i in range(at, end):
        if ranges.set_low[i] <= low and last <= ranges.set_last[i]:
            return True
    return False


@compiled
def contains(ranges, a, b):
    """Return whether box a contains box b."""
    for field in range(ranges.low.shape[1]):
        if not admits(ranges, a, b, field):
            return False
    return True
