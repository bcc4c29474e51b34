"""Shortest paths, components and centers against slow relaxation."""

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sparing.graphs.trees import center, components, distances, shortest_path_tree


@st.composite
def graphs(draw):
    """Undirected graphs of up to seven nodes with lengths that often tie."""
    nodes = "abcdefg"[: draw(st.integers(1, 7))]
    graph = {node: {} for node in draw(st.permutations(nodes))}
    for one, other in combinations(nodes, 2):
        if draw(st.integers(0, 2)) == 0:
            graph[one][other] = graph[other][one] = draw(st.sampled_from([1.0, 2.0, 0.5]))
    return graph


def all_pairs(graph):
    """(length, hops) of the best path between every two nodes, by relaxing until nothing changes."""
    best = {(a, b): (0.0, 0) if a == b else (math.inf, 0) for a in graph for b in graph}
    changed = True
    while changed:
        changed = False
        for a in graph:
            for b in graph:
                for c, step in graph[b].items():
                    length, hops = best[a, b]
                    if length < math.inf and (length + step, hops + 1) < best[a, c]:
                        best[a, c], changed = (length + step, hops + 1), True
    return best


@given(graphs())
def test_distances(graph):
    best = all_pairs(graph)
    for root in graph:
        assert distances(graph, root) == {n: best[root, n][0] for n in graph if best[root, n][0] < math.inf}


@given(graphs())
def test_parents_are_the_lowest_on_a_shortest_path_with_the_fewest_hops(graph):
    best = all_pairs(graph)
    for root in graph:
        expected = {}
        for node in graph:
            length, hops = best[root, node]
            if node != root and length < math.inf:
                last = [
                    via
                    for via, step in graph[node].items()
                    if (best[root, via][0] + step, best[root, via][1] + 1) == (length, hops)
                ]
                expected[node] = min(last)
        assert shortest_path_tree(graph, root) == expected


@given(graphs())
def test_components_partition_the_nodes_by_reach(graph):
    best = all_pairs(graph)
    found = components(graph)
    assert sorted(node for part in found for node in part) == sorted(graph)
    assert found == sorted(sorted(part) for part in found)
    of = {node: at for at, part in enumerate(found) for node in part}
    for one, other in combinations(graph, 2):
        assert (of[one] == of[other]) == (best[one, other][0] < math.inf)


@given(graphs())
def test_centers_are_nearest_to_their_farthest_node(graph):
    best = all_pairs(graph)
    for part in components(graph):

        def reach(node, part=part):
            lengths = [best[node, other][0] for other in part]
            return max(lengths), sum(lengths), node

        assert center(graph, part) == min(map(reach, part))[2]


def test_paths_of_equal_length_and_hops_go_by_name():
    graph = {"a": {"b": 1, "c": 1, "d": 2}, "b": {"a": 1, "d": 1}, "c": {"a": 1, "d": 1}, "d": {"b": 1, "c": 1, "a": 2}}
    assert shortest_path_tree(graph, "a") == {"b": "a", "c": "a", "d": "a"}  # one hop of 2 before two hops of 1
    del graph["d"]["a"], graph["a"]["d"]
    assert shortest_path_tree(graph, "d") == {"b": "d", "c": "d", "a": "b"}
