"""Clusters in one dimension: ordered intervals."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.kernels.state import MORE, room_for_pieces


@inlined
def first_beyond(bounds, begin, count, bound, touching):
    """Return the first of some ascending bounds above another one (with `touching`, or equal to it)."""
    least, most = begin, begin + count
    while least < most:
        middle = (least + most) // 2
        if bounds[middle, 0] > bound or (touching and bounds[middle, 0] == bound):
            most = middle
        else:
            least = middle + 1
    return least


@inlined
def shared_intervals(clusters, pieces, a, b):
    """Return the decrease of the unique range when two clusters are joined, and the length that both cover."""
    if clusters.piece[a, 1] < clusters.piece[b, 1]:
        a, b = b, a
    lost = both = 0.0
    begin, few = clusters.piece[b, 0], clusters.piece[b, 1]
    if few == 0:
        return lost, both
    low, high, kind = pieces.low, pieces.high, pieces.kind
    i = first_beyond(high, clusters.piece[a, 0], clusters.piece[a, 1], low[begin, 0], False)
    j = begin
    end_i, end_j = clusters.piece[a, 0] + clusters.piece[a, 1], begin + few
    while i < end_i and j < end_j:
        size = min(high[i, 0], high[j, 0]) - max(low[i, 0], low[j, 0])
        if size > 0:
            both += size
            lost += size * (2 * MORE - kind[i] - kind[j])
        if high[i, 0] < high[j, 0]:
            i += 1
        else:
            j += 1
    return lost, both


@compiled
def sweep(pieces, i, end_i, j, end_j, to):
    """Write the union of two lists of pieces to `to`, touching pieces of a kind as one; return their number."""
    low, high, kind = pieces.low, pieces.high, pieces.kind
    count, done = 0, -np.inf
    while i < end_i or j < end_j:
        one = max(low[i, 0], done) if i < end_i else np.inf
        two = max(low[j, 0], done) if j < end_j else np.inf
        begin = min(one, two)
        if one == two:
            end, what = min(high[i, 0], high[j, 0]), MORE
        elif one < two:
            end, what = min(high[i, 0], two), kind[i]
        else:
            end, what = min(high[j, 0], one), kind[j]
        if count and high[to + count - 1, 0] == begin and kind[to + count - 1] == what:
            high[to + count - 1, 0] = end
        else:
            low[to + count, 0], high[to + count, 0], kind[to + count] = begin, end, what
            count += 1
        done = end
        if i < end_i and high[i, 0] <= done:
            i += 1
        if j < end_j and high[j, 0] <= done:
            j += 1
    return count


@inlined
def same(pieces, one, two, count):
    """Return whether two runs of pieces are equal."""
    for step in range(count):
        if (
            pieces.low[one + step, 0] != pieces.low[two + step, 0]
            or pieces.high[one + step, 0] != pieces.high[two + step, 0]
            or pieces.kind[one + step] != pieces.kind[two + step]
        ):
            return False
    return True


@inlined
def move(pieces, begin, count, to):
    """Copy a run of pieces; source and target may overlap."""
    if to <= begin:
        for step in range(count):
            pieces.low[to + step, 0] = pieces.low[begin + step, 0]
            pieces.high[to + step, 0] = pieces.high[begin + step, 0]
            pieces.kind[to + step] = pieces.kind[begin + step]
    else:
        for step in range(count - 1, -1, -1):
            pieces.low[to + step, 0] = pieces.low[begin + step, 0]
            pieces.high[to + step, 0] = pieces.high[begin + step, 0]
            pieces.kind[to + step] = pieces.kind[begin + step]


@compiled
def join_intervals(clusters, pieces, a, b):
    """Compute the pieces of two joined clusters: those of the larger one, changed where the other one is.

    Return the pieces, their slot, and whether that cluster and the other one had the same pieces before.
    """
    if clusters.piece[a, 1] < clusters.piece[b, 1]:
        big, small = b, a
    else:
        big, small = a, b
    few = clusters.piece[small, 1]
    if few == 0:
        return pieces, big, True, clusters.piece[big, 1] == 0
    pieces = room_for_pieces(clusters, pieces, 6 * (clusters.piece[big, 1] + few) + 4)
    begin, count, room = clusters.piece[big, 0], clusters.piece[big, 1], clusters.piece[big, 2]
    at = clusters.piece[small, 0]
    first = first_beyond(pieces.high, begin, count, pieces.low[at, 0], True)
    last = first_beyond(pieces.low, begin, count, pieces.high[at + few - 1, 0], False)
    fresh = pieces.used[0]
    between = sweep(pieces, first, last, at, at + few, fresh)
    if between == last - first and same(pieces, fresh, first, between):
        return pieces, big, True, count == few and same(pieces, begin, at, few)
    if last - first == count and between == few and same(pieces, fresh, at, few):
        return pieces, small, True, False
    now = count - (last - first) + between
    if now <= room:
        move(pieces, last, begin + count - last, first + between)
        move(pieces, fresh, between, first)
    else:
        to = fresh + between
        move(pieces, begin, first - begin, to)
        move(pieces, fresh, between, to + first - begin)
        move(pieces, last, begin + count - last, to + first - begin + between)
        begin = to
        room = now + now // 2
        room = min(room, len(pieces.kind) - to)
        pieces.used[0] = to + room
    clusters.piece[big, 0], clusters.piece[big, 1], clusters.piece[big, 2] = begin, now, room
    return pieces, big, False, False
