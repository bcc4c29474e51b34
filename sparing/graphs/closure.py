"""Maximum closures: the most valuable set of nodes that contains, with every node, all that the node requires.

Picard (1976): a minimum cut between the valuable nodes and the costly ones, with edges of unlimited capacity from each
node to what it requires, separates such a set from the rest. One maximum flow finds it; here by pushing the highest
excess first, with exact distances from time to time (Goldberg and Tarjan 1986, Cherkassky and Goldberg 1997). The
source and the sink need no nodes: values above zero are what comes in, values below zero what can go out.
"""

from __future__ import annotations

import numpy as np

from sparing.graphs.compiled import compiled

MOST = 2**62  # what can be counted
PATIENCE = 8  # times that a node rises before it waits for exact distances


def largest_closure(value: np.ndarray, node: np.ndarray, required: np.ndarray) -> np.ndarray:
    """Which nodes are in the largest of the most valuable closed sets; node[i] requires required[i].

    Values are whole numbers whose positive ones add up to less than 2^62, as do the negative ones.

    >>> largest_closure(np.array([3, -2, 0, 1]), np.array([0, 3]), np.array([1, 1])).tolist()
    [True, True, True, True]
    """
    total = max(float(value[value > 0].sum(dtype=float)), -float(value[value < 0].sum(dtype=float)))
    if total >= MOST:
        raise OverflowError(f"the values add up to {total:.3g}, and only {MOST:.3g} can be worked with")
    out, head = arranged(node.astype(np.int64, copy=False), required.astype(np.int64, copy=False), len(value))
    tail = np.repeat(np.arange(len(value)), np.diff(out))
    into, back = arranged(head, np.arange(len(head)), len(value))
    inside: np.ndarray = _cut_off(value.astype(np.int64, copy=False), out, head, tail, into, back)
    return inside


@compiled
def arranged(ends: np.ndarray, others: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges by one of their ends: those of `node` lead to found[first[node] : first[node + 1]]."""
    first = np.zeros(count + 1, np.int64)
    for end in ends:
        first[end + 1] += 1
    for node in range(count):
        first[node + 1] += first[node]
    found, ahead = np.empty(len(ends), np.int64), first[:-1].copy()
    for edge in range(len(ends)):
        found[ahead[ends[edge]]] = others[edge]
        ahead[ends[edge]] += 1
    return first, found


@compiled
def _cut_off(
    value: np.ndarray, out: np.ndarray, head: np.ndarray, tail: np.ndarray, into: np.ndarray, back: np.ndarray
) -> np.ndarray:
    """Which nodes cannot send anything more to the sink once as much as possible has been sent there.

    Edges are in the order of their tails: node -> head[out[node] : out[node + 1]]; back[into[node] : into[node + 1]]
    are the edges that lead to it.
    """
    count = len(value)
    excess, room = np.empty(count, np.int64), np.empty(count, np.int64)  # node -> what it has, and can send to the sink
    for node in range(count):
        excess[node], room[node] = max(value[node], 0), max(-value[node], 0)
    flow = np.zeros(len(head), np.int64)
    height, queue = np.empty(count, np.int64), np.empty(count, np.int64)
    current = np.empty(count, np.int64)  # node -> the edges before this one lead nowhere at its height
    top, under = np.empty(count + 1, np.int64), np.empty(count, np.int64)  # stacks of nodes with excess, by height
    rises = np.empty(count, np.int64)  # node -> how often it has risen since distances were worked out
    again = True
    while again:
        _measure(room, flow, out, head, tail, into, back, height, queue)
        top[:], current[:], rises[:] = -1, 0, 0
        highest, again = 0, False
        for node in range(count):
            if excess[node] > 0 and height[node] < count + 1:
                under[node], top[height[node]] = top[height[node]], node
                highest = max(highest, height[node])
        while highest > 0:
            node = top[highest]
            if node < 0:
                highest -= 1
                continue
            top[highest] = under[node]
            outward, inward = out[node + 1] - out[node], into[node + 1] - into[node]
            while excess[node] > 0:
                if height[node] == 1 and room[node] > 0:
                    sent = min(excess[node], room[node])
                    excess[node] -= sent
                    room[node] -= sent
                    continue
                at = current[node]
                while at < outward + inward and excess[node] > 0:
                    if at < outward:
                        edge = out[node] + at
                        other, sent = head[edge], excess[node]
                    else:
                        edge = back[into[node] + at - outward]
                        other, sent = tail[edge], -min(excess[node], flow[edge])
                    if sent != 0 and height[other] == height[node] - 1:
                        if excess[other] == 0:
                            under[other], top[height[other]] = top[height[other]], other
                            highest = max(highest, height[other])
                        flow[edge] += sent
                        excess[node] -= abs(sent)
                        excess[other] += abs(sent)
                    if excess[node] > 0:
                        at += 1
                current[node] = at
                if excess[node] > 0:  # nothing lower is left: it rises
                    lowest = count if room[node] == 0 else 0
                    for at in range(outward):
                        lowest = min(lowest, height[head[out[node] + at]])
                    for at in range(inward):
                        edge = back[into[node] + at]
                        if flow[edge] > 0:
                            lowest = min(lowest, height[tail[edge]])
                    height[node], current[node] = lowest + 1, 0
                    rises[node] += 1
                    if lowest >= count:
                        break
                    if rises[node] > PATIENCE:
                        again = True
                        break
    _measure(room, flow, out, head, tail, into, back, height, queue)
    return height > count


@compiled
def _measure(
    room: np.ndarray,
    flow: np.ndarray,
    out: np.ndarray,
    head: np.ndarray,
    tail: np.ndarray,
    into: np.ndarray,
    back: np.ndarray,
    height: np.ndarray,
    queue: np.ndarray,
) -> None:
    """Node -> how many edges away the sink is along what can still flow; more than there are nodes: out of reach."""
    height[:] = len(height) + 1
    done, count = 0, 0
    for node in range(len(height)):
        if room[node] > 0:
            height[node], queue[count] = 1, node
            count += 1
    while done < count:
        node = queue[done]
        done += 1
        for at in range(into[node], into[node + 1]):
            other = tail[back[at]]
            if height[other] > height[node] + 1:
                height[other], queue[count] = height[node] + 1, other
                count += 1
        for edge in range(out[node], out[node + 1]):
            other = head[edge]
            if flow[edge] > 0 and height[other] > height[node] + 1:
                height[other], queue[count] = height[node] + 1, other
                count += 1
