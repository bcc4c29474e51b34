"""Edges in the order of one of their ends."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled


@compiled
def arranged(ends: np.ndarray, others: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges by one of their ends: those of `node` lead to found[first[node] : first[node + 1]]."""
    first = np.zeros(count + 1, np.int64)
    for end in ends:
        first[end + 1] += 1
    for node in range(count):
        first[node + 1] += first[node]
    found, ahead = np.empty(len(ends), np.int64), first[:-1].copy()
    for edge in range(len(ends)):
        found[ahead[ends[edge]]] = others[edge]
        ahead[ends[edge]] += 1
    return first, found
