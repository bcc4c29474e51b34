"""Where edges come to rest if nothing but their way counts: for those who look at a whole trace at once."""

from __future__ import annotations

import numpy as np

from sparing.flow.journey.arrays import ELSEWHERE, HERE, STAMP, Journey, referred
from sparing.graphs.compiled import compiled, inlined


@inlined
def next_place(journey: Journey, link: int, nwr: int) -> int:
    """Where something for an NWR comes to rest that crosses a link."""
    broker = journey.links[link].target
    if not journey.brokers[broker].hosted:
        return ELSEWHERE
    goal = journey.nwrs[nwr].goal
    return HERE if broker == goal else journey.link_of[broker, goal]


@compiled
def find_places(journey: Journey, row: int, edges: np.ndarray) -> None:
    """Where a row comes to rest, for each of its edges: past the links that it crosses at once."""
    journey.numbers[STAMP] += 1
    stamp = journey.numbers[STAMP]
    for i in range(journey.rows[row].first_goal, journey.rows[row].last_goal):
        broker = journey.rows[row].at
        while broker != journey.goals[i] and journey.brokers[broker].hosted:
            link = journey.link_of[broker, journey.goals[i]]
            if link < 0:
                break
            journey.links[link].crossed = stamp
            broker = journey.links[link].target
    for edge in range(journey.rows[row].first, journey.rows[row].last):
        goal = journey.nwrs[edges[edge].nwr].goal
        broker = journey.rows[row].at
        rest = HERE
        while broker != goal:
            rest = journey.link_of[broker, goal]
            if journey.links[rest].crossed != stamp:
                break
            broker = journey.links[rest].target
            rest = HERE
            if not journey.brokers[broker].hosted:
                rest = ELSEWHERE
                break
        edges[edge].place = rest


def resting_places(journey: Journey) -> np.ndarray:
    """Where each edge comes to rest at first, as if all rows entered now."""
    edges = journey.edges.copy()
    _find_all_places(journey, edges)
    return edges["place"].copy()


@compiled
def _find_all_places(journey: Journey, edges: np.ndarray) -> None:
    reference = referred(journey)
    for row in range(len(journey.rows)):
        find_places(reference, row, edges)


def following(journey: Journey, links: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Where edges come to rest that cross links."""
    brokers, goals = journey.links["target"][links], journey.nwrs["goal"][journey.edges["nwr"][edges]]
    further = np.where(goals == brokers, HERE, journey.link_of[brokers, goals])
    return np.where(journey.brokers["hosted"][brokers], further, ELSEWHERE)
