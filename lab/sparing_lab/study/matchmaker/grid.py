"""The parameter grid: numbers of publishers and subscribers, kinds of trees, and numbers of samples.

Paper: matchmaker, section 4. It says that numbers go from 5 to 50; the steps are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.grid import Batch, batches

SHARED, PER_SOURCE, BY_CHANCE = "shared", "per source", "ties by chance"  # the last are per source, too
TREES = (SHARED, PER_SOURCE, BY_CHANCE)
ROUNDING = Rounding.DOWN  # nearer to the printed medians than to the nearest
USUAL = 10  # publishers, subscribers
BATCH = 50  # samples of a Spark task


@dataclass(frozen=True, order=True)
class MatchmakerPoint:
    """The parameters of a point."""

    publishers: int
    subscribers: int
    rounding: Rounding = ROUNDING


MIDDLE = MatchmakerPoint(USUAL, USUAL)


@dataclass(frozen=True)
class MatchmakerScale:
    """The amount of measurements."""

    name: str
    samples: int  # of each point
    counts: tuple[int, ...]  # of subscribers or publishers

    @property
    def by_subscribers(self) -> list[MatchmakerPoint]:
        """Return the points of Figures 10(a) and 13(a)."""
        return [MatchmakerPoint(USUAL, count) for count in self.counts]

    @property
    def by_publishers(self) -> list[MatchmakerPoint]:
        """Return the points of Figures 10(b) and 13(b)."""
        return [MatchmakerPoint(count, USUAL) for count in self.counts]

    @property
    def points(self) -> list[MatchmakerPoint]:
        """All of these, and the default numbers with every rounding, without duplicates."""
        usual = [MatchmakerPoint(USUAL, USUAL, rounding) for rounding in Rounding]
        return sorted({*self.by_subscribers, *self.by_publishers, *usual})

    def cells(self) -> list[Batch[MatchmakerPoint]]:
        """Return all experiments, longest first to keep all cores busy until the end."""
        cells = [Batch(point, *batch) for point in self.points for batch in batches(self.samples, BATCH)]
        return sorted(cells, key=_work, reverse=True)


def _work(batch: Batch[MatchmakerPoint]) -> float:
    """Return about how long a batch takes, in any unit."""
    return batch.count * batch.point.publishers * (20 + batch.point.subscribers)


PAPER = MatchmakerScale("paper", samples=1000, counts=tuple(range(5, 51, 5)))
SMALL = MatchmakerScale("small", samples=200, counts=(5, 10, 20, 30, 40, 50))
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
