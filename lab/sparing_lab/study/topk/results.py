"""Measurements, looked up: on average over all sets of subscriptions, and how far these are apart."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from sparing_lab.study.topk.forwarding import FORWARDED
from sparing_lab.study.topk.grid import WIDTH, Scale, Width, k_of
from sparing_lab.study.topk.row import Row

Key = tuple[int, float, float, int, str, int, str]


class Results:
    """All rows of a run at one scale. What was not measured is None."""

    def __init__(self, scale: Scale, rows: Sequence[Row]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._found: dict[Key, dict[int, float]] = {}
        for row in rows:
            key = row.subscriptions, row.narrowest, row.widest, row.k, row.method, row.distance, row.what
            self._found.setdefault(key, {})[row.seed] = row.value  # the same cell may serve two figures

    def values(
        self, subscriptions: int, method: str, k: int, what: str, distance: int = 0, width: Width = WIDTH
    ) -> list[float]:
        """One number for each set of subscriptions."""
        return list(self._found.get((subscriptions, *width, k, method, distance, what), {}).values())

    def value(
        self, subscriptions: int, method: str, k: int, what: str, distance: int = 0, width: Width = WIDTH
    ) -> float | None:
        """On average."""
        found = self.values(subscriptions, method, k, what, distance, width)
        return fmean(found) if found else None

    def forwarded(self, subscriptions: int, method: str, k: int = 0, width: Width = WIDTH) -> float | None:
        """How many of the subscriptions reach the publisher's edge broker, in percent."""
        return self.value(subscriptions, method, k, FORWARDED, width=width)

    def forwarded_at(self, subscriptions: int, method: str, percent: float, width: Width = WIDTH) -> float | None:
        """The same with k as a share of the subscriptions."""
        return self.forwarded(subscriptions, method, k_of(subscriptions, percent), width)

    def total(self, method: str, what: str) -> float:
        """The sum of all measurements at no distance in particular."""
        return sum(row.value for row in self.rows if (row.method, row.what, row.distance) == (method, what, 0))
