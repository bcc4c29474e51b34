"""The moves of rows: they enter, stop on links, are forwarded, become part of a partial result, and arrive."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.links import adock, bat
from sparing.flow.windows.kernels.arrays import (
    DEGREES,
    DELIVERED,
    DELIVERIES,
    ELSEWHERE,
    HERE,
    MATCHING,
    OUTGOING,
    PERIOD,
    PUBLICATIONS,
    RAW,
    RESULTS,
    WindowArrays,
)
from sparing.flow.windows.kernels.places import find_places, next_place


@compiled
def enter(arrays: WindowArrays, row: int) -> None:
    """Let a row enter: it crosses links on arrival, and stops on the first other links towards its NWRs."""
    find_places(arrays, row, arrays.edges)
    stop_on_links(arrays, row, -1)


@compiled
def stop_on_links(arrays: WindowArrays, row: int, before: int) -> None:
    """Add items for a row that stops on the links after `before` (-1: it entered)."""
    if not arrays.numbers[DEGREES] and not arrays.numbers[PERIOD]:
        return
    links = len(arrays.links)
    found = 0
    for edge in range(arrays.rows[row].first, arrays.rows[row].last):
        link = arrays.edges[edge].place
        if link < 0 or arrays.edges[edge].part != RAW:
            continue
        if before >= 0 and arrays.links[link].source != arrays.links[before].target:
            continue
        item = row * links + link
        if arrays.items[item].degree == 0:
            arrays.landing[found] = link
            found += 1
        arrays.items[item].degree += 1
        arrays.items[item].live += 1
    for i in range(found):
        link = arrays.landing[i]
        if arrays.numbers[PERIOD]:
            bat.arrived(arrays, link)
        if arrays.numbers[MATCHING]:
            adock.arrived(arrays, row, link)


@compiled
def forward(arrays: WindowArrays, link: int, nwr: int, count: int, depth: int) -> None:
    """Forward the items that the link holds for an NWR (the first `count` edges of `held`).

    Rows leave the link's graph for all their NWRs, and stop on the next links.
    """
    bucket = arrays.bucket_of[nwr, depth]
    links = len(arrays.links)
    away = not arrays.brokers[arrays.links[link].target].hosted
    for i in range(count):
        edge = arrays.held[i]
        if arrays.edges[edge].part != RAW:
            if arrays.edges[edge].part == edge:
                arrays.messages[link, RESULTS, bucket] += 1
                if away:
                    send(arrays, RESULTS, link, nwr, edge)
            arrays.edges[edge].place = next_place(arrays, link, nwr)
            continue
        row = np.int64(arrays.edges[edge].row)
        arrays.messages[link, PUBLICATIONS, bucket] += 1
        if arrays.numbers[MATCHING]:
            adock.leaves(arrays, row, link)
        for other in range(arrays.rows[row].first, arrays.rows[row].last):
            if arrays.edges[other].place == link and arrays.edges[other].part == RAW:
                arrays.edges[other].place = next_place(arrays, link, np.int64(arrays.edges[other].nwr))
        if arrays.numbers[DEGREES]:
            arrays.items[row * links + link].live = 0
        if away:
            send(arrays, PUBLICATIONS, link, nwr, row)
        else:
            stop_on_links(arrays, row, link)
    if arrays.numbers[MATCHING]:
        adock.decided(arrays, link, nwr)
        pass_results(arrays, link, nwr, count)


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int, depth: int) -> None:
    """Send one partial result of the items that the link holds for an NWR."""
    links = len(arrays.links)
    arrays.messages[link, RESULTS, arrays.bucket_of[nwr, depth]] += 1
    result = arrays.held[0]
    place = next_place(arrays, link, nwr)
    for i in range(count):
        edge = arrays.held[i]
        if arrays.edges[edge].part == RAW and arrays.numbers[DEGREES]:
            arrays.items[arrays.edges[edge].row * links + link].live -= 1
        arrays.edges[edge].part = result
        arrays.edges[edge].place = place
    if arrays.numbers[MATCHING]:
        adock.decided(arrays, link, nwr)
        pass_results(arrays, link, nwr, count)
    if place == ELSEWHERE:
        send(arrays, RESULTS, link, nwr, result)


@inlined
def pass_results(arrays: WindowArrays, link: int, nwr: int, count: int) -> None:
    """Add partial results to the graph of the next link, which must aggregate them."""
    for i in range(count):
        edge = arrays.held[i]
        place = np.int64(arrays.edges[edge].place)
        if arrays.edges[edge].part != RAW and place >= 0 and place != link:
            adock.result_arrived(arrays, nwr, place)
            return


@inlined
def send(arrays: WindowArrays, kind: int, link: int, nwr: int, what: int) -> None:
    """Record a message to a broker hosted by another process."""
    at = arrays.numbers[OUTGOING]
    arrays.sent[at, 0] = kind
    arrays.sent[at, 1] = link
    arrays.sent[at, 2] = nwr
    arrays.sent[at, 3] = what
    arrays.numbers[OUTGOING] = at + 1


@compiled
def deliver(arrays: WindowArrays, nwr: int) -> None:
    """Record the notification of an NWR from the edges that have arrived."""
    at = arrays.numbers[DELIVERIES]
    first = arrays.delivered[at - 1].last if at else 0
    found = first
    for i in range(arrays.nwrs[nwr].first, arrays.nwrs[nwr].last):
        edge = arrays.nwr_edges[i]
        if arrays.edges[edge].place == HERE:
            arrays.edges[edge].place = DELIVERED
            arrays.delivered_rows[found] = arrays.edges[edge].row
            found += 1
    if found > first:
        arrays.delivered[at].nwr = nwr
        arrays.delivered[at].last = found
        arrays.numbers[DELIVERIES] = at + 1
