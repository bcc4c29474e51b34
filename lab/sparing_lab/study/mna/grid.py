"""The parameter grid: workloads, rates, numbers of subscriptions, and windows.

The paper gives ranges and some single points. It does not say how many subscriptions there are while the rate varies,
what the rate is while they vary, nor which data Figure 9 is about; that is our choice: `SUBSCRIPTIONS`, `RATES`, stock.
A subscription's windows begin when it is issued, as in the paper's Example 1, so they end at different times.

Paper: mna-aggregation, sections V.A and VIII.A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sparing.workloads import stock, traffic
from sparing.workloads.settings import WorkloadSettings
from sparing.workloads.workload import Workload

WINDOW = 10.0
SLIDES = {"tumbling": 10.0, "sliding": 5.0}
SETTINGS = ("sliding", "tumbling")
WORKLOADS = ("traffic", "stock")
PANELS = (("traffic", "tumbling"), ("traffic", "sliding"), ("stock", "tumbling"), ("stock", "sliding"))  # (a) to (d)
SUBSCRIPTIONS = 180  # while the rate or the window varies
RATES = {"traffic": 540.0, "stock": 930.0}  # while the number of subscriptions or the window varies
AGGREGATE_TO_PLAIN = (1, 2)


@dataclass(frozen=True)
class MnaCell:
    """One experiment: a workload, measured under all policies. Times in seconds, the rate is per second."""

    workload: str
    rate: float
    subscriptions: int
    window: float
    slide: float
    duration: float
    seed: int = 0

    def __str__(self) -> str:
        windows = f"windows {self.window:g}/{self.slide:g} s"
        return f"{self.workload}, {self.rate:g}/s, {self.subscriptions} subscriptions, {windows}"

    @property
    def size(self) -> float:
        """An estimate of the work, for the order of cells."""
        return self.rate * self.duration * self.subscriptions * self.window / self.slide

    def settings(self) -> WorkloadSettings:
        """Return the settings of the generator; its default selectivity is the paper's."""
        return replace(
            DEFAULTS[self.workload],
            seed=self.seed,
            rate=self.rate,
            duration=self.duration,
            subscriptions=self.subscriptions,
            aggregate=AGGREGATE_TO_PLAIN,
            sliding=float(self.slide != self.window),
            window=float(self.window),
            slide=float(self.slide),
            staggered=True,
        )

    def made(self) -> Workload:
        """Return the workload, which depends on the cell only."""
        return MAKERS[self.workload](self.settings())


MAKERS = {"stock": stock.stock, "traffic": traffic.traffic}
DEFAULTS = {"stock": stock.DEFAULTS, "traffic": traffic.DEFAULTS}


@dataclass(frozen=True)
class MnaScale:
    """The amount of measurements: seconds of event time per experiment, and the points of each sweep."""

    name: str
    duration: float
    rates: Mapping[str, tuple[float, ...]]
    subscriptions: tuple[int, ...]
    ratios: tuple[float, ...]

    def cell(self, workload: str, windows: str, rate: float | None = None, subscriptions: int | None = None) -> MnaCell:
        """Return an experiment with the default windows; rate and subscriptions have defaults, too."""
        return MnaCell(
            workload,
            RATES[workload] if rate is None else rate,
            SUBSCRIPTIONS if subscriptions is None else subscriptions,
            WINDOW,
            SLIDES[windows],
            self.duration,
        )

    def by_rate(self, workload: str, windows: str) -> list[MnaCell]:
        """Return the cells of one panel of Figures 6 and 7."""
        return [self.cell(workload, windows, rate=rate) for rate in self.rates[workload]]

    def by_subscriptions(self, workload: str, windows: str) -> list[MnaCell]:
        """Return the cells of one panel of Figure 8; for stock and sliding windows also of Table I."""
        return [self.cell(workload, windows, subscriptions=count) for count in self.subscriptions]

    def by_ratio(self) -> list[MnaCell]:
        """Return the cells of Figure 9."""
        return [self.with_ratio(ratio) for ratio in self.ratios]

    def with_ratio(self, ratio: float) -> MnaCell:
        """Return an experiment with a ratio of a fixed window to the shift, in whole milliseconds."""
        return replace(self.cell("stock", "sliding"), slide=round(1000 * WINDOW / ratio) / 1000)

    def cells(self) -> list[MnaCell]:
        """Return all experiments without duplicates, longest first to keep all cores busy until the end."""
        sweeps = [sweep(*panel) for sweep in (self.by_rate, self.by_subscriptions) for panel in PANELS]
        found = dict.fromkeys(cell for sweep in [*sweeps, self.by_ratio()] for cell in sweep)
        return sorted(found, key=lambda cell: cell.size, reverse=True)


PAPER = MnaScale(
    "paper",
    duration=1000.0,
    rates={"traffic": (14, 54, 162, 324, 540, 810, 1080), "stock": (465, 930, 1395, 1860, 2325, 2790)},
    subscriptions=(9, 90, 180, 270, 360, 450),
    ratios=(1.5, 2, 3, 4, 5, 6),
)
SMALL = MnaScale(
    "small",
    duration=60.0,
    rates={"traffic": (14, 162, 540, 1080), "stock": (465, 930, 2790)},
    subscriptions=(90, 180, 270, 360),
    ratios=(1.5, 3, 6),
)
SCALES = {scale.name: scale for scale in (SMALL, PAPER)}
