"""What was measured, for people, for programs and for documentation; and the goal it is held against."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.fold.settings import RANGES, Settings
from sparing_lab.bench.tables import TARGETS, Rows, Target, target_rows

# The goal: so many subscriptions of one dimension, in seconds.
GOAL_SUBSCRIPTIONS, GOAL = 100_000, 10.0

PEERS = ("SPA", "AA")

WHOLE = ("ranges", "dimensions", "subscriptions", "clusters", "benefit", "MEFA", *PEERS)
COSTS = ("ranges", "dimensions", "subscriptions", "cost of MEFA", *(f"of {name}" for name in PEERS))
GROWTH = ("ranges", "dimensions", "subscriptions", "power")
BESIDE = ("ranges", "dimensions", "subscriptions", "instances", "seconds as printed", "MEFA / printed", "SPA", "AA")
WORDS = ("ranges", "what", "verdict")  # what has words in it, not numbers


@dataclass(frozen=True)
class Figure:
    """One case: the benefit that is possible, MEFA's clusters, and each method's CPU seconds, cost and benefit."""

    subscriptions: int
    dimensions: int
    ranges: str
    possible: int
    clusters: int
    seconds: dict[str, float | None]
    cost: dict[str, float | None]
    benefit: dict[str, int | None]

    @property
    def mefa(self) -> float:
        """MEFA's seconds."""
        return self.seconds["MEFA"] or 0.0


@dataclass(frozen=True)
class Beside:
    """Mean costs on some problems, and the median of the CPU seconds that MEFA as printed takes."""

    subscriptions: int
    dimensions: int
    ranges: str
    instances: int
    seconds: float
    cost: dict[str, float]

    def ratio(self, name: str) -> float:
        """A method's cost to that of MEFA as printed."""
        return self.cost[name] / self.cost["printed"] if self.cost["printed"] else math.nan


@dataclass(frozen=True)
class Growth:
    """Between two sizes, MEFA's time grows by this power of the number of subscriptions."""

    ranges: str
    dimensions: int
    subscriptions: tuple[int, int]
    power: float


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    whole: list[Figure]
    beside: list[Beside]

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, beside in zip(found["beside"], self.beside, strict=True):
            ratios = {name: beside.ratio(name) for name in beside.cost if name != "printed"}
            row["ratios"] = {name: None if math.isnan(ratio) else ratio for name, ratio in ratios.items()}
        found["growth"] = [asdict(growth) for growth in self.growth()]
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    def growth(self) -> list[Growth]:
        """From each size to the next."""
        found = []
        for dimensions in sorted(self.settings.dimensions):
            for ranges in RANGES:
                rows = [f for f in self.whole if (f.ranges, f.dimensions) == (ranges, dimensions)]
                for one, two in pairwise(rows):
                    power = math.log(two.mefa / one.mefa, two.subscriptions / one.subscriptions)
                    found.append(Growth(ranges, dimensions, (one.subscriptions, two.subscriptions), power))
        return found

    def targets(self) -> list[Target]:
        """The goal for what was measured."""
        rows = [f for f in self.whole if (f.subscriptions, f.dimensions) == (GOAL_SUBSCRIPTIONS, 1)]
        return [Target(f"{f.subscriptions:,} {f.ranges} subscriptions: seconds", GOAL, f.mefa) for f in rows]

    def tables(self) -> list[Table]:
        """For people."""
        of = self.settings
        titles = {
            WHOLE: f"Seconds of CPU time; {of.brokers} brokers, {of.share:.0%} of the possible benefit asked for",
            COSTS: "Cost: unique range times delay",
            GROWTH: "MEFA's time grows by this power of the number of subscriptions",
            BESIDE: "Costs beside those of MEFA as printed, which works out all pairs in every round",
            TARGETS: "Goals",
        }
        return [figures_table(titles[names], names, rows, WORDS) for names, rows in self._parts()]

    def markdown(self) -> str:
        """For documentation."""
        return "\n\n".join(markdown_table(*part, WORDS) for part in self._parts()) + "\n"

    def _parts(self) -> list[Rows]:
        """All tables that have rows."""
        parts = [self._whole(), self._costs(), self._growth(), self._beside(), target_rows(self.targets())]
        return [part for part in parts if part[1]]

    def _whole(self) -> Rows:
        rows = [
            [
                *_case(f),
                f"{f.clusters:,}",
                f"{(f.benefit['MEFA'] or 0) / max(f.possible, 1):.0%}",
                *[_seconds(f.seconds[name]) for name in ("MEFA", *PEERS)],
            ]
            for f in self.whole
        ]
        return WHOLE, rows

    def _costs(self) -> Rows:
        rows = [[*_case(f), *[_cost(f.cost[name]) for name in ("MEFA", *PEERS)]] for f in self.whole]
        return COSTS, [row for row, f in zip(rows, self.whole, strict=True) if f.cost["SPA"] is not None]

    def _growth(self) -> Rows:
        rows = [
            [g.ranges, str(g.dimensions), f"{g.subscriptions[0]:,} to {g.subscriptions[1]:,}", f"{g.power:.2f}"]
            for g in self.growth()
        ]
        return GROWTH, rows

    def _beside(self) -> Rows:
        rows = [
            [*_case(b), str(b.instances), _seconds(b.seconds), *[f"{b.ratio(name):.2f}" for name in ("MEFA", *PEERS)]]
            for b in self.beside
        ]
        return BESIDE, rows


def _case(row: Figure | Beside) -> list[str]:
    return [row.ranges, str(row.dimensions), f"{row.subscriptions:,}"]


def _seconds(seconds: float | None) -> str:
    """Two digits.

    >>> _seconds(0.01234), _seconds(12.345), _seconds(None)
    ('0.012', '12', '-')
    """
    if seconds is None:
        return "-"
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:,.0f}"


def _cost(cost: float | None) -> str:
    """Three digits or whole numbers.

    >>> _cost(0.01234), _cost(12345.6), _cost(None)
    ('0.0123', '12,346', '-')
    """
    if cost is None:
        return "-"
    return f"{cost:.3g}" if cost < 100 else f"{cost:,.0f}"
