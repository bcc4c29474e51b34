"""One sample: a tree and the ranges of its subscribers.

Samples of one number have the same tree whatever their ranges are like.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.control.folding.problem import Problem
from sparing.control.folding.ranges import RangePieces
from sparing.control.trees.ds import attach
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.mefa.grid import FACEBOOK_SPACE, SPACE, FoldingBatch, MefaExperiment
from sparing_lab.workloads.ranges import ranges
from sparing_lab.workloads.subscription_trees import SubscriptionTree, depths, subscription_tree


@dataclass(frozen=True, eq=False)
class FoldingSample:
    """A tree and its subscriptions, numbered like their subscribers."""

    tree: SubscriptionTree
    ranges: np.ndarray  # [subscription, end]

    def problem(self, homes: tuple[int, ...] | None = None) -> Problem:
        """Return the folding problem for the subscribers' brokers (None: the first connection of each)."""
        return Problem.on_tree(self.tree.parents, homes or self.tree.homes, self.ranges.tolist())

    @cached_property
    def hops(self) -> list[list[int]]:
        """Return [subscriber, connection] -> links to the publisher."""
        depth = depths(self.tree.parents)
        return [[depth[broker] for broker in brokers] for brokers in self.tree.connections]

    def do(self) -> tuple[int, ...]:
        """Return subscriber -> the nearest of its brokers; of equals, the first."""
        pairs = zip(self.tree.connections, self.hops, strict=True)
        return tuple(brokers[hops.index(min(hops))] for brokers, hops in pairs)

    def ds(self, gamma: float) -> tuple[int, ...]:
        """Return subscriber -> its broker in the DS tree."""
        low, high = self.ranges[:, :1].astype(np.float64), self.ranges[:, 1:].astype(np.float64)
        pieces = RangePieces(np.arange(len(self.ranges) + 1), low, high)
        found, _ = attach(self.do(), self.tree.connections, self.hops, pieces, gamma)
        return tuple(found)


def draw(batch: FoldingBatch, number: int) -> FoldingSample:
    """Return the sample of a number."""
    point = batch.point
    tree = batch.tree or subscription_tree(
        seeded_rng(number, "mefa", "tree", point.nodes, point.subscribers), point.nodes, point.subscribers
    )
    rng = seeded_rng(number, "mefa", "ranges", point.subscribers, point.average, point.distribution.value)
    space = FACEBOOK_SPACE if point.kind is MefaExperiment.FACEBOOK else SPACE
    return FoldingSample(tree, ranges(rng, point.subscribers, point.average, space, point.distribution))
