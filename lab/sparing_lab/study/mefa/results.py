"""Measurements, looked up by what they are samples of."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sparing_lab.study.mefa.grid import DRAWN, EXACT, Kind, Point, Scale
from sparing_lab.study.mefa.row import Row
from sparing_lab.workloads.ranges import Distribution


class Results:
    """All rows of a run at one scale. What was not measured is None."""

    def __init__(self, scale: Scale, rows: Sequence[Row]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._found: dict[tuple[Point, str, str, str], list[Row]] = {}
        for row in sorted(rows, key=lambda row: row.sample):
            self._found.setdefault((row.point, row.target, row.method, row.tree), []).append(row)

    def facebook(self, distribution: Distribution) -> list[Point]:
        """The point of the real case, whose tree may be a user's own, if it was measured."""
        points = {key[0] for key in self._found}
        return [point for point in points if point.kind is Kind.FACEBOOK and point.distribution is distribution]

    def samples(self, point: Point, target: str, method: str, tree: str = DRAWN) -> list[Row]:
        """Every sample of a point, by number."""
        return self._found.get((point, target, method, tree), [])

    def cost(self, point: Point, target: str, method: str, tree: str = DRAWN) -> float | None:
        """The mean cost."""
        return mean([row.cost for row in self.samples(point, target, method, tree)])

    def costs(self, points: Sequence[Point], target: str, method: str, tree: str = DRAWN) -> list[float]:
        """The costs of all samples of points, in an order that is the same for all methods and trees."""
        return [row.cost for point in points for row in self.samples(point, target, method, tree)]

    def ratios(self, point: Point, target: str, method: str) -> list[float]:
        """The cost as a multiple of the least, of every sample in which the least is not nothing."""
        best = [row.cost for row in self.samples(point, target, EXACT) if row.cost]
        return [row.cost / least for row, least in zip(self.above_nothing(point, target, method), best, strict=True)]

    def above_nothing(self, point: Point, target: str, method: str) -> list[Row]:
        """The samples in which the least cost is not nothing."""
        pairs = zip(self.samples(point, target, method), self.samples(point, target, EXACT), strict=True)
        return [row for row, best in pairs if best.cost]

    def best(self, point: Point, target: str, method: str) -> float | None:
        """In how many samples the cost is the least possible, in percent."""
        return no_dearer(self.costs([point], target, method), self.costs([point], target, EXACT))


def mean(values: Sequence[float]) -> float | None:
    """The mean, if there are any."""
    return fmean(values) if values else None


def less(mine: Sequence[float], others: Sequence[float]) -> float | None:
    """By how much the sum of mine is below that of others, in percent.

    >>> less([1, 2], [2, 2])
    25.0
    """
    return 100 * (1 - sum(mine) / sum(others)) if sum(others) else None


def no_dearer(mine: Sequence[float], *others: Sequence[float]) -> float | None:
    """In how many samples mine is not above any other, in percent.

    >>> no_dearer([1, 2], [1, 1], [3, 3])
    50.0
    """
    found = [all(one <= other for other in rest) for one, *rest in zip(mine, *others, strict=True)]
    return 100 * sum(found) / len(found) if found else None
