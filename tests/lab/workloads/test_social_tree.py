"""Trees in social networks: who publishes, who subscribes, and what Facebook's first nodes give."""

import pytest

from sparing_lab.workloads.social_tree import social_tree
from sparing_lab.workloads.subscription_trees import depths
from tests.messages import refused

PATHS = [(5, 1), (5, 2), (5, 3), (1, 4), (4, 6)]  # 5 is linked with three, 6 is three links away


def test_the_node_of_highest_degree_is_the_root_and_leaves_subscribe():
    tree = social_tree(PATHS)
    assert tree.parents == (0, 0, 1)  # 5, 1, 4
    assert tree.connections == ((0,), (0,), (2,))  # 2, 3, 6
    assert tree.nodes == 6
    assert depths(tree.parents) == [0, 1, 2]


def test_directions_duplicates_and_loops_are_ignored():
    assert social_tree([*PATHS, (6, 4), (4, 6), (3, 3)]) == social_tree([(b, a) for a, b in PATHS])


def test_neighbours_are_visited_in_ascending_order():
    square = [(1, 2), (1, 3), (1, 4), (2, 9), (3, 9), (9, 10)]
    tree = social_tree(square)
    assert tree.parents == (0, 0, 1)  # 1, 2, 9: 9 was found from 2
    assert tree.connections == ((0,), (0,), (2,))


def test_only_the_first_nodes_are_used():
    assert social_tree([*PATHS, (5, 70), (5, 80), (80, 90)], first=6) == social_tree(PATHS)


def test_a_node_linked_with_all_others_is_left_out():
    assert social_tree([*PATHS, *((0, node) for node in range(1, 7))]) == social_tree(PATHS)


def test_unreachable_nodes_are_left_out():
    assert social_tree([*PATHS, (8, 9)]) == social_tree(PATHS)


@pytest.mark.parametrize("edges", [[(1, 1)], [(0, 1), (0, 2)], [(0, 1)]])
def test_edges_without_a_tree_are_rejected(edges):
    with refused("edges"):
        social_tree(edges)
