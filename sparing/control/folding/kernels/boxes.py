"""Clusters in several dimensions: disjoint boxes by low ends in the first; boxes are cut by others."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.folding.kernels.intervals import first_beyond
from sparing.control.folding.kernels.state import MORE, ONCE, room_for_pieces


@inlined
def shared_volume(low, high, i, j):
    """Return the volume of the intersection of two boxes."""
    found = 1.0
    for axis in range(low.shape[1]):
        size = min(high[i, axis], high[j, axis]) - max(low[i, axis], low[j, axis])
        if size <= 0:
            return 0.0
        found *= size
    return found


@inlined
def shared_boxes(clusters, pieces, a, b):
    """Return the decrease of the unique range when two clusters are joined, and the volume that both cover."""
    lost = both = 0.0
    if clusters.piece[a, 1] < clusters.piece[b, 1]:
        a, b = b, a
    for j in range(clusters.piece[b, 0], clusters.piece[b, 0] + clusters.piece[b, 1]):
        # A box that begins more than the largest width before this one does not reach it.
        i = first_beyond(
            pieces.low, clusters.piece[a, 0], clusters.piece[a, 1], pieces.low[j, 0] - clusters.width[a], True
        )
        end = clusters.piece[a, 0] + clusters.piece[a, 1]
        while i < end and pieces.low[i, 0] < pieces.high[j, 0]:
            size = shared_volume(pieces.low, pieces.high, i, j)
            if size > 0:
                both += size
                lost += size * (2 * MORE - pieces.kind[i] - pieces.kind[j])
            i += 1
    return lost, both


@inlined
def copy(low, high, begin, count, to_low, to_high, to):
    """Copy a run of boxes."""
    for step in range(count):
        for axis in range(low.shape[1]):
            to_low[to + step, axis] = low[begin + step, axis]
            to_high[to + step, axis] = high[begin + step, axis]


@compiled
def doubled(low, high):
    """Return the boxes in arrays of twice the length."""
    more_low, more_high = np.empty((2 * len(low), low.shape[1])), np.empty((2 * len(low), low.shape[1]))
    copy(low, high, 0, len(low), more_low, more_high, 0)
    return more_low, more_high


@compiled
def subtract(pieces, box, begin, count, kinds, low, high):
    """Return a box minus some pieces of some kinds: the number of boxes, in `low` and `high` or longer arrays."""
    dimensions = low.shape[1]
    copy(pieces.low, pieces.high, box, 1, low, high, 0)
    left = 1
    for piece in range(begin, begin + count):
        if not pieces.kind[piece] & kinds or shared_volume(pieces.low, pieces.high, box, piece) <= 0:
            continue
        at = 0
        while at < left:
            apart = False
            for axis in range(dimensions):
                if low[at, axis] >= pieces.high[piece, axis] or high[at, axis] <= pieces.low[piece, axis]:
                    apart = True
            if apart:
                at += 1
                continue
            if left + 2 * dimensions > len(low):
                low, high = doubled(low, high)
            # Cut off the parts outside the piece, axis by axis; the rest is inside and is dropped.
            for axis in range(dimensions):
                if low[at, axis] < pieces.low[piece, axis]:
                    copy(low, high, at, 1, low, high, left)
                    high[left, axis] = low[at, axis] = pieces.low[piece, axis]
                    left += 1
                if high[at, axis] > pieces.high[piece, axis]:
                    copy(low, high, at, 1, low, high, left)
                    low[left, axis] = high[at, axis] = pieces.high[piece, axis]
                    left += 1
            left -= 1
            copy(low, high, left, 1, low, high, at)
    return left, low, high


@inlined
def adjacent_axis(low, high, i, j):
    """Return the axis along which two boxes are adjacent and form one box, or -1."""
    found = -1
    for axis in range(low.shape[1]):
        if low[i, axis] == low[j, axis] and high[i, axis] == high[j, axis]:
            continue
        if found >= 0 or (low[i, axis] != high[j, axis] and high[i, axis] != low[j, axis]):
            return -1
        found = axis
    return found


@compiled
def append_merged(pieces, begin, count, low, high, box, kind):
    """Append a box to others, merged with those that form one box with it; return the number of boxes."""
    end = begin + count
    copy(low, high, box, 1, pieces.low, pieces.high, end)
    at = begin
    while at < end:
        axis = adjacent_axis(pieces.low, pieces.high, at, end) if pieces.kind[at] == kind else -1
        if axis < 0:
            at += 1
            continue
        pieces.low[end, axis] = min(pieces.low[end, axis], pieces.low[at, axis])
        pieces.high[end, axis] = max(pieces.high[end, axis], pieces.high[at, axis])
        end -= 1  # the last of the others takes the place of the merged one
        copy(pieces.low, pieces.high, end, 1, pieces.low, pieces.high, at)
        pieces.kind[at] = pieces.kind[end]
        copy(pieces.low, pieces.high, end + 1, 1, pieces.low, pieces.high, end)
        at = begin
    pieces.kind[end] = kind
    return end + 1 - begin


@compiled
def sort_boxes(pieces, begin, count):
    """Insertion sort by low ends in the first dimension, fast for nearly sorted boxes; return the largest width."""
    dimensions, widest = pieces.low.shape[1], 0.0
    low, high = np.empty((1, dimensions)), np.empty((1, dimensions))
    for place in range(begin, begin + count):
        widest = max(widest, pieces.high[place, 0] - pieces.low[place, 0])
        if place == begin or pieces.low[place - 1, 0] <= pieces.low[place, 0]:
            continue
        copy(pieces.low, pieces.high, place, 1, low, high, 0)
        kind, to = pieces.kind[place], place
        while to > begin and pieces.low[to - 1, 0] > low[0, 0]:
            copy(pieces.low, pieces.high, to - 1, 1, pieces.low, pieces.high, to)
            pieces.kind[to] = pieces.kind[to - 1]
            to -= 1
        copy(low, high, 0, 1, pieces.low, pieces.high, to)
        pieces.kind[to] = kind
    return widest


@compiled
def join_boxes(clusters, pieces, a, b):
    """Compute the pieces of two joined clusters.

    Return the pieces, their slot, and whether that cluster and the other one had the same pieces before.
    """
    if clusters.covered[a] - clusters.once[a] < clusters.covered[b] - clusters.once[b]:
        big, small = b, a
    else:
        big, small = a, b
    count, few = clusters.piece[big, 1], clusters.piece[small, 1]
    dimensions = pieces.low.shape[1]
    low, high = np.empty((64, dimensions)), np.empty((64, dimensions))
    cut_low, cut_high = np.empty((1, dimensions)), np.empty((1, dimensions))
    pieces = room_for_pieces(clusters, pieces, 2 * (count + few) + 64)
    changed, now = False, 0
    hit = np.zeros(count, np.bool_)
    # First the unchanged pieces, then the cut and new ones.
    for place in range(count):
        piece = clusters.piece[big, 0] + place
        if pieces.kind[piece] == ONCE:
            for other in range(clusters.piece[small, 0], clusters.piece[small, 0] + few):
                if shared_volume(pieces.low, pieces.high, piece, other) > 0:
                    hit[place] = True
        if not hit[place]:
            to = pieces.used[0] + now
            copy(pieces.low, pieces.high, piece, 1, pieces.low, pieces.high, to)
            pieces.kind[to] = pieces.kind[piece]
            now += 1
    for place in range(count):
        if not hit[place]:
            continue
        changed = True
        for j in range(few):
            pieces = room_after(clusters, pieces, now, few)
            piece, other = clusters.piece[big, 0] + place, clusters.piece[small, 0] + j
            if pieces.kind[other] == ONCE and shared_volume(pieces.low, pieces.high, piece, other) > 0:
                for axis in range(dimensions):
                    cut_low[0, axis] = max(pieces.low[piece, axis], pieces.low[other, axis])
                    cut_high[0, axis] = min(pieces.high[piece, axis], pieces.high[other, axis])
                now = append_merged(pieces, pieces.used[0], now, cut_low, cut_high, 0, MORE)
        piece = clusters.piece[big, 0] + place
        left, low, high = subtract(pieces, piece, clusters.piece[small, 0], few, ONCE | MORE, low, high)
        pieces = room_after(clusters, pieces, now, left)
        for i in range(left):
            now = append_merged(pieces, pieces.used[0], now, low, high, i, ONCE)
    for j in range(few):
        other = clusters.piece[small, 0] + j
        kind = np.int64(pieces.kind[other])
        kinds = MORE if kind == MORE else ONCE | MORE
        left, low, high = subtract(pieces, other, clusters.piece[big, 0], count, kinds, low, high)
        pieces = room_after(clusters, pieces, now, left)
        for i in range(left):
            changed = True
            now = append_merged(pieces, pieces.used[0], now, low, high, i, kind)
    if not changed:
        return pieces, big, True, False
    clusters.piece[big, 0], clusters.piece[big, 1], clusters.piece[big, 2] = pieces.used[0], now, now
    clusters.width[big] = sort_boxes(pieces, pieces.used[0], now)
    pieces.used[0] += now
    return pieces, big, False, False


@compiled
def room_after(clusters, pieces, now, more):
    """Return the pieces with room for more after those just written, which are kept."""
    if pieces.used[0] + now + more + 1 <= len(pieces.kind):
        return pieces
    begin = pieces.used[0]
    found = room_for_pieces(clusters, pieces, len(pieces.kind) - begin + 2 * (now + more) + 64)
    to = found.used[0]
    copy(pieces.low, pieces.high, begin, now, found.low, found.high, to)
    for step in range(now):
        found.kind[to + step] = pieces.kind[begin + step]
    return found
