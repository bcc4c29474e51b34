"""The tree of RankCoverK against building it with plain lists, and what holds for any such tree."""

from __future__ import annotations

import numpy as np
import pytest

from sparing.control.covering.ancestor_cover import ancestors
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.rank_cover import rank_cover
from sparing.control.covering.ranked_boxes import RankedBoxes
from sparing.control.covering.regular_cover import regular_cover
from sparing_lab.study.topk.rank_tree import rank_tree, tree_depths
from sparing_lab.study.topk.world import RangeSubscriptions, ranges


class Node:
    """A range and its children."""

    def __init__(self, number):
        self.number, self.children = number, []


def judged(made, places):
    """The depths of a tree in which every node has a list of children."""

    def covers(one, other):
        return made.low[one] <= made.low[other] and made.high[other] <= made.high[one]

    root = Node(None)
    for number in range(len(made)):
        node, found = Node(number), root
        while below := [child for child in found.children if covers(child.number, number)]:
            found = min(below, key=lambda child: places[child.number])
        node.children = [child for child in found.children if covers(number, child.number)]
        found.children = [child for child in found.children if child not in node.children] + [node]
    depths = {}

    def walk(node, depth):
        for child in node.children:
            depths[child.number] = depth
            walk(child, depth + 1)

    walk(root, 1)
    return [depths[number] for number in range(len(made))]


@pytest.mark.parametrize("seed", range(20))
def test_depths_agree_with_the_obvious_tree(seed):
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 20, 60) / 20  # some ranges are equal
    made = RangeSubscriptions(low, low + rng.integers(1, 12, 60) / 20)
    places = rng.permutation(60)
    assert tree_depths(made.low, made.high, places).tolist() == judged(made, places)


def test_the_first_level_agrees_with_regular_cover():
    made = ranges(500, (0.3, 0.6), 1)
    ranked = RankedBoxes.by_containment(CodedBoxes.of_numbers(made.low[:, None], made.high[:, None]))
    assert ((rank_tree(made, 1) == 1) == regular_cover(ranked, 1)).all()


def test_depths_are_bounded_by_ancestors_and_longest_paths():
    made = ranges(500, (0.3, 0.6), 2)
    depths = rank_tree(made, 2)
    ranked = RankedBoxes.by_containment(CodedBoxes.of_numbers(made.low[:, None], made.high[:, None]))
    assert (ancestors(ranked, 500) >= depths - 1).all()
    for k in (1, 3, 5):
        assert (rank_cover(ranked, k) <= (depths <= k)).all()


def test_without_ranges_the_tree_is_empty():
    assert len(tree_depths(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))) == 0
