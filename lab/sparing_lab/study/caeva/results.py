"""Measurements, looked up by what they are samples of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from sparing_lab.study.caeva.grid import FIXED, Point, Scale
from sparing_lab.study.caeva.row import Row

Count = Callable[[Row], float]


def data(row: Row) -> float:
    """Messages that carry what was reported."""
    return row.data


def up(row: Row) -> float:
    """Those of them that go to the coordinator: where passive aggregators are matters for no others."""
    return row.up


def total(row: Row) -> float:
    """All messages, with those that coordinate."""
    return row.total


class Results:
    """All rows of a run at one scale. What was not measured is None."""

    def __init__(self, scale: Scale, rows: Sequence[Row]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._found: dict[tuple[Point, str], list[Row]] = {}
        for row in sorted(rows, key=lambda row: row.sample):
            self._found.setdefault((row.point, row.method), []).append(row)

    def samples(self, point: Point, method: str) -> list[Row]:
        """Every sample of a point, by number."""
        return self._found.get((point, method), [])

    def mean(self, point: Point, method: str, count: Count) -> float | None:
        """The mean of something."""
        rows = self.samples(point, method)
        return fmean(map(count, rows)) if rows else None

    def suppressed(self, point: Point, method: str, count: Count = data) -> float | None:
        """How many messages there are fewer than Siena's, in percent."""
        rows = self.samples(point, method)
        return 100 * (1 - sum(map(count, rows)) / sum(row.siena for row in rows)) if rows else None

    def ahead(self, point: Point, method: str, other: str, count: Count = data) -> float | None:
        """How many messages a method sends fewer than another, in percent of the other's."""
        mine, others = (self.mean(point, one, count) for one in (method, other))
        return 100 * (1 - mine / others) if mine is not None and others else None

    def fixed(self, point: Point) -> list[int]:
        """The distances that were measured, ascending."""
        names = {method for at, method in self._found if at == point and method.startswith(FIXED)}
        return sorted(int(name.removeprefix(FIXED)) for name in names)

    def among_fixed(self, point: Point, choose: Callable[[Sequence[float]], float], count: Count = data) -> list[float]:
        """Of each sample, the best or the worst fixed distance's messages."""
        by_sample: dict[int, list[float]] = {}
        for hops in self.fixed(point):
            for row in self.samples(point, f"{FIXED}{hops}"):
                by_sample.setdefault(row.sample, []).append(count(row))
        return [choose(some) for _, some in sorted(by_sample.items())]

    def ratios(self, point: Point, method: str, count: Count = data) -> list[float]:
        """Messages as a multiple of those with the best fixed distance, of each sample."""
        mine = [count(row) for row in self.samples(point, method)]
        return [one / best for one, best in zip(mine, self.among_fixed(point, min, count), strict=True) if best]

    def ratio(self, point: Point, method: str, count: Count = data) -> float | None:
        """The same over all samples together."""
        mine, best = [count(row) for row in self.samples(point, method)], self.among_fixed(point, min, count)
        return sum(mine) / sum(best) if mine and sum(best) else None
