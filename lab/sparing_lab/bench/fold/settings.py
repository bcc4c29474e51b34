"""What to measure, and the subscriptions that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sparing.control.folding.problem import Problem
from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.workloads.chance import stream

WIDE, THIN = "wide", "thin"
RANGES = (WIDE, THIN)

SPAN = 400.0
SIZES = (20.0, 50.0)  # of wide ranges, in every dimension: those of the slides' experiments
DEPTH = 10  # how many thin ranges lie over a point, whatever their number

Told = Callable[[str], None]  # told of every case, as it is measured


@dataclass(frozen=True)
class Case:
    """So many subscriptions with ranges of a kind in so many dimensions."""

    subscriptions: int
    dimensions: int
    ranges: str

    def __str__(self) -> str:
        return f"{counted(self.subscriptions, 'subscription')}, {self.dimensions}-dimensional, {self.ranges}"


@dataclass(frozen=True)
class Settings:
    """Numbers of subscriptions and dimensions to try, brokers of the tree, and the share of the possible benefit asked.

    In several dimensions there are at most `most_boxes`. SPA and AA take part up to `peers` subscriptions. MEFA as
    printed is run on `instances` problems for each number in `printed`.
    """

    subscriptions: tuple[int, ...] = (1_000, 10_000, 100_000)
    dimensions: tuple[int, ...] = (1, 2)
    brokers: int = 100
    share: float = 0.5
    most_boxes: int = 10_000
    peers: int = 10_000
    printed: tuple[int, ...] = (50, 100)
    instances: int = 3
    repeat: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.subscriptions or min(self.subscriptions + self.printed) < 2 or self.brokers < 2:
            raise SparingError("Numbers of subscriptions and brokers must be 2 or more.")
        if not self.dimensions or min(self.dimensions) < 1 or min(self.repeat, self.instances) < 1:
            raise SparingError("Numbers of dimensions, of instances and of repetitions must be above zero.")
        if not list(self.cases()):
            raise SparingError(
                f"In several dimensions there are at most {self.most_boxes:,} subscriptions: give --most-boxes more."
            )
        if not 0 < self.share <= 1:
            raise SparingError("The share of the possible benefit must be above 0 and at most 1.")

    def cases(self) -> Iterator[Case]:
        """From few subscriptions to many, for all dimensions and ranges."""
        yield from self._of(self.subscriptions)

    def printed_cases(self) -> Iterator[Case]:
        """Those that MEFA as printed takes part in."""
        yield from self._of(self.printed)

    def _of(self, sizes: tuple[int, ...]) -> Iterator[Case]:
        for dimensions in sorted(self.dimensions):
            for ranges in RANGES:
                for count in sorted(sizes):
                    if dimensions == 1 or count <= self.most_boxes:
                        yield Case(count, dimensions, ranges)


def made_up(settings: Settings, case: Case, number: int = 0) -> Problem:
    """The same settings, case and number always give the same: a random tree, homes at any brokers."""
    rng = stream(settings.seed, "fold", str(case), number)
    parents = [0] + [int(rng.integers(0, broker)) for broker in range(1, settings.brokers)]
    homes = rng.integers(0, settings.brokers, case.subscriptions)
    shape = case.subscriptions, case.dimensions
    if case.ranges == WIDE:
        size = rng.uniform(*SIZES, shape)
    else:
        size = rng.uniform(0.5, 1.5, shape) * SPAN * min(DEPTH / case.subscriptions, 1) ** (1 / case.dimensions)
    low = rng.uniform(0, 1, shape) * np.maximum(SPAN - size, 0)
    bounds = np.stack([low, low + size], axis=2).reshape(case.subscriptions, -1)
    return Problem.on_tree(parents, homes.tolist(), bounds.tolist())
