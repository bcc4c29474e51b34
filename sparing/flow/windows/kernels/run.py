"""The loop over event time: links decide NWRs in order, upstream first, and rows enter in between."""

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
    by_reference,
)
from sparing.flow.windows.kernels.travel import aggregate, deliver, enter, forward


@compiled
def run(arrays: WindowArrays, next_nwr: np.ndarray) -> Any:
    """Process everything before `until`; `next_nwr[d]` is the next NWR of links with d upstream links.

    Returns True before each decision on a watched NWR, by the links with `numbers[DEPTH]` upstream links.
    """
    return _run(by_reference(arrays), next_nwr)


@compiled
def _run(arrays: WindowArrays, next_nwr: np.ndarray) -> bool:
    if not arrays.numbers[STARTED]:
        resume(arrays)
        arrays.numbers[STARTED] = 1
    nwrs = len(arrays.nwrs)
    until = arrays.numbers[UNTIL]
    while True:
        # Without patience, all links decide one NWR, upstream first, before the next NWR.
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
        decide_nwr(arrays, nwr, depth)
        next_nwr[depth] += 1


@compiled
def resume(arrays: WindowArrays) -> None:
    """Restore degrees and matchings of the items that links hold since the last step."""
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
    """Let the rows before a time enter."""
    row = arrays.numbers[ENTERED]
    while row < len(arrays.rows) and arrays.rows[row].time < time:
        if arrays.numbers[PERIOD]:
            bat.tick(arrays, arrays.rows[row].time)
        enter(arrays, row)
        row += 1
    arrays.numbers[ENTERED] = row


@compiled
def enter_marked(arrays: WindowArrays, nwr: int) -> None:
    """Let the rows and partial results enter that the decision on an NWR in another process sent."""
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
def decide_nwr(arrays: WindowArrays, nwr: int, depth: int) -> None:
    """Decide an NWR on all links with `depth` upstream links; notify once everything has arrived."""
    goal = arrays.nwrs[nwr].goal
    arrival = arrays.height[goal, goal]
    if depth >= arrival:
        if depth == arrival:
            deliver(arrays, nwr)
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
                arrays.held[count] = edge
                count += 1
        if policies.aggregate(arrays, link, nwr, count):
            aggregate(arrays, link, nwr, count, depth)
        else:
            forward(arrays, link, nwr, count, depth)
