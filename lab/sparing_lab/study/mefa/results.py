"""Statistics of the rows that claims, tables and figures need."""

from __future__ import annotations

from collections.abc import Sequence

from sparing_lab.study.mefa.grid import DRAWN, EXACT, MefaExperiment, MefaPoint, MefaScale
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.study.results import Results
from sparing_lab.workloads.ranges import Distribution


class MefaResults(Results[MefaScale, MefaRow]):
    """Rows by point, target, method and tree."""

    key = ("point", "target", "method", "tree")
    number = "sample"

    def facebook(self, distribution: Distribution) -> list[MefaPoint]:
        """Return the point of the real case if it was measured; its tree may be a user's own."""
        points = {key[0] for key in self.keys}
        return [
            point for point in points if point.kind is MefaExperiment.FACEBOOK and point.distribution is distribution
        ]

    def cost(self, point: MefaPoint, target: str, method: str, tree: str = DRAWN) -> float | None:
        """Return the mean cost."""
        return self.mean_of(lambda row: row.cost, point, target, method, tree)

    def costs(self, points: Sequence[MefaPoint], target: str, method: str, tree: str = DRAWN) -> list[float]:
        """Return the costs of all samples of points, in the same order for all methods and trees."""
        return [row.cost for point in points for row in self.samples(point, target, method, tree)]

    def ratios(self, point: MefaPoint, target: str, method: str) -> list[float]:
        """Return the cost as a multiple of the least, for samples whose least cost is above 0."""
        best = [row.cost for row in self.samples(point, target, EXACT, DRAWN) if row.cost]
        return [row.cost / least for row, least in zip(self.above_zero(point, target, method), best, strict=True)]

    def above_zero(self, point: MefaPoint, target: str, method: str) -> list[MefaRow]:
        """Return the samples whose least cost is above 0."""
        pairs = zip(self.samples(point, target, method, DRAWN), self.samples(point, target, EXACT, DRAWN), strict=True)
        return [row for row, best in pairs if best.cost]

    def best(self, point: MefaPoint, target: str, method: str) -> float | None:
        """Return the share of samples with the least possible cost, in percent."""
        return no_dearer(self.costs([point], target, method), self.costs([point], target, EXACT))


def less(mine: Sequence[float], others: Sequence[float]) -> float | None:
    """Return how far the sum of `mine` is below that of `others`, in percent.

    >>> less([1, 2], [2, 2])
    25.0
    """
    return 100 * (1 - sum(mine) / sum(others)) if sum(others) else None


def no_dearer(mine: Sequence[float], *others: Sequence[float]) -> float | None:
    """Return the share of samples in which `mine` is not above any other, in percent.

    >>> no_dearer([1, 2], [1, 1], [3, 3])
    50.0
    """
    found = [all(one <= other for other in rest) for one, *rest in zip(mine, *others, strict=True)]
    return 100 * sum(found) / len(found) if found else None
