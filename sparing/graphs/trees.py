"""Shortest paths, centers and spanning trees of undirected graphs, deterministic.

A graph is a mapping node -> neighbour -> length. Ties are broken by the order of node names.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from fractions import Fraction
from math import lcm

Graph = Mapping[str, Mapping[str, float]]


def components(graph: Graph) -> list[list[str]]:
    """Return the connected components, each sorted, in the order of their first nodes."""
    reached: set[str] = set()
    parts = []
    for node in sorted(graph):
        if node not in reached:
            part = sorted(distances(graph, node))
            reached.update(part)
            parts.append(part)
    return parts


def distances(graph: Graph, root: str) -> dict[str, float]:
    """Return the length of the shortest path from `root` to every reachable node."""
    return _dijkstra(graph, root)[0]


def shortest_path_tree(graph: Graph, root: str) -> dict[str, str]:
    """Return node -> parent on a shortest path to `root`; ties: fewer hops, then the lower name."""
    return _dijkstra(graph, root)[1]


def _dijkstra(graph: Graph, root: str) -> tuple[dict[str, float], dict[str, str]]:
    length: dict[str, float] = {}
    parent: dict[str, str] = {}
    queue: list[tuple[float, int, str, str]] = [(0.0, 0, "", root)]
    while queue:
        so_far, hops, via, node = heapq.heappop(queue)
        if node in length:
            continue
        length[node] = so_far
        if via:
            parent[node] = via
        for neighbour, step in graph[node].items():
            if neighbour not in length:
                heapq.heappush(queue, (so_far + step, hops + 1, node, neighbour))
    return length, parent


def unique_paths(graph: Graph) -> dict[str, dict[str, str]]:
    """Return root -> node -> parent on a unique path between the two, the same in both directions.

    It is a shortest path; ties: fewer hops, then the path whose last edge, in the order of names, is first. Since no
    ties remain, parts of these paths are such paths, too: from any node, the rest of a path depends on its target only.

    >>> square = {"a": {"b": 1, "d": 1}, "b": {"a": 1, "c": 1}, "c": {"b": 1, "d": 1}, "d": {"a": 1, "c": 1}}
    >>> unique_paths(square)["a"]["c"], unique_paths(square)["c"]["a"]
    ('b', 'b')
    """
    edges = sorted({(min(pair), max(pair)) for node, ends in graph.items() for pair in ((node, end) for end in ends)})
    exact = [Fraction(graph[one][other]) for one, other in edges]
    unit = lcm(*[length.denominator for length in exact])
    hop = 1 << len(edges)  # more than the sum of all edges' bits
    whole = hop * (len(edges) + 1)  # more than the hops of any path
    keys: dict[str, dict[str, int]] = {node: {} for node in graph}
    for at, ((one, other), length) in enumerate(zip(edges, exact, strict=True)):
        keys[one][other] = keys[other][one] = int(length * unit) * whole + hop + (1 << at)
    return {root: _parents(keys, root) for root in graph}


def _parents(keys: Mapping[str, Mapping[str, int]], root: str) -> dict[str, str]:
    parent: dict[str, str] = {}
    done: set[str] = set()
    queue = [(0, "", root)]
    while queue:
        so_far, via, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        if node != root:
            parent[node] = via
        for neighbour, key in keys[node].items():
            if neighbour not in done:
                heapq.heappush(queue, (so_far + key, node, neighbour))
    return parent


def center(graph: Graph, nodes: list[str]) -> str:
    """Return the node of a component with the least distance to its farthest node; ties: least sum, then lowest name.

    >>> center({"a": {"b": 1}, "b": {"a": 1, "c": 1}, "c": {"b": 1}}, ["a", "b", "c"])
    'b'
    """

    def reach(node: str) -> tuple[float, float, str]:
        lengths = distances(graph, node).values()
        return max(lengths), sum(lengths), node

    return min(map(reach, nodes))[2]
