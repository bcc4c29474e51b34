"""Statistics of the rows that claims, tables and figures need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparing_lab.study.caeva.grid import FIXED, CaevaPoint, CaevaScale
from sparing_lab.study.caeva.row import CaevaRow
from sparing_lab.study.results import Results

Count = Callable[[CaevaRow], float]


def data(row: CaevaRow) -> float:
    """Return messages that carry reports."""
    return row.data


def up(row: CaevaRow) -> float:
    """Return those on the way to the coordinator, the only ones that the placement affects."""
    return row.up


def total(row: CaevaRow) -> float:
    """Return all messages, including coordination."""
    return row.total


class CaevaResults(Results[CaevaScale, CaevaRow]):
    """Rows by point and method; every statistic takes the messages to count."""

    key = ("point", "method")
    number = "sample"

    def mean(self, point: CaevaPoint, method: str, count: Count) -> float | None:
        """Return the mean of a count over samples."""
        return self.mean_of(count, point, method)

    def suppressed(self, point: CaevaPoint, method: str, count: Count = data) -> float | None:
        """Return how far messages are below Siena's, in percent."""
        rows = self.samples(point, method)
        return 100 * (1 - sum(map(count, rows)) / sum(row.siena for row in rows)) if rows else None

    def ahead(self, point: CaevaPoint, method: str, other: str, count: Count = data) -> float | None:
        """Return how far a method's messages are below another's, in percent."""
        mine, others = (self.mean(point, one, count) for one in (method, other))
        return 100 * (1 - mine / others) if mine is not None and others else None

    def fixed(self, point: CaevaPoint) -> list[int]:
        """Return the fixed distances that were measured, ascending."""
        names = {method for at, method in self.keys if at == point and method.startswith(FIXED)}
        return sorted(int(name.removeprefix(FIXED)) for name in names)

    def among_fixed(
        self, point: CaevaPoint, choose: Callable[[Sequence[float]], float], count: Count = data
    ) -> list[float]:
        """Return the messages of the best or worst fixed distance, for each sample."""
        by_sample: dict[int, list[float]] = {}
        for hops in self.fixed(point):
            for row in self.samples(point, f"{FIXED}{hops}"):
                by_sample.setdefault(row.sample, []).append(count(row))
        return [choose(counts) for _, counts in sorted(by_sample.items())]

    def ratios(self, point: CaevaPoint, method: str, count: Count = data) -> list[float]:
        """Return messages as a multiple of those with the best fixed distance, for each sample."""
        mine = [count(row) for row in self.samples(point, method)]
        return [one / best for one, best in zip(mine, self.among_fixed(point, min, count), strict=True) if best]

    def ratio(self, point: CaevaPoint, method: str, count: Count = data) -> float | None:
        """Return that multiple over all samples together."""
        mine, best = [count(row) for row in self.samples(point, method)], self.among_fixed(point, min, count)
        return sum(mine) / sum(best) if mine and sum(best) else None
