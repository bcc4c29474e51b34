"""The lower bound on messages over each link: a maximum matching of publications and NWRs, found row by row.

The graph of a link has all publications behind it, as if nothing were decided upstream, and all NWRs beyond it. Each
publication is matched along an alternating path if there is one. NWRs that a failed search has visited can never be
matched to another publication, and later searches skip them (`links.adock` has the same structure).
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.flow.windows.kernels.arrays import FREE, NODE, WindowArrays, by_reference
from sparing.flow.windows.kernels.places import first_places, next_place


def least_messages(arrays: WindowArrays) -> np.ndarray:
    """Return the lower bound on messages over each link for any policy, without those that cross on arrival."""
    least = np.zeros(len(arrays.links), dtype=np.int64)
    place = first_places(arrays)
    for link in range(len(arrays.links)):
        nodes = np.zeros(len(arrays.nwrs), dtype=NODE)
        nodes["mate"] = FREE
        mates = np.full(len(arrays.time), FREE, dtype=np.int32)
        least[link] = match_rows(arrays, link, place, nodes, mates)
    return least


@compiled
def match_rows(arrays, link, place, nodes, mates):
    """Match the rows that may cross a link; return how many are matched."""
    reference = by_reference(arrays)
    leads = lead_over(reference, link)
    matched = 0
    for row in range(len(reference.time)):
        crosses = False
        for goal in range(place.shape[1]):
            crosses = crosses or (place[row, goal] >= 0 and leads[place[row, goal], goal])
        if crosses and match_row(reference, np.int64(row), place, leads, nodes, mates):
            matched += 1
    return matched


@compiled
def lead_over(arrays, link):
    """Return whether the path from each link towards each goal leads over a link, [link, goal]."""
    links, goals = len(arrays.links), len(arrays.goals)
    leads = np.zeros((links, goals), np.bool_)
    for start in range(links):
        for goal in range(goals):
            at = np.int64(start)
            while at >= 0 and at != link:
                at = np.int64(next_place(arrays, at, goal))
            leads[start, goal] = at == link
    return leads


@compiled
def match_row(arrays, start, place, leads, nodes, mates):
    """Match a row by an alternating path to a free NWR; return whether there is one."""
    head, tail, visited = 0, 1, 0
    arrays.queue[0] = start
    while head < tail:
        row = arrays.queue[head]
        head += 1
        for i in range(arrays.starts[row], arrays.starts[row + 1]):
            goal = arrays.goal_of[np.uint64(arrays.held[i])]
            rest = place[row, goal]
            if rest < 0 or not leads[rest, goal]:
                continue
            for nwr in range(arrays.first_nwr[i], arrays.first_nwr[i] + arrays.nwr_count[i]):
                if nodes[nwr].saturated or nodes[nwr].seen == start + 1:
                    continue
                nodes[nwr].seen = start + 1
                nodes[nwr].via = row
                mate = np.int64(nodes[nwr].mate)
                if mate == FREE:
                    exchange(nodes, mates, start, nwr)
                    return True
                arrays.visited[visited] = nwr
                visited += 1
                arrays.queue[tail] = mate
                tail += 1
    for i in range(visited):
        nodes[arrays.visited[i]].saturated = 1
    return False


@compiled
def exchange(nodes, mates, start, free):
    """Augment the matching along the path from a row to a free NWR."""
    nwr = np.int64(free)
    while nwr != FREE:
        row = np.int64(nodes[nwr].via)
        before = np.int64(mates[row])
        nodes[nwr].mate = row
        mates[row] = nwr
        nwr = FREE if row == start else before
