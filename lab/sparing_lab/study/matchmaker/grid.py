"""What is measured: numbers of publishers and subscribers, kinds of trees, and how many samples of each.

Paper: matchmaker, section 4. It says that numbers go from 5 to 50; the steps are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.workloads.transit_stub import Rounding

SHARED, PER_SOURCE, BY_CHANCE = "shared", "per source", "ties by chance"  # the last are per source, too
TREES = (SHARED, PER_SOURCE, BY_CHANCE)
ROUNDING = Rounding.DOWN  # nearer to the printed medians than to the nearest
USUAL = 10  # publishers, subscribers
BATCH = 50  # samples of a Spark task


@dataclass(frozen=True, order=True)
class Point:
    """What the samples of a point have in common."""

    publishers: int
    subscribers: int
    rounding: Rounding = ROUNDING


@dataclass(frozen=True)
class Cell:
    """Some samples of a point, by their numbers."""

    point: Point
    first: int
    count: int

    @property
    def work(self) -> float:
        """About how long it takes, to compare cells by."""
        return self.count * self.point.publishers * (20 + self.point.subscribers)


MIDDLE = Point(USUAL, USUAL)


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    name: str
    samples: int  # of each point
    counts: tuple[int, ...]  # of subscribers or publishers

    @property
    def by_subscribers(self) -> list[Point]:
        """Figures 10(a) and 13(a)."""
        return [Point(USUAL, count) for count in self.counts]

    @property
    def by_publishers(self) -> list[Point]:
        """Figures 10(b) and 13(b)."""
        return [Point(count, USUAL) for count in self.counts]

    @property
    def points(self) -> list[Point]:
        """All of these, and the usual numbers with every rounding, each once."""
        usual = [Point(USUAL, USUAL, rounding) for rounding in Rounding]
        return sorted({*self.by_subscribers, *self.by_publishers, *usual})

    def cells(self) -> list[Cell]:
        """All experiments; large ones first, so that no core is left alone with one of them at the end."""
        found = [
            Cell(point, first, min(BATCH, self.samples - first))
            for point in self.points
            for first in range(0, self.samples, BATCH)
        ]
        return sorted(found, key=lambda cell: cell.work, reverse=True)


PAPER = Scale("paper", samples=1000, counts=tuple(range(5, 51, 5)))
SMALL = Scale("small", samples=200, counts=(5, 10, 20, 30, 40, 50))
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
