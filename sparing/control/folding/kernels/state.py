"""The state of clusters while they are joined: measures, pieces and neighbours.

A cluster has a slot, the number of one of its members. When two are joined, one slot stays (a union-find forest). Lists
that grow are stored one after another in long arrays with spare room; full arrays are copied without unused lists.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled, inlined

ONCE, MORE = 1, 2  # covered by exactly one member, or by more than one


class Clusters(NamedTuple):
    """The clusters by slot."""

    parent: np.ndarray  # the slot that it was joined to, itself if it is a root
    lowest: np.ndarray  # its lowest member
    size: np.ndarray
    version: np.ndarray  # increases when pairs of the cluster may have changed
    evaluated_size: np.ndarray  # its size at the last evaluation of all its pairs
    links: np.ndarray  # [slot, word] -> bits of links over which some member is forwarded
    common: np.ndarray  # [slot, publishers' broker] -> first broker on the paths of all members, or NO_PATH
    most_hops: np.ndarray  # [slot, publishers' broker] -> most hops of a member
    delay: np.ndarray
    once: np.ndarray  # measure of its unique range
    covered: np.ndarray  # measure of its union
    cost: np.ndarray
    width: np.ndarray  # largest width of a piece in the first dimension; in several dimensions only
    piece: np.ndarray  # [slot] -> first piece, number, room
    neighbours: np.ndarray  # [slot] -> first neighbour, number, room


class ClusterPieces(NamedTuple):
    """The pieces of clusters: disjoint boxes in the order of their low ends in the first dimension."""

    low: np.ndarray  # [piece, dimension]
    high: np.ndarray
    kind: np.ndarray  # ONCE or MORE
    used: np.ndarray  # one number


class Neighbours(NamedTuple):
    """The slots that clusters may be joined with; some were joined with others since."""

    slot: np.ndarray
    used: np.ndarray  # one number


class PathTable(NamedTuple):
    """[publishers' broker, broker] -> the next broker on the path, and hops to its end."""

    towards: np.ndarray
    hops: np.ndarray


@inlined
def find_root(parent, slot):
    """Return the slot of the cluster that contains a slot."""
    while parent[slot] != slot:
        parent[slot] = parent[parent[slot]]
        slot = np.int64(parent[slot])
    return slot


@compiled
def in_use(parent, lists):
    """Return the total length of the lists of all clusters."""
    total = 0
    for slot in range(len(parent)):
        if parent[slot] == slot:
            total += lists[slot, 1]
    return total


@compiled
def room_for_pieces(clusters, pieces, more):
    """Return the pieces with room for more."""
    if pieces.used[0] + more <= len(pieces.kind):
        return pieces
    size, dimensions = 2 * in_use(clusters.parent, clusters.piece) + more + 1024, pieces.low.shape[1]
    low, high = np.empty((size, dimensions)), np.empty((size, dimensions))
    kind, used = np.empty(size, np.int8), np.zeros(1, np.int64)
    for slot in range(len(clusters.parent)):
        if clusters.parent[slot] == slot:
            begin, count = clusters.piece[slot, 0], clusters.piece[slot, 1]
            low[used[0] : used[0] + count] = pieces.low[begin : begin + count]
            high[used[0] : used[0] + count] = pieces.high[begin : begin + count]
            kind[used[0] : used[0] + count] = pieces.kind[begin : begin + count]
            clusters.piece[slot, 0], clusters.piece[slot, 2] = used[0], count
            used[0] += count
    return ClusterPieces(low, high, kind, used)


@compiled
def room_for_neighbours(clusters, neighbours, more):
    """Return the neighbours with room for more."""
    if neighbours.used[0] + more <= len(neighbours.slot):
        return neighbours
    size = 2 * in_use(clusters.parent, clusters.neighbours) + more + 1024
    found, used = np.empty(size, np.int32), np.zeros(1, np.int64)
    for slot in range(len(clusters.parent)):
        if clusters.parent[slot] == slot:
            begin, count = clusters.neighbours[slot, 0], clusters.neighbours[slot, 1]
            found[used[0] : used[0] + count] = neighbours.slot[begin : begin + count]
            clusters.neighbours[slot, 0], clusters.neighbours[slot, 2] = used[0], count
            used[0] += count
    return Neighbours(found, used)
