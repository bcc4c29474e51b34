"""What to measure: the cells, and the traces that belong to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.workloads.stock import DEFAULTS, stock
from sparing.workloads.workload import Workload

WINDOW = 10.0
# Seconds of a trace: about so many (publication, subscription) pairs to try, within limits.
TRIED, SHORTEST, LONGEST = 40_000_000, 2 * WINDOW, 6 * WINDOW
MOST_RATIO = 1000  # a slide is a whole number of milliseconds

Told = Callable[[str], None]  # told of every cell, as it is measured


@dataclass(frozen=True)
class Cell:
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


@dataclass(frozen=True)
class Settings:
    """Numbers of subscriptions and ratios of window to slide to try, publications per second, repetitions."""

    subscriptions: tuple[int, ...] = (90, 360, 1000, 5000)
    ratios: tuple[float, ...] = (1, 2, 6)
    rate: float = 1860
    repeat: int = 3

    def check(self) -> None:
        """Say in one sentence what cannot be measured, before anything is."""
        if not self.subscriptions or min(self.subscriptions) < 1 or self.repeat < 1:
            raise SparingError("Numbers of subscriptions and repetitions must be greater than zero.")
        if not 0 < self.rate < math.inf:
            raise SparingError(f"The rate is {self.rate:g}: it must be above zero.")
        for ratio in self.ratios:
            if not 1 <= ratio <= MOST_RATIO:
                raise SparingError(f"A window is 1 to {MOST_RATIO} times as long as its slide, not {ratio:g} times.")

    def cells(self) -> Iterator[Cell]:
        """From few subscriptions to many."""
        for subscriptions in sorted(self.subscriptions):
            for ratio in self.ratios:
                yield Cell(self.rate, subscriptions, ratio)
