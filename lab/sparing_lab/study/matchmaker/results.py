"""Measurements, looked up by what they are samples of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

import numpy as np

from sparing_lab.study.matchmaker.grid import Point, Scale
from sparing_lab.study.matchmaker.row import Row

PUB_E, SUB_E, MCM = "PubE", "SubE", "MCM"
COSTS: dict[str, Callable[[Row], int]] = {
    PUB_E: lambda row: row.pub_e,
    SUB_E: lambda row: row.sub_e,
    MCM: lambda row: row.mcm,
}


class Results:
    """All rows of a run at one scale. What was not measured is None."""

    def __init__(self, scale: Scale, rows: Sequence[Row]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._found: dict[tuple[Point, str], list[Row]] = {}
        for row in rows:
            self._found.setdefault((row.point, row.trees), []).append(row)

    def samples(self, point: Point, trees: str) -> list[Row]:
        """Every sample of a point."""
        return self._found.get((point, trees), [])

    def mean(self, point: Point, trees: str, method: str) -> float | None:
        """The mean cost."""
        rows = self.samples(point, trees)
        return fmean(COSTS[method](row) for row in rows) if rows else None

    def percentile(self, point: Point, trees: str, method: str, percent: float) -> float | None:
        """The cost that so many samples do not exceed."""
        return percentile([COSTS[method](row) for row in self.samples(point, trees)], percent)

    def ratios(self, point: Point, trees: str, base: str) -> list[float]:
        """The least cost as a share of a broadcast's, of every sample."""
        return [row.mcm / COSTS[base](row) for row in self.samples(point, trees) if COSTS[base](row)]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value that so many do not exceed."""
    return float(np.percentile(values, percent)) if values else None


def share(values: Sequence[bool]) -> float:
    """How many of at least one are true, in percent.

    >>> share([True, False])
    50.0
    """
    return 100 * sum(values) / len(values)
