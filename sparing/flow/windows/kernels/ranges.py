"""The NWRs of publications: the windows that contain each publication, and their numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.compiled import compiled

SPARSE = 4  # candidates per edge above which sorting is cheaper than a table
ALWAYS_DENSE = 1 << 16  # candidates up to which a table is always used


@compiled
def window_edges(
    rows: np.ndarray,
    time: np.ndarray,
    starts: np.ndarray,
    held: np.ndarray,
    timed: np.ndarray,
    duration: np.ndarray,
    slide: np.ndarray,
    start: np.ndarray,
    mark_end: np.ndarray,
    mark: np.ndarray,
    edge_row: np.ndarray,
    edge_subscription: np.ndarray,
    edge_end: np.ndarray,
) -> int:
    """Write (row, subscription, end) for each window that contains one of some rows; return their number.

    With output arrays of length 0, only count them. A row with a mark counts for that NWR and later ones only.
    """
    found = 0
    for row in rows:
        for i in range(starts[row], starts[row + 1]):
            subscription = held[i]
            if not timed[subscription]:
                continue
            first = time[row] - (time[row] - start[subscription]) % slide[subscription]
            while first > time[row] - duration[subscription]:
                end = first + duration[subscription]
                if mark[row] < 0 or end > mark_end[row] or (end == mark_end[row] and subscription >= mark[row]):
                    if len(edge_row):
                        edge_row[found] = row
                        edge_subscription[found] = subscription
                        edge_end[found] = end
                    found += 1
                first -= slide[subscription]
    return found


@dataclass(frozen=True)
class WindowRanges:
    """NWRs in the decision order, and the NWR of each edge (`of`)."""

    subscription: np.ndarray
    end: np.ndarray
    of: np.ndarray

    @classmethod
    def of_edges(cls, subscription: np.ndarray, end: np.ndarray, slide: np.ndarray) -> WindowRanges:
        """Number the NWRs of edges; `slide` is the slide of each subscription's windows."""
        if not len(end):
            return cls(np.zeros(0, np.int32), end, np.zeros(0, np.int32))
        first, last = int(end.min()), int(end.max())
        subscriptions = np.unique(subscription) if len(subscription) < 1 << 12 else np.flatnonzero(_there(subscription))
        # Candidates: all windows of each subscription between the first and the last end.
        step = slide[subscriptions]
        size = (last - first) // step + 2
        if float(size.sum(dtype=np.float64)) > SPARSE * len(end) + ALWAYS_DENSE:
            return cls._by_sorting(subscription, end)
        base = np.zeros(int(subscriptions[-1]) + 1, dtype=np.int64)
        base[subscriptions] = np.cumsum(size) - size
        candidate = base[subscription] + (end - first) // slide[subscription]
        at = np.zeros(int(size.sum()), dtype=np.int64)
        at[candidate] = np.arange(len(end)) + 1  # any edge of the NWR
        there = np.flatnonzero(at)
        some = at[there] - 1
        order = np.lexsort((subscription[some], end[some]))
        number = np.zeros(len(at), dtype=np.int32)
        number[there[order]] = np.arange(len(there))
        some = some[order]
        return cls(subscription[some], end[some], number[candidate])

    @classmethod
    def _by_sorting(cls, subscription: np.ndarray, end: np.ndarray) -> WindowRanges:
        ends, rank = np.unique(end, return_inverse=True)
        width = int(subscription.max()) + 1
        keys, of = np.unique(rank * width + subscription, return_inverse=True)
        return cls((keys % width).astype(np.int32), ends[keys // width], of.astype(np.int32))


def _there(numbers: np.ndarray) -> np.ndarray:
    there = np.zeros(int(numbers.max()) + 1, dtype=bool)
    there[numbers] = True
    return there


@compiled
def by_nwr(nwr: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of each NWR, ascending: first positions, and edge numbers."""
    starts = np.zeros(count + 1, np.int64)
    for edge in range(len(nwr)):
        starts[nwr[edge] + 1] += 1
    for n in range(count):
        starts[n + 1] += starts[n]
    at = starts[:-1].copy()
    edges = np.empty(len(nwr), np.int32)
    for edge in range(len(nwr)):
        edges[at[nwr[edge]]] = edge
        at[nwr[edge]] += 1
    return starts, edges
