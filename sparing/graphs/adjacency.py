"""Adjacency arrays."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled


@compiled
def adjacency(ends: np.ndarray, others: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (first, neighbours): `node` in `ends` has the `others` neighbours[first[node] : first[node + 1]]."""
    first = np.zeros(count + 1, np.int64)
    for end in ends:
        first[end + 1] += 1
    for node in range(count):
        first[node + 1] += first[node]
    neighbours, place = np.empty(len(ends), np.int64), first[:-1].copy()
    for edge in range(len(ends)):
        neighbours[place[ends[edge]]] = others[edge]
        place[ends[edge]] += 1
    return first, neighbours
