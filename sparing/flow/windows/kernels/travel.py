"""The moves of rows: they enter, stop on links, are forwarded, become part of a partial result, and arrive."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.links import adock, bat
from sparing.flow.windows.kernels import apart
from sparing.flow.windows.kernels.arrays import (
    APART,
    DEGREES,
    MATCHING,
    NONE,
    PATIENCE,
    PERIOD,
    PUBLICATIONS,
    RESULTS,
    STAMP,
    TURN_TIME,
    WindowArrays,
)
from sparing.flow.windows.kernels.places import find_places, held_results, next_place, results_at, undecided
from sparing.flow.windows.window_state import FIRST, LAST


@compiled
def enter(arrays: WindowArrays, row: int) -> None:
    """Let a row enter: it crosses links on arrival, and stops on the first other links towards its NWRs."""
    find_places(arrays, row, arrays.place)
    stop_on_links(arrays, row, np.int64(NONE))


@compiled
def stop_on_links(arrays: WindowArrays, row: int, broker: int) -> None:
    """Add items for a row that stops on the links of a broker that it reached (-1: on all links, it entered)."""
    if not arrays.numbers[DEGREES] and not arrays.numbers[MATCHING] and not arrays.numbers[PERIOD]:
        return
    arrays.numbers[STAMP] += 1
    stamp = arrays.numbers[STAMP]
    found = 0
    for i in range(arrays.starts[row], arrays.starts[row + 1]):
        link = np.int64(arrays.place[row, arrays.goal_of[arrays.held[i]]])
        if link >= 0 and arrays.nwr_count[i] and arrays.touched_by[link] != stamp:
            arrays.touched_by[link] = stamp
            if broker < 0 or arrays.links[link].source == broker:
                arrays.landing[found] = link
                found += 1
    for i in range(found):
        link = arrays.landing[i]
        if arrays.numbers[PERIOD] or arrays.numbers[DEGREES]:
            degree = undecided(arrays, row, link)
            if arrays.numbers[PERIOD] and degree:
                bat.arrived(arrays, link)
        if arrays.numbers[DEGREES]:
            for goal in range(len(arrays.goals)):
                if arrays.place[row, goal] == link:
                    arrays.degree[row, goal] = degree
        if arrays.numbers[MATCHING]:
            adock.arrived(arrays, row, link)


@compiled
def forward(arrays: WindowArrays, link: int, nwr: int, count: int, depth: int) -> None:
    """Forward the rows that a link holds for an NWR (the first `count` of `items`), and its partial results.

    Rows leave the link's graph for all their NWRs, and stop on the next links.
    """
    bucket = bucket_of(arrays, nwr, depth)
    arrays.messages[link, PUBLICATIONS, bucket] += count
    hosted = arrays.brokers[arrays.links[link].target].hosted
    for i in range(count):
        row = np.int64(arrays.items[i])
        if arrays.numbers[MATCHING]:
            adock.leaves(arrays, row, link)
        if not hosted:
            apart.send(arrays, PUBLICATIONS, link, nwr, row)
        for goal in range(len(arrays.goals)):
            if arrays.place[row, goal] == link:
                arrays.place[row, goal] = next_place(arrays, link, goal)
                if arrays.numbers[PATIENCE]:
                    mark(arrays, row, goal, link, nwr, depth)
        if hosted:
            stop_on_links(arrays, row, arrays.links[link].target)
    if arrays.numbers[MATCHING]:
        adock.decided(arrays, link, nwr)
    found = held_results(arrays, link, nwr)
    if found:
        arrays.messages[link, RESULTS, bucket] += found
        arrays.results[results_at(arrays, link, nwr)] = 0
        pass_results(arrays, link, nwr, found)
    if arrays.numbers[APART]:
        apart.forwarded(arrays, link, nwr)


@inlined
def bucket_of(arrays: WindowArrays, nwr: int, depth: int) -> Any:
    """Return the time bucket of a decision."""
    return np.int64(arrays.bucket_of[nwr, depth if arrays.numbers[PATIENCE] else 0])


@inlined
def mark(arrays: WindowArrays, row: int, goal: int, link: int, nwr: int, depth: int) -> None:
    """Mark a forwarded row: on its way to a goal it counts for the NWRs that the link has not decided yet."""
    delay = arrays.height[arrays.links[link].source, arrays.goals[goal]]
    arrays.mark_end[row, goal] = arrays.numbers[TURN_TIME] - arrays.numbers[PATIENCE] * delay
    # Turns at the same time are in the decision order: a link nearer to its goal decides an NWR that ended earlier.
    subscription = arrays.nwrs[nwr].subscription if delay == depth else (LAST if delay > depth else FIRST)
    arrays.mark_subscription[row, goal] = subscription


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, depth: int) -> None:
    """Send one partial result of what the link holds for an NWR."""
    arrays.messages[link, RESULTS, bucket_of(arrays, nwr, depth)] += 1
    arrays.results[results_at(arrays, link, nwr)] = 0
    if arrays.numbers[MATCHING]:
        adock.decided(arrays, link, nwr)
    pass_results(arrays, link, nwr, np.int64(1))
    if arrays.numbers[APART]:
        apart.aggregated(arrays, link, nwr)


@inlined
def pass_results(arrays: WindowArrays, link: int, nwr: int, found: int) -> None:
    """Let partial results stop on the next link, which must aggregate them."""
    place = np.int64(next_place(arrays, link, np.int64(arrays.nwrs[nwr].goal)))
    if place >= 0:
        arrays.results[results_at(arrays, place, nwr)] += found
        if arrays.numbers[MATCHING]:
            adock.result_arrived(arrays, nwr, place)
