"""ADOCK: aggregate an NWR if and only if it is in some minimum vertex cover of the link's graph.

That is so if and only if every maximum matching of the graph matches it. Algorithm 1 of the paper computes two maximum
matchings for every decision. Here each link keeps one, which a new item augments; a decision asks whether the NWR's
mate could be matched to somebody else instead, by following alternating paths.

What makes it cheap: a search that fails has seen only NWRs that are in every minimum cover. They stay so until they are
decided, whatever comes and goes (`saturated`), and no later search looks at them again. Nor does a decision cost the
matching anything: an aggregated NWR was matched in every maximum matching, and the items that are forwarded were, too,
so what remains of the matching is a maximum one of what remains of the graph.

Paper: mna-aggregation, section VII-A; the structure behind it is the Dulmage-Mendelsohn decomposition.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.flow.journey.arrays import FREE, RAW, STAMP, Journey
from sparing.flow.links.policy import RESULT_WAITS, LinkPolicy, Turn
from sparing.graphs.compiled import compiled, inlined
from sparing.model.counted import counted
from sparing.model.policy import DecisionRule

TAKEN = -2  # a node that a partial result waits for, which only it can use
DECIDED = -3
NO_NODE = -1


@compiled
def aggregate(journey: Journey, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Whether the NWR is matched in every maximum matching."""
    node = nwr * len(journey.links) + link
    if journey.nodes[node].saturated:
        return True
    mate = journey.nodes[node].mate
    if mate == FREE:
        return False
    if rematched(journey, np.int64(journey.edges[mate].row), link, node):
        journey.nodes[node].mate = FREE
        return False
    return True


@compiled
def rematched(journey: Journey, start: int, link: int, without: int) -> bool:
    """Match an item to a node, other than `without`, by an alternating path to a free node; False if there is none.

    Nodes seen in vain are saturated from now on (or once `without` has been decided, which follows at once).
    """
    links = len(journey.links)
    journey.numbers[STAMP] += 1
    stamp = journey.numbers[STAMP]
    visited = 0
    head, tail = 0, 1
    journey.queue[0] = start
    while head < tail:
        row = journey.queue[head]
        head += 1
        for edge in range(journey.rows[row].first, journey.rows[row].last):
            if journey.edges[edge].place != link or journey.edges[edge].part != RAW:
                continue
            node = np.int64(journey.edges[edge].nwr) * links + link
            if journey.nodes[node].saturated or journey.nodes[node].seen == stamp or node == without:
                continue
            journey.nodes[node].seen = stamp
            journey.nodes[node].via = edge
            mate = journey.nodes[node].mate
            if mate == FREE:
                exchange(journey, start, link, node)
                return True
            journey.visited[visited] = node
            visited += 1
            journey.queue[tail] = journey.edges[mate].row
            tail += 1
    for i in range(visited):
        journey.nodes[journey.visited[i]].saturated = True
    return False


@inlined
def exchange(journey: Journey, start: int, link: int, node: int) -> None:
    """Match along the path by which a free node was found."""
    links = len(journey.links)
    while True:
        edge = journey.nodes[node].via
        row = journey.edges[edge].row
        before = journey.items[row * links + link].mate
        journey.nodes[node].mate = edge
        journey.items[row * links + link].mate = edge
        if row == start:
            return
        node = journey.edges[before].nwr * links + link


@inlined
def arrived(journey: Journey, row: int, link: int) -> None:
    """A new item."""
    rematched(journey, row, link, NO_NODE)


@compiled
def result_arrived(journey: Journey, nwr: int, link: int) -> None:
    """A partial result can be matched to its own NWR only, so every maximum matching does that."""
    node = nwr * len(journey.links) + link
    mate = journey.nodes[node].mate
    if mate == TAKEN:
        return
    was_saturated = journey.nodes[node].saturated
    journey.nodes[node].mate = TAKEN
    journey.nodes[node].saturated = True
    if mate >= 0:
        row = np.int64(journey.edges[mate].row)
        journey.items[row * len(journey.links) + link].mate = FREE
        if not was_saturated:
            rematched(journey, row, link, NO_NODE)


@inlined
def leaves(journey: Journey, row: int, link: int) -> None:
    """An item is forwarded: whoever it was matched to is free."""
    item = row * len(journey.links) + link
    mate = journey.items[item].mate
    if mate >= 0:
        journey.nodes[journey.edges[mate].nwr * len(journey.links) + link].mate = FREE
        journey.items[item].mate = FREE


@inlined
def decided(journey: Journey, link: int, nwr: int) -> None:
    """The NWR leaves the link's graph."""
    node = nwr * len(journey.links) + link
    mate = journey.nodes[node].mate
    if mate >= 0:
        journey.items[journey.edges[mate].row * len(journey.links) + link].mate = FREE
    journey.nodes[node].mate = DECIDED


class Adock(LinkPolicy):
    """Aggregates an NWR that every maximum matching matches."""

    name = DecisionRule.ADOCK
    rule = staticmethod(aggregate)
    degrees = matching = True

    def why(self, turn: Turn) -> str:
        """The matching, and the alternating path to a free window if there is one."""
        return RESULT_WAITS if turn.results else "; ".join(_matching(turn))


def _matching(turn: Turn) -> Iterator[str]:
    journey, link, nwr = turn.journey, turn.link, turn.nwr
    links = len(journey.links)
    here = (journey.edges["place"] == link) & (journey.edges["part"] == RAW)
    items, windows = (len(np.unique(journey.edges[name][here])) for name in ("row", "nwr"))
    matched = int((journey.items["mate"][link::links] != FREE).sum())
    waiting = f"{counted(items, 'publication')} and {counted(windows, 'window')} wait here"
    yield f"{waiting}, {counted(matched, 'pair')} of them matched"
    node = journey.nodes[nwr * links + link]
    if node["saturated"]:
        yield "this window is matched in every maximum matching: an unmatched publication leads to it"
        return
    if node["mate"] == FREE:
        yield "this window is left over by a maximum matching: forwarding costs no more in the end"
        return
    path = _path(journey, link, nwr)
    if path is None:
        mate = turn.rows.id[journey.edges["row"][node["mate"]]]
        yield f"it is matched in every maximum matching: its publication {mate} cannot be matched to another window"
        return
    names = [f"{turn.rows.id[row]} > {turn.name_of(other)}" for row, other in path]
    yield "it can be left out of a maximum matching, by the alternating path " + " > ".join(names)


def _path(journey: Journey, link: int, nwr: int) -> list[tuple[int, int]] | None:
    """Publications and windows by turns, from the window's own mate to a free window."""
    links = len(journey.links)
    start = int(journey.edges["row"][journey.nodes["mate"][nwr * links + link]])
    before: dict[int, tuple[int, int]] = {}  # window -> the publication that led there, and the window before
    queue = [(start, nwr)]
    for row, reached in queue:
        for edge in range(journey.rows["first"][row], journey.rows["last"][row]):
            found = journey.edges[edge]
            other = int(found["nwr"])
            node = journey.nodes[other * links + link]
            if found["place"] != link or found["part"] != RAW or node["saturated"] or other in before or other == nwr:
                continue
            before[other] = (row, reached)
            if node["mate"] == FREE:
                path = []
                while other != nwr:
                    row_before, previous = before[other]
                    path.append((row_before, other))
                    other = previous
                return path[::-1]
            queue.append((int(journey.edges["row"][node["mate"]]), other))
    return None


POLICY = Adock()
