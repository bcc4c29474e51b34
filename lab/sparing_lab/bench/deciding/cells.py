"""The cells, and the traces that belong to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sparing.model.counted import counted
from sparing.workloads.stock import DEFAULTS, stock
from sparing.workloads.workload import Workload
from sparing_lab.bench.deciding.benchmark import Decide

WINDOW = 10.0
# Seconds of a trace: about so many (publication, subscription) pairs to try, within limits.
TRIED, SHORTEST, LONGEST = 40_000_000, 2 * WINDOW, 6 * WINDOW


@dataclass(frozen=True)
class DecideCase:
    """One trace: publications per second, subscriptions, and how many times as long as its slide a window is."""

    rate: float
    subscriptions: int
    ratio: float

    def __str__(self) -> str:
        return f"{counted(self.subscriptions, 'subscription')}, window/slide {self.ratio:g}"

    @property
    def duration(self) -> float:
        """Seconds of event time: the more subscriptions, the fewer."""
        return float(round(min(max(TRIED / (self.rate * self.subscriptions), SHORTEST), LONGEST)))

    def made(self) -> Workload:
        """The workload itself; the same cell always gives the same."""
        return stock(
            replace(
                DEFAULTS,
                rate=self.rate,
                duration=self.duration,
                subscriptions=self.subscriptions,
                sliding=float(self.ratio != 1),
                window=WINDOW,
                slide=round(1000 * WINDOW / self.ratio) / 1000,
            )
        )


def cells(settings: Decide) -> Iterator[DecideCase]:
    """From few subscriptions to many."""
    for subscriptions in sorted(settings.subscriptions):
        for ratio in settings.ratios:
            yield DecideCase(settings.rate, subscriptions, ratio)
