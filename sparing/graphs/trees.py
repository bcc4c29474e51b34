"""Shortest paths, centers and spanning trees of undirected graphs, the same on every run.

A graph is a mapping node -> neighbour -> length. Ties are broken by the order of node names.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

Graph = Mapping[str, Mapping[str, float]]


def components(graph: Graph) -> list[list[str]]:
    """Connected components, each sorted, in the order of their first nodes."""
    seen: set[str] = set()
    found = []
    for node in sorted(graph):
        if node not in seen:
            part = sorted(distances(graph, node))
            seen.update(part)
            found.append(part)
    return found


def distances(graph: Graph, root: str) -> dict[str, float]:
    """Length of the shortest path from `root` to every node that it reaches."""
    return _dijkstra(graph, root)[0]


def shortest_path_tree(graph: Graph, root: str) -> dict[str, str]:
    """Node -> its parent on a shortest path to `root`; among equals the path with fewer hops, then the lower name."""
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


def center(graph: Graph, nodes: list[str]) -> str:
    """The node of a component with the least distance to its farthest node, then the least sum, then the lowest name.

    >>> center({"a": {"b": 1}, "b": {"a": 1, "c": 1}, "c": {"b": 1}}, ["a", "b", "c"])
    'b'
    """

    def reach(node: str) -> tuple[float, float, str]:
        lengths = distances(graph, node).values()
        return max(lengths), sum(lengths), node

    return min(map(reach, nodes))[2]
