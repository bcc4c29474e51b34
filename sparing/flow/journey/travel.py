"""How rows move: they enter, come to rest on links, are forwarded, become part of a partial result, arrive."""

from __future__ import annotations

import numpy as np

from sparing.flow.journey.arrays import (
    DEGREES,
    ELSEWHERE,
    HERE,
    MATCHING,
    PERIOD,
    PUBLICATIONS,
    RAW,
    RESULTS,
    SENDING,
    TELLING,
    TOLD,
    Journey,
)
from sparing.flow.journey.places import find_places, next_place
from sparing.flow.links import adock, bat
from sparing.graphs.compiled import compiled, inlined


@compiled
def enter(journey: Journey, row: int) -> None:
    """A row's time has come: it passes the links that it crosses at once, and comes to rest on the way to its NWRs."""
    find_places(journey, row, journey.edges)
    settle_down(journey, row, -1)


@compiled
def settle_down(journey: Journey, row: int, before: int) -> None:
    """A row has come to rest on links behind the link `before` (-1: it entered): there are new items."""
    if not journey.numbers[DEGREES] and not journey.numbers[PERIOD]:
        return
    links = len(journey.links)
    found = 0
    for edge in range(journey.rows[row].first, journey.rows[row].last):
        link = journey.edges[edge].place
        if link < 0 or journey.edges[edge].part != RAW:
            continue
        if before >= 0 and journey.links[link].source != journey.links[before].target:
            continue
        item = row * links + link
        if journey.items[item].degree == 0:
            journey.landing[found] = link
            found += 1
        journey.items[item].degree += 1
        journey.items[item].live += 1
    for i in range(found):
        link = journey.landing[i]
        if journey.numbers[PERIOD]:
            bat.arrived(journey, link)
        if journey.numbers[MATCHING]:
            adock.arrived(journey, row, link)


@compiled
def forward(journey: Journey, link: int, nwr: int, count: int, depth: int) -> None:
    """What waits for an NWR (`waiting`, so many edges) crosses the link as it is.

    Rows leave the link's graph for all their NWRs, and come to rest again at the far end.
    """
    bucket = journey.bucket_of[nwr, depth]
    links = len(journey.links)
    away = not journey.brokers[journey.links[link].target].hosted
    for i in range(count):
        edge = journey.waiting[i]
        if journey.edges[edge].part != RAW:
            if journey.edges[edge].part == edge:
                journey.messages[link, RESULTS, bucket] += 1
                if away:
                    send(journey, RESULTS, link, nwr, edge)
            journey.edges[edge].place = next_place(journey, link, nwr)
            continue
        row = np.int64(journey.edges[edge].row)
        journey.messages[link, PUBLICATIONS, bucket] += 1
        if journey.numbers[MATCHING]:
            adock.leaves(journey, row, link)
        for other in range(journey.rows[row].first, journey.rows[row].last):
            if journey.edges[other].place == link and journey.edges[other].part == RAW:
                journey.edges[other].place = next_place(journey, link, np.int64(journey.edges[other].nwr))
        if journey.numbers[DEGREES]:
            journey.items[row * links + link].live = 0
        if away:
            send(journey, PUBLICATIONS, link, nwr, row)
        else:
            settle_down(journey, row, link)
    if journey.numbers[MATCHING]:
        adock.decided(journey, link, nwr)
        pass_results(journey, link, nwr, count)


@compiled
def aggregate(journey: Journey, link: int, nwr: int, count: int, depth: int) -> None:
    """What waits for an NWR becomes one partial result, which crosses the link."""
    links = len(journey.links)
    journey.messages[link, RESULTS, journey.bucket_of[nwr, depth]] += 1
    result = journey.waiting[0]
    place = next_place(journey, link, nwr)
    for i in range(count):
        edge = journey.waiting[i]
        if journey.edges[edge].part == RAW and journey.numbers[DEGREES]:
            journey.items[journey.edges[edge].row * links + link].live -= 1
        journey.edges[edge].part = result
        journey.edges[edge].place = place
    if journey.numbers[MATCHING]:
        adock.decided(journey, link, nwr)
        pass_results(journey, link, nwr, count)
    if place == ELSEWHERE:
        send(journey, RESULTS, link, nwr, result)


@inlined
def pass_results(journey: Journey, link: int, nwr: int, count: int) -> None:
    """Partial results have come to the next link: its node must be aggregated when its turn comes."""
    for i in range(count):
        edge = journey.waiting[i]
        place = np.int64(journey.edges[edge].place)
        if journey.edges[edge].part != RAW and place >= 0 and place != link:
            adock.result_arrived(journey, nwr, place)
            return


@inlined
def send(journey: Journey, kind: int, link: int, nwr: int, what: int) -> None:
    """Note a message to a broker that is hosted elsewhere."""
    at = journey.numbers[SENDING]
    journey.sent[at, 0] = kind
    journey.sent[at, 1] = link
    journey.sent[at, 2] = nwr
    journey.sent[at, 3] = what
    journey.numbers[SENDING] = at + 1


@compiled
def tell(journey: Journey, nwr: int) -> None:
    """What has arrived for an NWR becomes a notification."""
    at = journey.numbers[TELLING]
    first = journey.told[at - 1].last if at else 0
    found = first
    for i in range(journey.nwrs[nwr].first, journey.nwrs[nwr].last):
        edge = journey.nwr_edges[i]
        if journey.edges[edge].place == HERE:
            journey.edges[edge].place = TOLD
            journey.told_rows[found] = journey.edges[edge].row
            found += 1
    if found > first:
        journey.told[at].nwr = nwr
        journey.told[at].last = found
        journey.numbers[TELLING] = at + 1
