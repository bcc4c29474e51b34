"""Samples: trees that do not depend on ranges, the nearest broker, and DS trees."""

import numpy as np
import pytest

from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.grid import FACEBOOK_AVERAGE, FoldingBatch, MefaExperiment, MefaPoint, usual
from sparing_lab.study.mefa.sample import FoldingSample, draw
from sparing_lab.workloads.ranges import Distribution
from sparing_lab.workloads.subscription_trees import SubscriptionTree, depths


def test_trees_are_the_same_for_all_ranges_and_kinds():
    points = [usual(kind, one) for kind in (MefaExperiment.AGGREGATION, MefaExperiment.TREES) for one in Distribution]
    drawn = [draw(FoldingBatch(point, 0, 1), 5) for point in points]
    assert len({sample.tree for sample in drawn}) == 1
    assert len({sample.ranges.tobytes() for sample in drawn}) == len(Distribution)
    assert draw(FoldingBatch(points[0], 0, 1), 6).tree != drawn[0].tree


def test_the_real_case_has_its_tree_and_its_space():
    tree = facebook_tree()
    point = MefaPoint(MefaExperiment.FACEBOOK, tree.nodes, 60, FACEBOOK_AVERAGE, Distribution.UNIFORM)
    sample = draw(FoldingBatch(point, 0, 1, tree), 0)
    assert sample.tree == tree
    assert len(sample.problem()) == len(sample.ranges) == 60
    assert sample.ranges.min() >= 267
    assert sample.ranges.max() > 10_000
    assert sample.problem().possible() == 66


@pytest.mark.parametrize("number", range(5))
def test_do_attaches_to_the_nearest_broker(number):
    sample = draw(FoldingBatch(usual(MefaExperiment.TREES, Distribution.UNIFORM), 0, 1), number)
    depth = depths(sample.tree.parents)
    for home, brokers in zip(sample.do(), sample.tree.connections, strict=True):
        assert home in brokers
        assert depth[home] == min(depth[broker] for broker in brokers)


def test_ds_attaches_to_the_broker_with_similar_subscriptions():
    """The third may hang at 1 with one that is nothing like it, or a hop further with one that is all like it."""
    tree = SubscriptionTree((0, 0, 0, 2), ((1,), (3,), (1, 3)))
    sample = FoldingSample(tree, np.array([[0, 10], [50, 60], [50, 60]]))
    assert sample.do() == (1, 3, 1)
    assert sample.ds(0.0) == (1, 3, 3)
    assert sample.ds(10.0) == (1, 3, 1), "ten of unique range for one hop are not more than gamma"
