# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""A heap of pairs of clusters. Ties of the key go to the larger benefit, then to lower names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled, inlined

# What is known of a pair, beside its key: its benefit, names, slots, and the versions of these when it was worked out.
BENEFIT, ONE, TWO, A, B, VERSION_A, VERSION_B = range(7)


class Heap(NamedTuple):
    """Pairs in rows, and the heap, which has the row and the key of each."""

    facts: np.ndarray  # [row, fact]
    key: np.ndarray  # [place]
    row: np.ndarray  # [place]
    counts: np.ndarray  # pairs in the heap, and rows in use


@compiled
def empty_heap(size):
    """With room for so many pairs."""
    return Heap(np.empty((size, 7), np.int32), np.empty(size), np.empty(size, np.int32), np.zeros(2, np.int64))


@inlined
def before(heap, key, row, other_key, other):
    """Whether a pair goes before another one."""
    if key != other_key:
        return key < other_key
    facts = heap.facts
    if facts[row, BENEFIT] != facts[other, BENEFIT]:
        return facts[row, BENEFIT] > facts[other, BENEFIT]
    if facts[row, ONE] != facts[other, ONE]:
        return facts[row, ONE] < facts[other, ONE]
    return facts[row, TWO] < facts[other, TWO]


@compiled
def sink(heap, place):
    """Let a pair down to where it belongs."""
    count = heap.counts[0]
    key, row = heap.key[place], heap.row[place]
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and before(
            heap, heap.key[below + 1], heap.row[below + 1], heap.key[below], heap.row[below]
        ):
            below += 1
        if not before(heap, heap.key[below], heap.row[below], key, row):
            break
        heap.key[place], heap.row[place] = heap.key[below], heap.row[below]
        place = below
    heap.key[place], heap.row[place] = key, row


@compiled
def arrange(heap):
    """Make a heap of what lies there in any order."""
    for place in range(heap.counts[0] // 2 - 1, -1, -1):
        sink(heap, place)


@inlined
def put(heap, key, benefit, one, two, a, b, version_a, version_b):
    """Lay down a pair, behind all others; there must be room."""
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
def rise(heap):
    """Let the last pair up to where it belongs."""
    place = heap.counts[0] - 1
    key, row = heap.key[place], heap.row[place]
    while place:
        above = (place - 1) // 2
        if not before(heap, key, row, heap.key[above], heap.row[above]):
            break
        heap.key[place], heap.row[place] = heap.key[above], heap.row[above]
        place = above
    heap.key[place], heap.row[place] = key, row


@compiled
def pop(heap):
    """The key and row of the first pair, which is taken out."""
    key, row = heap.key[0], heap.row[0]
    heap.counts[0] -= 1
    if heap.counts[0]:
        heap.key[0], heap.row[0] = heap.key[heap.counts[0]], heap.row[heap.counts[0]]
        sink(heap, 0)
    return key, row


@compiled
def room_for_pairs(heap, into, more):
    """The same heap with room for more, without pairs of clusters that stand no longer."""
    if heap.counts[1] + more <= len(heap.row):
        return heap
    live = 0
    for place in range(heap.counts[0]):
        row = heap.row[place]
        if into[heap.facts[row, A]] == heap.facts[row, A] and into[heap.facts[row, B]] == heap.facts[row, B]:
            live += 1
    found = empty_heap(2 * live + more + 1024)
    for place in range(heap.counts[0]):
        row = heap.row[place]
        if into[heap.facts[row, A]] == heap.facts[row, A] and into[heap.facts[row, B]] == heap.facts[row, B]:
            to = found.counts[0]
            found.facts[to] = heap.facts[row]
            found.key[to], found.row[to] = heap.key[place], to
            found.counts[0] += 1
    found.counts[1] = found.counts[0]
    arrange(found)
    return found
