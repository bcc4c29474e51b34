"""The walk through event time: NWRs are decided in order, upstream first, and rows enter in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.flow.journey.arrays import (
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
    Journey,
    referred,
)
from sparing.flow.journey.travel import aggregate, enter, forward, tell
from sparing.flow.links import adock, bat
from sparing.flow.links import decide as policies
from sparing.graphs.compiled import compiled


@compiled
def run(journey: Journey, next_nwr: np.ndarray) -> Any:
    """Do everything that falls before `until`. `next_nwr[d]` is the next NWR for links with d links before them.

    Stops before each turn of a watched NWR, and says so: then `numbers[DEPTH]` says which links are going to decide.
    """
    return _run(referred(journey), next_nwr)


@compiled
def _run(journey: Journey, next_nwr: np.ndarray) -> bool:
    if not journey.numbers[STARTED]:
        resume(journey)
        journey.numbers[STARTED] = 1
    nwrs = len(journey.nwrs)
    until = journey.numbers[UNTIL]
    while True:
        # Without patience this goes NWR by NWR, and for each from the first links to the last broker.
        depth, time = -1, until
        for d in range(len(next_nwr)):
            if next_nwr[d] < nwrs:
                due = journey.nwrs[next_nwr[d]].end + journey.numbers[PATIENCE] * d
                if due < time or (due == time and (depth < 0 or next_nwr[d] < next_nwr[depth])):
                    depth, time = d, due
        enter_before(journey, time)
        if depth < 0:
            return False
        if journey.numbers[PERIOD]:
            bat.tick(journey, time)
        nwr = next_nwr[depth]
        if depth == 0:
            enter_marked(journey, nwr)
        turn = nwr * len(next_nwr) + depth
        if journey.numbers[WATCHED] in (nwr, EVERY) and journey.numbers[STOPPED] != turn:
            journey.numbers[STOPPED], journey.numbers[DEPTH] = turn, depth
            return True
        settle(journey, nwr, depth)
        next_nwr[depth] += 1


@compiled
def resume(journey: Journey) -> None:
    """Items that rested on links when the last step ended: work out what policies must know of them."""
    if not journey.numbers[DEGREES]:
        return
    links = len(journey.links)
    for edge in range(len(journey.edges)):
        link = journey.edges[edge].place
        if link >= 0 and journey.edges[edge].part == RAW:
            journey.items[journey.edges[edge].row * links + link].live += 1
    if not journey.numbers[MATCHING]:
        return
    for edge in range(len(journey.edges)):
        if journey.edges[edge].place >= 0 and journey.edges[edge].part != RAW:
            adock.result_arrived(journey, np.int64(journey.edges[edge].nwr), np.int64(journey.edges[edge].place))
    for edge in range(len(journey.edges)):
        link, row = np.int64(journey.edges[edge].place), np.int64(journey.edges[edge].row)
        if link >= 0 and journey.edges[edge].part == RAW and journey.items[row * links + link].mate == FREE:
            adock.arrived(journey, row, link)


@compiled
def enter_before(journey: Journey, time: int) -> None:
    """Rows made before a time enter."""
    row = journey.numbers[ENTERED]
    while row < len(journey.rows) and journey.rows[row].time < time:
        if journey.numbers[PERIOD]:
            bat.tick(journey, journey.rows[row].time)
        enter(journey, row)
        row += 1
    journey.numbers[ENTERED] = row


@compiled
def enter_marked(journey: Journey, nwr: int) -> None:
    """Rows and partial results enter that the decision on an NWR elsewhere sent to us."""
    at = journey.numbers[MARKED]
    while at < len(journey.marked) and journey.marked[at].nwr == nwr:
        edge, place = np.int64(journey.marked[at].edge), np.int64(journey.marked[at].place)
        if edge == NONE:
            enter(journey, np.int64(journey.marked[at].row))
        else:
            journey.edges[edge].place = place
            if place >= 0 and journey.numbers[MATCHING]:
                adock.result_arrived(journey, nwr, place)
        at += 1
    journey.numbers[MARKED] = at


@compiled
def settle(journey: Journey, nwr: int, depth: int) -> None:
    """Decide an NWR on all links with so many links before them; notify once everything has arrived."""
    goal = journey.nwrs[nwr].goal
    arrival = journey.height[goal, goal]
    if depth >= arrival:
        if depth == arrival:
            tell(journey, nwr)
        return
    first, last = journey.nwrs[nwr].first, journey.nwrs[nwr].last
    found = 0
    for i in range(first, last):
        link = journey.edges[journey.nwr_edges[i]].place
        if link >= 0 and journey.height[journey.links[link].source, goal] == depth:
            known = False
            for k in range(found):
                known = known or journey.touched[k] == link
            if not known:
                journey.touched[found] = link
                found += 1
    for k in range(found):
        link = journey.touched[k]
        count = 0
        for i in range(first, last):
            edge = journey.nwr_edges[i]
            if journey.edges[edge].place == link:
                journey.waiting[count] = edge
                count += 1
        if policies.aggregate(journey, link, nwr, count):
            aggregate(journey, link, nwr, count, depth)
        else:
            forward(journey, link, nwr, count, depth)
