"""The benchmark of folding: options, records, tables, and the goal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import ClassVar

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    Target,
    count,
    digits,
    each,
    goals,
    option,
    repetitions,
    text,
)

# The goal: so many subscriptions of one dimension, in seconds.
GOAL_SUBSCRIPTIONS, GOAL = 100_000, 10.0

WIDE, THIN = "wide", "thin"
RANGES = (WIDE, THIN)
PEERS = ("SPA", "AA")
METHODS = ("MEFA", *PEERS)


@dataclass(frozen=True)
class FoldCase:
    """The number of subscriptions, their kind of ranges and dimensions."""

    subscriptions: int
    dimensions: int
    ranges: str

    def __str__(self) -> str:
        return f"{counted(self.subscriptions, 'subscription')}, {self.dimensions}-dimensional, {self.ranges}"


@dataclass(frozen=True)
class Folding(FoldCase):
    """One case: the benefit that is possible, MEFA's clusters, and each method's CPU seconds, cost and benefit."""

    possible: int
    clusters: int
    seconds: dict[str, float | None]
    cost: dict[str, float | None]
    benefit: dict[str, int | None]

    def mefa(self) -> float:
        """MEFA's seconds."""
        return self.seconds["MEFA"] or 0.0


@dataclass(frozen=True)
class BesidePrinted(FoldCase):
    """Mean costs on some problems, and the median of the CPU seconds that MEFA as printed takes."""

    instances: int
    seconds: float
    cost: dict[str, float]

    @property
    def ratios(self) -> dict[str, float]:
        """Costs to that of MEFA as printed."""
        printed = self.cost["printed"]
        return {name: cost / printed if printed else math.nan for name, cost in self.cost.items() if name != "printed"}


@dataclass(frozen=True)
class FoldGrowth:
    """Between two sizes, MEFA's time grows by this power of the number of subscriptions."""

    ranges: str
    dimensions: int
    subscriptions: tuple[int, int]
    power: float


@dataclass(frozen=True)
class Fold(Benchmark):
    """Folding subscriptions by MEFA beside SPA and AA, and beside MEFA as printed where that runs.

    Example: sparing bench fold --subscriptions 1000,10000 --dimensions 1
    """

    subscriptions: tuple[int, ...] = option((1_000, 10_000, 100_000), "Numbers of subscriptions to try.")
    dimensions: tuple[int, ...] = option((1, 2), "Numbers of dimensions to try.", metavar="D,...")
    brokers: int = option(100, "Brokers of the tree.", min=2)
    share: float = option(0.5, "The share of the possible benefit that is asked for.")
    most_boxes: int = option(10_000, "Most subscriptions in several dimensions.")
    peers: int = option(10_000, "SPA and AA take part up to so many subscriptions.")
    printed: tuple[int, ...] = option((50, 100), "Numbers of subscriptions for MEFA as printed.")
    instances: int = option(3, "Problems for each of these numbers.", min=1)
    repeat: int = repetitions()
    seed: int = option(1, "The same seed gives the same problems.")

    parts: ClassVar = {
        "whole": list[Folding],
        "beside": list[BesidePrinted],
        "growth": list[FoldGrowth],
        "targets": list[Target],
    }

    def __post_init__(self) -> None:
        if not self.subscriptions or min(self.subscriptions + self.printed) < 2 or self.brokers < 2:
            raise SparingError("Numbers of subscriptions and brokers must be 2 or more.")
        if not self.dimensions or min(self.dimensions) < 1 or min(self.repeat, self.instances) < 1:
            raise SparingError("Numbers of dimensions, of instances and of repetitions must be above zero.")
        if not list(self.cases(self.subscriptions)):
            raise SparingError(
                f"In several dimensions there are at most {self.most_boxes:,} subscriptions: give --most-boxes more."
            )
        if not 0 < self.share <= 1:
            raise SparingError("The share of the possible benefit must be above 0 and at most 1.")

    def cases(self, sizes: tuple[int, ...]) -> Iterator[FoldCase]:
        """From few subscriptions to many, for all dimensions and ranges."""
        for dimensions in sorted(self.dimensions):
            for ranges in RANGES:
                for size in sorted(sizes):
                    if dimensions == 1 or size <= self.most_boxes:
                        yield FoldCase(size, dimensions, ranges)

    def measure(self, run: Run) -> Results:
        """All methods on every case; then MEFA as printed on small ones."""
        from sparing_lab.bench.fold.measure import measure

        whole, beside = measure(self, run)
        return {"whole": whole, "beside": beside, "growth": growth(whole), "targets": targets(whole)}

    def tables(self, results: Results) -> list[Table]:
        """Seconds, costs, growth, and MEFA as printed."""
        case: dict[str, Show] = {
            "ranges": text("ranges"),
            "dimensions": text("dimensions"),
            "subscriptions": count("subscriptions"),
        }
        whole: dict[str, Show] = {
            "clusters": count("clusters"),
            "benefit": lambda f: f"{(f.benefit['MEFA'] or 0) / max(f.possible, 1):.0%}",
        }
        ratios: dict[str, Show] = {"instances": text("instances"), "seconds as printed": lambda f: digits(f.seconds)}
        whole |= each(METHODS, lambda f, name: digits(f.seconds[name]))
        costs = each(METHODS, lambda f, name: digits(f.cost[name]), "cost of {}")
        ratios |= each(METHODS, lambda f, name: digits(f.ratios[name]), "{} / printed")
        powers = case | {
            "subscriptions": lambda g: f"{g.subscriptions[0]:,} to {g.subscriptions[1]:,}",
            "power": lambda g: f"{g.power:.2f}",
        }
        title = f"Seconds of CPU time; {self.brokers} brokers, {self.share:.0%} of the possible benefit asked for"
        with_peers = [f for f in results["whole"] if f.cost["SPA"] is not None]
        printed = "Costs beside those of MEFA as printed, which works out all pairs in every round"
        return [
            Table(title, results["whole"], case | whole, ("ranges",)),
            Table("Cost: unique range times delay", with_peers, case | costs, ("ranges",)),
            Table("MEFA's time grows by this power", results["growth"], powers, ("ranges",)),
            Table(printed, results["beside"], case | ratios, ("ranges",)),
            goals(results["targets"]),
        ]


def growth(whole: Sequence[Folding]) -> list[FoldGrowth]:
    """From each size to the next."""
    return [
        FoldGrowth(
            *kind, (a.subscriptions, b.subscriptions), math.log(b.mefa() / a.mefa(), b.subscriptions / a.subscriptions)
        )
        for kind, rows in groupby(whole, lambda f: (f.ranges, f.dimensions))
        for a, b in pairwise(rows)
    ]


def targets(whole: Sequence[Folding]) -> list[Target]:
    """The goal for what was measured."""
    rows = [f for f in whole if (f.subscriptions, f.dimensions) == (GOAL_SUBSCRIPTIONS, 1)]
    return [Target.at_most(f"{f.subscriptions:,} {f.ranges} subscriptions: seconds", GOAL, f.mefa()) for f in rows]
