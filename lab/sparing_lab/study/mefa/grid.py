"""The parameter grid: kinds of experiments, sizes of trees and ranges, targets, and numbers of samples.

Source: mefa.txt, experiments. The slides give 46 nodes with 20 subscribers, 96 with 40, and average sizes of ranges
from 20 to 50; the steps between them are ours. So is what stays the same while the other varies: USUAL.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sparing_lab.study.grid import Batch, batches
from sparing_lab.workloads.ranges import Distribution
from sparing_lab.workloads.subscription_trees import SubscriptionTree

SPACE = (0, 400)
USUAL_TREE, USUAL_AVERAGE = (96, 40), 35
FACEBOOK_SPACE, FACEBOOK_AVERAGE = (267, 32_947), 1_687
EXACT_TREE, EXACT_AVERAGE = (20, 8), 50  # so small that the best clusters can be found by trying all
GAMMAS = (0.0, 10.0, 30.0)  # how much unique range a further hop must save

THETA = 100
LINKS, PAIRS = f"{THETA} links", f"{THETA} pairs"  # two accounts of what is saved
SHARES = {"25%": 0.25, "50%": 0.5, "75%": 0.75}  # of all that could be saved
TARGETS = (PAIRS, LINKS, *SHARES)

MEFA, SPA, AA, PRINTED, EXACT = "MEFA", "SPA", "AA", "MEFA as printed", "exact"
METHODS = (MEFA, SPA, AA)

DRAWN, DO = "as drawn", "DO"  # trees

HOUR, LEAVES = 3600, 60  # seconds, and subscribers replaced in that time
RATES = (0.1, 1.0, 10.0)  # publications a second
NOT_FOLDED, SKI_RENTAL, AT_ONCE, NEVER = "not folded", "ski rental", "at once", "never"
CHURN_METHODS = (NOT_FOLDED, AT_ONCE, NEVER, SKI_RENTAL)  # folded by MEFA, and reconfigured then
BATCH = 10  # samples of a Spark task


def ds(gamma: float) -> str:
    """Return the name of DS trees.

    >>> ds(10.0)
    'DS, gamma = 10'
    """
    return f"DS, gamma = {gamma:g}"


def a_second(rate: float) -> str:
    """Return the name of a rate.

    >>> a_second(0.1)
    '0.1 a second'
    """
    return f"{rate:g} a second"


class MefaExperiment(StrEnum):
    """The kind of an experiment."""

    AGGREGATION = "aggregation"  # methods on trees that are drawn
    FACEBOOK = "facebook"  # methods on the tree of the real case
    TREES = "trees"  # MEFA on DO and DS trees
    EXACT = "exact"  # methods on small trees, and the least cost
    CHURN = "churn"  # subscribers come and go


@dataclass(frozen=True, order=True)
class MefaPoint:
    """The parameters of a point."""

    kind: MefaExperiment
    nodes: int
    subscribers: int
    average: int  # size of ranges
    distribution: Distribution


@dataclass(frozen=True)
class FoldingBatch(Batch[MefaPoint]):
    """Samples of a point; those of the real case share its tree."""

    tree: SubscriptionTree | None = None


@dataclass(frozen=True)
class MefaScale:
    """The amount of measurements."""

    name: str
    samples: int  # of each point
    small_samples: int  # of each point of the small trees
    trees: tuple[tuple[int, int], ...]  # nodes, and subscribers among them
    averages: tuple[int, ...]

    def by_nodes(self, kind: MefaExperiment, distribution: Distribution) -> list[MefaPoint]:
        """Return the points with several sizes of trees."""
        return [MefaPoint(kind, *tree, USUAL_AVERAGE, distribution) for tree in self.trees]

    def by_average(self, distribution: Distribution) -> list[MefaPoint]:
        """Return the points with several sizes of ranges."""
        return [MefaPoint(MefaExperiment.AGGREGATION, *USUAL_TREE, average, distribution) for average in self.averages]

    @property
    def points(self) -> list[MefaPoint]:
        """All points except those of the real case, without duplicates."""
        found = set()
        for distribution in Distribution:
            found |= {*self.by_nodes(MefaExperiment.AGGREGATION, distribution), *self.by_average(distribution)}
            found |= {*self.by_nodes(MefaExperiment.TREES, distribution), exact_point(distribution)}
            found.add(usual(MefaExperiment.CHURN, distribution))
        return sorted(found)

    def cells(self, facebook: SubscriptionTree) -> list[FoldingBatch]:
        """Return all experiments, those with many subscribers first to keep all cores busy until the end."""
        found = []
        for point in self.points:
            samples = self.small_samples if point.kind is MefaExperiment.EXACT else self.samples
            found += [FoldingBatch(point, *batch) for batch in batches(samples, BATCH)]
        for distribution in Distribution:
            subscribers = len(facebook.connections)
            point = MefaPoint(MefaExperiment.FACEBOOK, facebook.nodes, subscribers, FACEBOOK_AVERAGE, distribution)
            found += [FoldingBatch(point, *batch, facebook) for batch in batches(self.samples, BATCH)]
        return sorted(found, key=lambda cell: cell.point.subscribers, reverse=True)


def usual(kind: MefaExperiment, distribution: Distribution) -> MefaPoint:
    """Return the default point, which is part of several sweeps."""
    return MefaPoint(kind, *USUAL_TREE, USUAL_AVERAGE, distribution)


def exact_point(distribution: Distribution) -> MefaPoint:
    """Return the point of small trees."""
    return MefaPoint(MefaExperiment.EXACT, *EXACT_TREE, EXACT_AVERAGE, distribution)


PAPER = MefaScale(
    "paper",
    samples=100,
    small_samples=200,
    trees=((46, 20), (56, 24), (66, 28), (76, 32), (86, 36), (96, 40)),
    averages=(20, 25, 30, 35, 40, 45, 50),
)
SMALL = MefaScale("small", samples=10, small_samples=20, trees=((46, 20), (66, 28), (96, 40)), averages=(20, 35, 50))
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
