"""A heap of pairs of clusters, by key, then larger benefit, then lower members."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled, inlined

# Columns of a pair: benefit, lowest members, slots, and the versions of the slots at its evaluation.
BENEFIT, ONE, TWO, A, B, VERSION_A, VERSION_B = range(7)


class Heap(NamedTuple):
    """Pairs in rows, and the heap of their rows and keys."""

    facts: np.ndarray  # [row, column]
    key: np.ndarray  # [place]
    row: np.ndarray  # [place]
    counts: np.ndarray  # pairs in the heap, and rows in use


@compiled
def empty_heap(size):
    """Return an empty heap with room for `size` pairs."""
    return Heap(np.empty((size, 7), np.int32), np.empty(size), np.empty(size, np.int32), np.zeros(2, np.int64))


@inlined
def precedes(heap, key, row, other_key, other):
    """Return whether a pair is before another one."""
    if key != other_key:
        return key < other_key
    facts = heap.facts
    if facts[row, BENEFIT] != facts[other, BENEFIT]:
        return facts[row, BENEFIT] > facts[other, BENEFIT]
    if facts[row, ONE] != facts[other, ONE]:
        return facts[row, ONE] < facts[other, ONE]
    return facts[row, TWO] < facts[other, TWO]


@compiled
def sift_down(heap, place):
    """Move a pair down to its position."""
    count = heap.counts[0]
    key, row = heap.key[place], heap.row[place]
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and precedes(
            heap, heap.key[below + 1], heap.row[below + 1], heap.key[below], heap.row[below]
        ):
            below += 1
        if not precedes(heap, heap.key[below], heap.row[below], key, row):
            break
        heap.key[place], heap.row[place] = heap.key[below], heap.row[below]
        place = below
    heap.key[place], heap.row[place] = key, row


@compiled
def heapify(heap):
    """Restore the heap order of all pairs."""
    for place in range(heap.counts[0] // 2 - 1, -1, -1):
        sift_down(heap, place)


@inlined
def append_row(heap, key, benefit, one, two, a, b, version_a, version_b):
    """Append a pair without restoring the heap order; there must be room."""
    place, row = heap.counts[0], heap.counts[1]
    facts = heap.facts
    facts[row, BENEFIT] = benefit
    facts[row, ONE], facts[row, TWO] = min(one, two), max(one, two)
    facts[row, A], facts[row, B] = a, b
    facts[row, VERSION_A], facts[row, VERSION_B] = version_a, version_b
    heap.key[place], heap.row[place] = key, row
    heap.counts[0] += 1
    heap.counts[1] += 1


@inlined
def sift_up(heap):
    """Move the last pair up to its position."""
    place = heap.counts[0] - 1
    key, row = heap.key[place], heap.row[place]
    while place:
        above = (place - 1) // 2
        if not precedes(heap, key, row, heap.key[above], heap.row[above]):
            break
        heap.key[place], heap.row[place] = heap.key[above], heap.row[above]
        place = above
    heap.key[place], heap.row[place] = key, row


@compiled
def pop(heap):
    """Remove the first pair; return its key and row."""
    key, row = heap.key[0], heap.row[0]
    heap.counts[0] -= 1
    if heap.counts[0]:
        heap.key[0], heap.row[0] = heap.key[heap.counts[0]], heap.row[heap.counts[0]]
        sift_down(heap, 0)
    return key, row


@compiled
def room_for_pairs(heap, parent, more):
    """Return the heap with room for more, without pairs of clusters that were joined since."""
    if heap.counts[1] + more <= len(heap.row):
        return heap
    live = 0
    for place in range(heap.counts[0]):
        row = heap.row[place]
        if parent[heap.facts[row, A]] == heap.facts[row, A] and parent[heap.facts[row, B]] == heap.facts[row, B]:
            live += 1
    found = empty_heap(2 * live + more + 1024)
    for place in range(heap.counts[0]):
        row = heap.row[place]
        if parent[heap.facts[row, A]] == heap.facts[row, A] and parent[heap.facts[row, B]] == heap.facts[row, B]:
            to = found.counts[0]
            found.facts[to] = heap.facts[row]
            found.key[to], found.row[to] = heap.key[place], to
            found.counts[0] += 1
    found.counts[1] = found.counts[0]
    heapify(found)
    return found
