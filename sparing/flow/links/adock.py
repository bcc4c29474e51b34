"""ADOCK: aggregate an NWR if and only if it is in some minimum vertex cover of the link's graph.

An NWR is in some minimum vertex cover if and only if every maximum matching matches it. Algorithm 1 of the paper
computes two maximum matchings for every decision. Here each link keeps one matching, which a new item augments; a
decision searches for an alternating path that matches the NWR's item to another NWR.

Searches are cheap: a failed search has visited only NWRs that are in every minimum cover. They remain so until they are
decided (`saturated`), and later searches skip them. Decisions do not change the matching: an aggregated NWR was matched
in every maximum matching, and so were the forwarded items, so the rest of the matching is maximum in the rest of the
graph.

Paper: mna-aggregation, section VII-A; the structure behind it is the Dulmage-Mendelsohn decomposition.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.links.policy import RESULT_HELD, DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import FREE, RAW, STAMP, WindowArrays
from sparing.model.counted import counted
from sparing.model.policy import DecisionRule

TAKEN = -2  # matched to a partial result of the node's own NWR
DECIDED = -3
NO_NODE = -1


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Return whether the NWR is matched in every maximum matching."""
    node = nwr * len(arrays.links) + link
    if arrays.nodes[node].saturated:
        return True
    mate = arrays.nodes[node].mate
    if mate == FREE:
        return False
    if rematched(arrays, np.int64(arrays.edges[mate].row), link, node):
        arrays.nodes[node].mate = FREE
        return False
    return True


@compiled
def rematched(arrays: WindowArrays, start: int, link: int, without: int) -> bool:
    """Match an item to a node other than `without`, by an alternating path to a free node; False if there is none.

    After a failed search, the visited nodes are saturated (`without` is decided right afterwards).
    """
    links = len(arrays.links)
    arrays.numbers[STAMP] += 1
    stamp = arrays.numbers[STAMP]
    visited = 0
    head, tail = 0, 1
    arrays.queue[0] = start
    while head < tail:
        row = arrays.queue[head]
        head += 1
        for edge in range(arrays.rows[row].first, arrays.rows[row].last):
            if arrays.edges[edge].place != link or arrays.edges[edge].part != RAW:
                continue
            node = np.int64(arrays.edges[edge].nwr) * links + link
            if arrays.nodes[node].saturated or arrays.nodes[node].seen == stamp or node == without:
                continue
            arrays.nodes[node].seen = stamp
            arrays.nodes[node].via = edge
            mate = arrays.nodes[node].mate
            if mate == FREE:
                exchange(arrays, start, link, node)
                return True
            arrays.visited[visited] = node
            visited += 1
            arrays.queue[tail] = arrays.edges[mate].row
            tail += 1
    for i in range(visited):
        arrays.nodes[arrays.visited[i]].saturated = True
    return False


@inlined
def exchange(arrays: WindowArrays, start: int, link: int, node: int) -> None:
    """Augment the matching along the path to a free node."""
    links = len(arrays.links)
    while True:
        edge = arrays.nodes[node].via
        row = arrays.edges[edge].row
        before = arrays.items[row * links + link].mate
        arrays.nodes[node].mate = edge
        arrays.items[row * links + link].mate = edge
        if row == start:
            return
        node = arrays.edges[before].nwr * links + link


@inlined
def arrived(arrays: WindowArrays, row: int, link: int) -> None:
    """Add an item to the link's graph."""
    rematched(arrays, row, link, NO_NODE)


@compiled
def result_arrived(arrays: WindowArrays, nwr: int, link: int) -> None:
    """Add a partial result, which every maximum matching matches to its own NWR."""
    node = nwr * len(arrays.links) + link
    mate = arrays.nodes[node].mate
    if mate == TAKEN:
        return
    was_saturated = arrays.nodes[node].saturated
    arrays.nodes[node].mate = TAKEN
    arrays.nodes[node].saturated = True
    if mate >= 0:
        row = np.int64(arrays.edges[mate].row)
        arrays.items[row * len(arrays.links) + link].mate = FREE
        if not was_saturated:
            rematched(arrays, row, link, NO_NODE)


@inlined
def leaves(arrays: WindowArrays, row: int, link: int) -> None:
    """Remove a forwarded item; its node becomes free."""
    item = row * len(arrays.links) + link
    mate = arrays.items[item].mate
    if mate >= 0:
        arrays.nodes[arrays.edges[mate].nwr * len(arrays.links) + link].mate = FREE
        arrays.items[item].mate = FREE


@inlined
def decided(arrays: WindowArrays, link: int, nwr: int) -> None:
    """Remove a decided NWR from the link's graph."""
    node = nwr * len(arrays.links) + link
    mate = arrays.nodes[node].mate
    if mate >= 0:
        arrays.items[arrays.edges[mate].row * len(arrays.links) + link].mate = FREE
    arrays.nodes[node].mate = DECIDED


class Adock(LinkPolicy):
    """Aggregates an NWR that every maximum matching matches."""

    name = DecisionRule.ADOCK
    rule = staticmethod(aggregate)
    degrees = matching = True

    def why(self, context: DecisionContext) -> str:
        """Return the state of the matching, and the alternating path to a free window if there is one."""
        return RESULT_HELD if context.results else "; ".join(_matching(context))


def _matching(context: DecisionContext) -> Iterator[str]:
    arrays, link, nwr = context.arrays, context.link, context.nwr
    links = len(arrays.links)
    here = (arrays.edges["place"] == link) & (arrays.edges["part"] == RAW)
    items, windows = (len(np.unique(arrays.edges[name][here])) for name in ("row", "nwr"))
    matched = int((arrays.items["mate"][link::links] != FREE).sum())
    held = f"the link holds {counted(items, 'publication')} for {counted(windows, 'window')}"
    yield f"{held}, with {counted(matched, 'matched pair')}"
    node = arrays.nodes[nwr * links + link]
    if node["saturated"]:
        yield "this window is matched in every maximum matching: an alternating path from an unmatched item reaches it"
        return
    if node["mate"] == FREE:
        yield "this window is left over by a maximum matching, so forwarding costs no more messages"
        return
    path = _path(arrays, link, nwr)
    if path is None:
        mate = context.rows.id[arrays.edges["row"][node["mate"]]]
        yield f"it is matched in every maximum matching: its publication {mate} cannot be matched to another window"
        return
    names = [f"{context.rows.id[row]} > {context.name_of(other)}" for row, other in path]
    yield "it can be left out of a maximum matching, by the alternating path " + " > ".join(names)


def _path(arrays: WindowArrays, link: int, nwr: int) -> list[tuple[int, int]] | None:
    """Return an alternating path of publications and windows, from the window's own mate to a free window."""
    links = len(arrays.links)
    start = int(arrays.edges["row"][arrays.nodes["mate"][nwr * links + link]])
    before: dict[int, tuple[int, int]] = {}  # window -> the publication that led there, and the window before
    queue = [(start, nwr)]
    for row, reached in queue:
        for edge in range(arrays.rows["first"][row], arrays.rows["last"][row]):
            found = arrays.edges[edge]
            other = int(found["nwr"])
            node = arrays.nodes[other * links + link]
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
            queue.append((int(arrays.edges["row"][node["mate"]]), other))
    return None


POLICY = Adock()
