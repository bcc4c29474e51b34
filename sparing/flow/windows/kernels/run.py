"""The walk through event time: NWRs are decided in order, upstream first, and rows enter in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.compiled import compiled
from sparing.flow.links import adock, bat
from sparing.flow.links import decide as policies
from sparing.flow.windows.kernels.arrays import (
    DEGREES,
    DEPTH,
    ENTERED,
    EVERY,
    FREE,
    MARKED,
    MATCHING,
    NONE,
    PATIENCE,
    PERIOD,
    RAW,
    STARTED,
    STOPPED,
    UNTIL,
    WATCHED,
    WindowArrays,
    referred,
)
from sparing.flow.windows.kernels.travel import aggregate, enter, forward, tell


@compiled
def run(arrays: WindowArrays, next_nwr: np.ndarray) -> Any:
    """Do everything that falls before `until`. `next_nwr[d]` is the next NWR for links with d links before them.

    Stops before each turn of a watched NWR, and says so: then `numbers[DEPTH]` says which links are going to decide.
    """
    return _run(referred(arrays), next_nwr)


@compiled
def _run(arrays: WindowArrays, next_nwr: np.ndarray) -> bool:
    if not arrays.numbers[STARTED]:
        resume(arrays)
        arrays.numbers[STARTED] = 1
    nwrs = len(arrays.nwrs)
    until = arrays.numbers[UNTIL]
    while True:
        # Without patience this goes NWR by NWR, and for each from the first links to the last broker.
        depth, time = -1, until
        for d in range(len(next_nwr)):
            if next_nwr[d] < nwrs:
                due = arrays.nwrs[next_nwr[d]].end + arrays.numbers[PATIENCE] * d
                if due < time or (due == time and (depth < 0 or next_nwr[d] < next_nwr[depth])):
                    depth, time = d, due
        enter_before(arrays, time)
        if depth < 0:
            return False
        if arrays.numbers[PERIOD]:
            bat.tick(arrays, time)
        nwr = next_nwr[depth]
        if depth == 0:
            enter_marked(arrays, nwr)
        turn = nwr * len(next_nwr) + depth
        if arrays.numbers[WATCHED] in (nwr, EVERY) and arrays.numbers[STOPPED] != turn:
            arrays.numbers[STOPPED], arrays.numbers[DEPTH] = turn, depth
            return True
        settle(arrays, nwr, depth)
        next_nwr[depth] += 1


@compiled
def resume(arrays: WindowArrays) -> None:
    """Items that rested on links when the last step ended: work out what policies must know of them."""
    if not arrays.numbers[DEGREES]:
        return
    links = len(arrays.links)
    for edge in range(len(arrays.edges)):
        link = arrays.edges[edge].place
        if link >= 0 and arrays.edges[edge].part == RAW:
            arrays.items[arrays.edges[edge].row * links + link].live += 1
    if not arrays.numbers[MATCHING]:
        return
    for edge in range(len(arrays.edges)):
        if arrays.edges[edge].place >= 0 and arrays.edges[edge].part != RAW:
            adock.result_arrived(arrays, np.int64(arrays.edges[edge].nwr), np.int64(arrays.edges[edge].place))
    for edge in range(len(arrays.edges)):
        link, row = np.int64(arrays.edges[edge].place), np.int64(arrays.edges[edge].row)
        if link >= 0 and arrays.edges[edge].part == RAW and arrays.items[row * links + link].mate == FREE:
            adock.arrived(arrays, row, link)


@compiled
def enter_before(arrays: WindowArrays, time: int) -> None:
    """Rows made before a time enter."""
    row = arrays.numbers[ENTERED]
    while row < len(arrays.rows) and arrays.rows[row].time < time:
        if arrays.numbers[PERIOD]:
            bat.tick(arrays, arrays.rows[row].time)
        enter(arrays, row)
        row += 1
    arrays.numbers[ENTERED] = row


@compiled
def enter_marked(arrays: WindowArrays, nwr: int) -> None:
    """Rows and partial results enter that the decision on an NWR elsewhere sent to us."""
    at = arrays.numbers[MARKED]
    while at < len(arrays.marked) and arrays.marked[at].nwr == nwr:
        edge, place = np.int64(arrays.marked[at].edge), np.int64(arrays.marked[at].place)
        if edge == NONE:
            enter(arrays, np.int64(arrays.marked[at].row))
        else:
            arrays.edges[edge].place = place
            if place >= 0 and arrays.numbers[MATCHING]:
                adock.result_arrived(arrays, nwr, place)
        at += 1
    arrays.numbers[MARKED] = at


@compiled
def settle(arrays: WindowArrays, nwr: int, depth: int) -> None:
    """Decide an NWR on all links with so many links before them; notify once everything has arrived."""
    goal = arrays.nwrs[nwr].goal
    arrival = arrays.height[goal, goal]
    if depth >= arrival:
        if depth == arrival:
            tell(arrays, nwr)
        return
    first, last = arrays.nwrs[nwr].first, arrays.nwrs[nwr].last
    found = 0
    for i in range(first, last):
        link = arrays.edges[arrays.nwr_edges[i]].place
        if link >= 0 and arrays.height[arrays.links[link].source, goal] == depth:
            known = False
            for k in range(found):
                known = known or arrays.touched[k] == link
            if not known:
                arrays.touched[found] = link
                found += 1
    for k in range(found):
        link = arrays.touched[k]
        count = 0
        for i in range(first, last):
            edge = arrays.nwr_edges[i]
            if arrays.edges[edge].place == link:
                arrays.waiting[count] = edge
                count += 1
        if policies.aggregate(arrays, link, nwr, count):
            aggregate(arrays, link, nwr, count, depth)
        else:
            forward(arrays, link, nwr, count, depth)
