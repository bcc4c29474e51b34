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
from sparing.flow.windows.kernels.arrays import FREE, STAMP, WindowArrays
from sparing.flow.windows.kernels.places import counts
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
    mate = np.int64(arrays.nodes[node].mate)
    if mate == FREE:
        return False
    if rematched(arrays, mate, link, node):
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
        for i in range(arrays.starts[row], arrays.starts[row + 1]):
            if arrays.place[row, arrays.goal_of[np.uint64(arrays.held[i])]] != link:
                continue
            for nwr in range(arrays.first_nwr[i], arrays.first_nwr[i] + arrays.nwr_count[i]):
                node = nwr * links + link
                state = arrays.nodes[node]
                if state.saturated or state.seen == stamp or node == without or state.mate == DECIDED:
                    continue
                if not counts(arrays, row, nwr):
                    continue
                arrays.nodes[node].seen = stamp
                arrays.nodes[node].via = row
                mate = state.mate
                if mate == FREE:
                    exchange(arrays, start, link, nwr)
                    return True
                arrays.visited[visited] = node
                visited += 1
                arrays.queue[tail] = mate
                tail += 1
    for i in range(visited):
        arrays.nodes[arrays.visited[i]].saturated = True
    return False


@inlined
def exchange(arrays: WindowArrays, start: int, link: int, free: int) -> None:
    """Augment the matching along the path to a free node."""
    links, nwr = len(arrays.links), np.int64(free)
    while True:
        row = np.int64(arrays.nodes[nwr * links + link].via)
        before = np.int64(arrays.mates[row * links + link])
        arrays.nodes[nwr * links + link].mate = row
        arrays.mates[row * links + link] = nwr
        if row == start:
            return
        nwr = before


@compiled
def arrived(arrays: WindowArrays, row: int, link: int) -> None:
    """Add an item to the link's graph."""
    arrays.mates[row * len(arrays.links) + link] = FREE
    rematched(arrays, row, link, np.int64(NO_NODE))


@compiled
def result_arrived(arrays: WindowArrays, nwr: int, link: int) -> None:
    """Add a partial result, which every maximum matching matches to its own NWR."""
    node = nwr * len(arrays.links) + link
    mate = np.int64(arrays.nodes[node].mate)
    if mate == TAKEN:
        return
    was_saturated = arrays.nodes[node].saturated
    arrays.nodes[node].mate = TAKEN
    arrays.nodes[node].saturated = True
    if mate >= 0:
        arrays.mates[mate * len(arrays.links) + link] = FREE
        if not was_saturated:
            rematched(arrays, mate, link, np.int64(NO_NODE))


@inlined
def leaves(arrays: WindowArrays, row: int, link: int) -> None:
    """Remove a forwarded item; its node becomes free."""
    item = row * len(arrays.links) + link
    nwr = np.int64(arrays.mates[item])
    if nwr >= 0:
        arrays.nodes[nwr * len(arrays.links) + link].mate = FREE
        arrays.mates[item] = FREE


@inlined
def decided(arrays: WindowArrays, link: int, nwr: int) -> None:
    """Remove a decided NWR from the link's graph."""
    node = nwr * len(arrays.links) + link
    mate = np.int64(arrays.nodes[node].mate)
    if mate >= 0:
        arrays.mates[mate * len(arrays.links) + link] = FREE
    arrays.nodes[node].mate = DECIDED


class Adock(LinkPolicy):
    """Aggregates an NWR that every maximum matching matches."""

    name = DecisionRule.ADOCK
    rule = staticmethod(aggregate)
    items = False
    matching = True

    def why(self, context: DecisionContext) -> str:
        """Return the state of the matching, and the alternating path to a free window if there is one."""
        return RESULT_HELD if context.results else "; ".join(_matching(context))


def _matching(context: DecisionContext) -> Iterator[str]:
    arrays, link, nwr = context.arrays, context.link, context.nwr
    links = len(arrays.links)
    rows, nwrs = context.graph
    items, windows = (len(np.unique(ends)) for ends in (rows, nwrs))
    matched = int((arrays.mates[link::links] >= 0).sum())
    held = f"the link holds {counted(items, 'publication')} for {counted(windows, 'window')}"
    yield f"{held}, with {counted(matched, 'matched pair')}"
    node = arrays.nodes[nwr * links + link]
    if node["saturated"]:
        yield "this window is matched in every maximum matching: an alternating path from an unmatched item reaches it"
        return
    if node["mate"] == FREE:
        yield "this window is left over by a maximum matching, so forwarding costs no more messages"
        return
    path = _path(context)
    if path is None:
        mate = context.rows.id[int(node["mate"])]
        yield f"it is matched in every maximum matching: its publication {mate} cannot be matched to another window"
        return
    names = [f"{context.rows.id[row]} > {context.name_of(other)}" for row, other in path]
    yield "it can be left out of a maximum matching, by the alternating path " + " > ".join(names)


def _path(context: DecisionContext) -> list[tuple[int, int]] | None:
    """Return an alternating path of publications and windows, from the window's own mate to a free window."""
    arrays, nwr = context.arrays, context.nwr
    nodes = arrays.nodes[context.link :: len(arrays.links)]
    windows_of: dict[int, list[int]] = {}
    for row, other in zip(*(ends.tolist() for ends in context.graph), strict=True):
        windows_of.setdefault(row, []).append(other)
    before: dict[int, tuple[int, int]] = {}  # window -> the publication that led there, and the window before
    queue = [(int(nodes["mate"][nwr]), nwr)]
    for row, reached in queue:
        for other in windows_of[row]:
            if nodes["saturated"][other] or other in before or other == nwr:
                continue
            before[other] = (row, reached)
            if nodes["mate"][other] == FREE:
                path, last = [], other
                while last != nwr:
                    row_before, previous = before[last]
                    path.append((row_before, last))
                    last = previous
                return path[::-1]
            queue.append((int(nodes["mate"][other]), other))
    return None


POLICY = Adock()
