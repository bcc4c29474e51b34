"""Statistics of the rows that claims, tables and figures need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sparing_lab.study.matchmaker.grid import MatchmakerPoint, MatchmakerScale
from sparing_lab.study.matchmaker.row import MatchmakerRow
from sparing_lab.study.results import Results

PUB_E, SUB_E, MCM = "PubE", "SubE", "MCM"
COSTS: dict[str, Callable[[MatchmakerRow], int]] = {
    PUB_E: lambda row: row.pub_e,
    SUB_E: lambda row: row.sub_e,
    MCM: lambda row: row.mcm,
}


class MatchmakerResults(Results[MatchmakerScale, MatchmakerRow]):
    """Rows by point and kind of trees."""

    key = ("point", "trees")
    number = "sample"

    def mean(self, point: MatchmakerPoint, trees: str, method: str) -> float | None:
        """Return the mean cost."""
        return self.mean_of(COSTS[method], point, trees)

    def percentile(self, point: MatchmakerPoint, trees: str, method: str, percent: float) -> float | None:
        """Return a percentile of the cost."""
        return percentile([COSTS[method](row) for row in self.samples(point, trees)], percent)

    def ratios(self, point: MatchmakerPoint, trees: str, base: str) -> list[float]:
        """Return the least cost as a share of a broadcast's, for each sample."""
        return [row.mcm / COSTS[base](row) for row in self.samples(point, trees) if COSTS[base](row)]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Return a percentile, or None without values."""
    return float(np.percentile(values, percent)) if values else None


def share(values: Sequence[bool]) -> float:
    """Return the share of true values, in percent; there must be at least one.

    >>> share([True, False])
    50.0
    """
    return 100 * sum(values) / len(values)
