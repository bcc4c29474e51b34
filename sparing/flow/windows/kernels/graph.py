"""The matching graphs of links as lists of edges, for explanations, tests and policies that decide beforehand."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.flow.windows.kernels.arrays import WindowArrays, by_reference
from sparing.flow.windows.kernels.places import counts, undecided_nwr


def pairs(arrays: WindowArrays) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the NWR of each pair of a row and an NWR that contains it."""
    rows = np.repeat(np.arange(len(arrays.time)), np.diff(arrays.starts))
    return _spread(arrays, rows, np.arange(len(rows)))


def _spread(arrays: WindowArrays, rows: np.ndarray, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the NWR of each NWR of some pairs of a row and a subscription."""
    sizes = arrays.nwr_count[some].astype(np.int64)
    which = np.repeat(some, sizes)
    within = np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows[which], arrays.first_nwr[which] + within


def link_graph(arrays: WindowArrays, link: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the NWR of each edge of a link's matching graph, without partial results."""
    rows = np.repeat(np.arange(len(arrays.time)), np.diff(arrays.starts))
    rows, nwrs = _spread(arrays, rows, np.flatnonzero(arrays.place[rows, arrays.goal_of[arrays.held]] == link))
    kept = _undecided(arrays, link, rows, nwrs)
    return rows[kept], nwrs[kept]


@compiled
def _undecided(arrays: WindowArrays, link: int, rows: np.ndarray, nwrs: np.ndarray) -> np.ndarray:
    reference = by_reference(arrays)
    kept = np.zeros(len(rows), np.bool_)
    for i in range(len(rows)):
        row, nwr = np.int64(rows[i]), np.int64(nwrs[i])
        kept[i] = undecided_nwr(reference, link, nwr) and counts(reference, row, nwr)
    return kept
