"""The places of edges: the first link that a row does not cross on arrival, and the place after a link."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.windows.kernels.arrays import ELSEWHERE, HERE, STAMP, WindowArrays, by_reference


@inlined
def next_place(arrays: WindowArrays, link: int, nwr: int) -> int:
    """Return the place of an item for an NWR after it crosses a link."""
    broker = arrays.links[link].target
    if not arrays.brokers[broker].hosted:
        return ELSEWHERE
    goal = arrays.nwrs[nwr].goal
    return HERE if broker == goal else arrays.link_of[broker, goal]


@compiled
def find_places(arrays: WindowArrays, row: int, edges: np.ndarray) -> None:
    """Set the place of each edge of a row: the first link that the row does not cross on arrival."""
    arrays.numbers[STAMP] += 1
    stamp = arrays.numbers[STAMP]
    for i in range(arrays.rows[row].first_goal, arrays.rows[row].last_goal):
        broker = arrays.rows[row].at
        while broker != arrays.goals[i] and arrays.brokers[broker].hosted:
            link = arrays.link_of[broker, arrays.goals[i]]
            if link < 0:
                break
            arrays.links[link].crossed = stamp
            broker = arrays.links[link].target
    for edge in range(arrays.rows[row].first, arrays.rows[row].last):
        goal = arrays.nwrs[edges[edge].nwr].goal
        broker = arrays.rows[row].at
        rest = HERE
        while broker != goal:
            rest = arrays.link_of[broker, goal]
            if arrays.links[rest].crossed != stamp:
                break
            broker = arrays.links[rest].target
            rest = HERE
            if not arrays.brokers[broker].hosted:
                rest = ELSEWHERE
                break
        edges[edge].place = rest


def first_places(arrays: WindowArrays) -> np.ndarray:
    """Return the first place of each edge, as if all rows entered now."""
    edges = arrays.edges.copy()
    _find_all_places(arrays, edges)
    return edges["place"].copy()


@compiled
def _find_all_places(arrays: WindowArrays, edges: np.ndarray) -> None:
    reference = by_reference(arrays)
    for row in range(len(arrays.rows)):
        find_places(reference, row, edges)


def next_places(arrays: WindowArrays, links: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Return the places of edges after they cross links."""
    brokers, goals = arrays.links["target"][links], arrays.nwrs["goal"][arrays.edges["nwr"][edges]]
    further = np.where(goals == brokers, HERE, arrays.link_of[brokers, goals])
    return np.where(arrays.brokers["hosted"][brokers], further, ELSEWHERE)
