"""Statistics of the rows that claims, tables and figures need: means over sets of subscriptions."""

from __future__ import annotations

from sparing_lab.study.results import Results, mean
from sparing_lab.study.topk.forwarding import FORWARDED
from sparing_lab.study.topk.grid import WIDTH, TopkScale, Width, k_of
from sparing_lab.study.topk.row import TopkRow


class TopkResults(Results[TopkScale, TopkRow]):
    """Rows by all parameters except the seed, which numbers the sets of subscriptions."""

    key = ("subscriptions", "narrowest", "widest", "k", "method", "distance", "what")
    number = "seed"

    def values(
        self, subscriptions: int, method: str, k: int, what: str, distance: int = 0, width: Width = WIDTH
    ) -> list[float]:
        """Return one number for each set of subscriptions; several figures may have measured the same set."""
        rows = self.samples(subscriptions, *width, k, method, distance, what)
        return list({row.seed: row.value for row in rows}.values())

    def value(
        self, subscriptions: int, method: str, k: int, what: str, distance: int = 0, width: Width = WIDTH
    ) -> float | None:
        """Return the mean over all sets."""
        return mean(self.values(subscriptions, method, k, what, distance, width))

    def forwarded(self, subscriptions: int, method: str, k: int = 0, width: Width = WIDTH) -> float | None:
        """Return the share of subscriptions that reach the publisher's edge broker, in percent."""
        return self.value(subscriptions, method, k, FORWARDED, width=width)

    def forwarded_at(self, subscriptions: int, method: str, percent: float, width: Width = WIDTH) -> float | None:
        """Return that share for k as a percentage of the subscriptions."""
        return self.forwarded(subscriptions, method, k_of(subscriptions, percent), width)

    def total(self, method: str, what: str) -> float:
        """Return the sum over all experiments, for all distances together."""
        return sum(row.value for row in self.rows if (row.method, row.what, row.distance) == (method, what, 0))
