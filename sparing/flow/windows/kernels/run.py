"""The loop over event time: links decide NWRs in order, upstream first, and rows enter in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.compiled import compiled
from sparing.flow.links import adock, bat
from sparing.flow.links import decide as policies
from sparing.flow.windows.kernels import apart
from sparing.flow.windows.kernels.arrays import (
    APART,
    DELIVERIES,
    DEPTH,
    ENTERED,
    EVERY,
    ITEMS,
    MATCHING,
    NEW,
    NONE,
    PATIENCE,
    PERIOD,
    REMOTE_ENTERED,
    STAMP,
    STARTED,
    STOPPED,
    TURN,
    TURN_TIME,
    UNTIL,
    WATCHED,
    WindowArrays,
    by_reference,
)
from sparing.flow.windows.kernels.places import counts, held_results, next_place, results_at
from sparing.flow.windows.kernels.travel import aggregate, enter, forward


@compiled
def run(arrays: WindowArrays, next_turn: np.ndarray) -> Any:
    """Process everything before `until`; `next_turn[d]` is the next NWR of links with d upstream links.

    With one entry, all links decide an NWR in one turn, upstream first. Returns True before each decision on a watched
    NWR, by the links with `numbers[DEPTH]` upstream links.
    """
    return _run(by_reference(arrays), next_turn)


@compiled
def _run(arrays: WindowArrays, next_turn: np.ndarray) -> bool:
    numbers = arrays.numbers
    if not numbers[STARTED]:
        resume(arrays)
        numbers[STARTED] = 1
    nwrs = len(arrays.nwrs)
    while True:
        # Without patience, all links decide one NWR, upstream first, before the next NWR.
        depth: Any = np.int64(NONE)  # no literal, or functions would be compiled twice
        time = numbers[UNTIL]
        for d in range(len(next_turn)):
            if next_turn[d] < nwrs:
                due = arrays.nwrs[arrays.order[next_turn[d]]].end + numbers[PATIENCE] * d
                if due < time or (due == time and (depth < 0 or next_turn[d] < next_turn[depth])):
                    depth, time = d, due
        enter_before(arrays, time)
        if depth < 0:
            return False
        if numbers[PERIOD]:
            bat.tick(arrays, time)
        turn = next_turn[depth]
        nwr = np.int64(arrays.order[turn])
        numbers[TURN], numbers[TURN_TIME] = nwr, time
        stop = turn * len(next_turn) + depth
        if depth == 0 and numbers[STOPPED] != stop:
            if numbers[APART]:
                apart.begin(arrays, turn, nwr)
            enter_remote(arrays, turn, nwr)
        if numbers[WATCHED] in (nwr, EVERY) and numbers[STOPPED] != stop:
            numbers[STOPPED], numbers[DEPTH] = stop, depth
            return True
        decide_nwr(arrays, nwr, depth, len(next_turn) == 1)
        next_turn[depth] += 1


@compiled
def resume(arrays: WindowArrays) -> None:
    """Restore the matchings of the items that links hold since the last step."""
    if not arrays.numbers[MATCHING]:
        return
    links = len(arrays.links)
    if arrays.numbers[PATIENCE]:
        for node in range(len(arrays.results)):
            if arrays.results[node]:
                adock.result_arrived(arrays, node // links, node % links)
    for row in range(len(arrays.time)):
        if arrays.enters[row]:
            continue
        for goal in range(len(arrays.goals)):
            link = np.int64(arrays.place[row, goal])
            if link >= 0 and arrays.mates[row * links + link] == NEW:
                adock.arrived(arrays, row, link)


@compiled
def enter_before(arrays: WindowArrays, time: int) -> None:
    """Let the rows before a time enter."""
    row = arrays.numbers[ENTERED]
    while row < len(arrays.time) and arrays.time[row] < time:
        if arrays.enters[row]:
            if arrays.numbers[PERIOD]:
                bat.tick(arrays, arrays.time[row])
            enter(arrays, row)
        row += 1
    arrays.numbers[ENTERED] = row


@compiled
def enter_remote(arrays: WindowArrays, turn: int, nwr: int) -> None:
    """Let the rows and partial results enter that the decision on an NWR in another process sent."""
    at = arrays.numbers[REMOTE_ENTERED]
    while at < len(arrays.remote) and arrays.remote[at].order == turn:
        place = np.int64(arrays.remote[at].place)
        if arrays.remote[at].result == NONE:
            enter(arrays, np.int64(arrays.remote[at].row))
        else:
            apart.result_entered(arrays, nwr, at, place)
            if place >= 0:
                arrays.results[results_at(arrays, place, nwr)] += 1
                if arrays.numbers[MATCHING]:
                    adock.result_arrived(arrays, nwr, place)
        at += 1
    arrays.numbers[REMOTE_ENTERED] = at


@compiled
def decide_nwr(arrays: WindowArrays, nwr: int, depth: int, whole: bool) -> None:
    """Decide an NWR on all links with `depth` upstream links; notify once everything has arrived.

    A `whole` decision goes on with the links further downstream, and notifies.
    """
    home = arrays.goals[arrays.nwrs[nwr].goal]
    arrival = arrays.height[home, home]
    if depth < arrival:
        found, done, upstream = links_of(arrays, nwr, depth, whole), 0, depth
        while done < found:
            k = 0
            while k < found:  # the list grows: what crosses a link stops on the next one
                link = arrays.touched[k]
                k += 1
                if arrays.height[arrays.links[link].source, home] == upstream:
                    done += 1
                    decide(arrays, link, nwr, upstream)
                    place = np.int64(next_place(arrays, link, np.int64(arrays.nwrs[nwr].goal)))
                    if whole and place >= 0 and arrays.decided_by[place] != nwr + 1:
                        arrays.decided_by[place] = nwr + 1
                        arrays.touched[found] = place
                        found += 1
            upstream += 1
    if whole or depth == arrival:
        deliver(arrays, nwr)


@compiled
def decide(arrays: WindowArrays, link: int, nwr: int, depth: int) -> None:
    """Decide an NWR on a link."""
    count = held_rows(arrays, link, nwr) if arrays.numbers[ITEMS] else 0
    together = policies.aggregate(arrays, link, nwr, count)
    arrays.aggregated[link] = together
    if together:
        aggregate(arrays, link, nwr, depth)
    else:
        if not arrays.numbers[ITEMS]:
            count = held_rows(arrays, link, nwr)
        forward(arrays, link, nwr, count, depth)


@compiled
def links_of(arrays: WindowArrays, nwr: int, depth: int, whole: bool) -> Any:
    """Write the links that hold anything for an NWR to `touched`, all or those with `depth` upstream links.

    Returns their number.
    """
    goal = arrays.nwrs[nwr].goal
    home = arrays.goals[goal]
    arrays.numbers[STAMP] += 1
    stamp, found = arrays.numbers[STAMP], np.int64(0)
    for i in range(arrays.nwrs[nwr].first, arrays.nwrs[nwr].last):
        row = np.int64(arrays.members[i])
        link = np.int64(arrays.place[row, goal])
        if link < 0 or arrays.touched_by[link] == stamp:
            continue
        is_due = whole or arrays.height[arrays.links[link].source, home] == depth
        if is_due and counts(arrays, row, nwr):
            arrays.touched_by[link] = stamp
            arrays.touched[found] = link
            found += 1
    if not whole or len(arrays.remote):  # a whole decision follows the results that it sends on
        found = links_with_results(arrays, nwr, depth, whole, found)
    if whole:
        for k in range(found):
            arrays.decided_by[arrays.touched[k]] = nwr + 1
    return found


@compiled
def links_with_results(arrays: WindowArrays, nwr: int, depth: int, whole: bool, found: Any) -> Any:
    """Add the links that hold partial results for an NWR to those that hold rows."""
    home = arrays.goals[arrays.nwrs[nwr].goal]
    for link in range(len(arrays.links)):
        if not held_results(arrays, link, nwr) or arrays.touched_by[link] == arrays.numbers[STAMP]:
            continue
        if whole or arrays.height[arrays.links[link].source, home] == depth:
            arrays.touched[found] = link
            found += 1
    return found


@compiled
def held_rows(arrays: WindowArrays, link: int, nwr: int) -> int:
    """Write the rows that a link holds for an NWR to `items`; return their number."""
    goal, count = arrays.nwrs[nwr].goal, 0
    for i in range(arrays.nwrs[nwr].first, arrays.nwrs[nwr].last):
        row = np.int64(arrays.members[i])
        if arrays.place[row, goal] == link and counts(arrays, row, nwr):
            arrays.items[count] = row
            count += 1
    return count


@compiled
def deliver(arrays: WindowArrays, nwr: int) -> None:
    """Record the notification of an NWR."""
    if arrays.numbers[APART]:
        apart.deliver(arrays, nwr)
        return
    at = arrays.numbers[DELIVERIES]
    delivery = arrays.delivered[at]
    delivery.nwr, delivery.first, delivery.last = nwr, arrays.nwrs[nwr].first, arrays.nwrs[nwr].last
    arrays.numbers[DELIVERIES] = at + 1
