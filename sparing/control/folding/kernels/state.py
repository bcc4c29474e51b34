# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Clusters while they are joined, and where they keep what they cover and whom they may join.

A cluster has a slot, the number of one of its members. When two are joined, one slot stays. Lists that grow lie behind
one another in long arrays with some room to spare; full arrays are written anew without what nobody uses any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled, inlined

ONCE, MORE = 1, 2  # covered by exactly one member, or by more than one


class Clusters(NamedTuple):
    """Slot -> what is known of its cluster."""

    into: np.ndarray  # the slot it was joined to, itself while it stands
    name: np.ndarray  # its lowest member
    size: np.ndarray
    version: np.ndarray  # goes up when pairs of the cluster may have changed
    looked: np.ndarray  # its size when all its pairs were worked out last
    links: np.ndarray  # [slot, word] -> bits of links over which some member is told
    meet: np.ndarray  # [slot, publishers' broker] -> where its members that can reach it meet, or NO_PATH
    deep: np.ndarray  # [slot, publishers' broker] -> most hops of such a member
    delay: np.ndarray
    once: np.ndarray  # measure of its unique range
    covered: np.ndarray  # measure of its union
    cost: np.ndarray
    width: np.ndarray  # most that a piece extends in the first dimension; kept up in several dimensions only
    piece: np.ndarray  # [slot] -> first piece, how many, room for how many
    near: np.ndarray  # [slot] -> first neighbour, how many, room for how many


class ClusterPieces(NamedTuple):
    """What clusters cover: disjoint boxes by their low ends in the first dimension, and if one or more members do."""

    low: np.ndarray  # [piece, dimension]
    high: np.ndarray
    kind: np.ndarray
    used: np.ndarray  # one number


class Near(NamedTuple):
    """Whom clusters may join: slots, some of them joined to others since."""

    slot: np.ndarray
    used: np.ndarray  # one number


class PathTable(NamedTuple):
    """[publishers' broker, broker] -> the next broker on the way, and hops to its end."""

    towards: np.ndarray
    hops: np.ndarray


@inlined
def standing(into, slot):
    """The slot of the cluster to which a slot belongs by now."""
    while into[slot] != slot:
        into[slot] = into[into[slot]]
        slot = np.int64(into[slot])
    return slot


@compiled
def room_for_pieces(clusters, pieces, more):
    """The same pieces, with room for more behind them."""
    if pieces.used[0] + more <= len(pieces.kind):
        return pieces
    live = 0
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            live += clusters.piece[slot, 1]
    size = 2 * live + more + 1024
    dimensions = pieces.low.shape[1]
    low, high = np.empty((size, dimensions)), np.empty((size, dimensions))
    kind, used = np.empty(size, np.int8), np.zeros(1, np.int64)
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            begin, count = clusters.piece[slot, 0], clusters.piece[slot, 1]
            for place in range(count):
                for axis in range(dimensions):
                    low[used[0] + place, axis] = pieces.low[begin + place, axis]
                    high[used[0] + place, axis] = pieces.high[begin + place, axis]
                kind[used[0] + place] = pieces.kind[begin + place]
            clusters.piece[slot, 0], clusters.piece[slot, 2] = used[0], count
            used[0] += count
    return ClusterPieces(low, high, kind, used)


@compiled
def room_for_near(clusters, near, more):
    """The same neighbours, with room for more behind them."""
    if near.used[0] + more <= len(near.slot):
        return near
    live = 0
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            live += clusters.near[slot, 1]
    found, used = np.empty(2 * live + more + 1024, np.int32), np.zeros(1, np.int64)
    for slot in range(len(clusters.into)):
        if clusters.into[slot] == slot:
            begin, count = clusters.near[slot, 0], clusters.near[slot, 1]
            for place in range(count):
                found[used[0] + place] = near.slot[begin + place]
            clusters.near[slot, 0], clusters.near[slot, 2] = used[0], count
            used[0] += count
    return Near(found, used)
