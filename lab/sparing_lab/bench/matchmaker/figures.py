"""What was measured, for people, for programs and for documentation; and the goal it is held against."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from rich.table import Table

from sparing.report.markdown import markdown_table
from sparing.report.tables import figures_table
from sparing_lab.bench.matchmaker.engines import Published
from sparing_lab.bench.matchmaker.settings import KINDS, Settings
from sparing_lab.bench.tables import TARGETS, Rows, Target, target_rows, times

# The goal: so many links in seconds, from an overlay to a marking.
GOAL_LINKS, GOAL = 100_000, 5.0

STEPS = ("trees", "demand", "mark")
PEERS = ("SciPy", "OR-tools", "networkx")

WHOLE = ("overlay", "tree", "links", "in trees", "entangled", *STEPS, "together")
GROWTH = ("overlay", "tree", "links", *STEPS)
BESIDE = ("overlay", "links", "Sparing", *PEERS, "Figure 6", "its flows", "of them run")
FLOWLESS = ("overlay", "links", "instances", "without a flow", "entangled on average")
WORDS = ("overlay", "tree", "what", "verdict")  # what has words in it, not numbers


@dataclass(frozen=True)
class Figure:
    """One case: links that are in trees, those entangled, the cost, and CPU seconds for each step."""

    links: int
    overlay: str
    kind: str
    in_trees: int
    entangled: int
    cost: float
    trees: float
    demand: float
    mark: float

    @property
    def together(self) -> float:
        """Seconds from an overlay to a marking."""
        return self.trees + self.demand + self.mark


@dataclass(frozen=True)
class Beside:
    """CPU seconds from a demand to a marking, of every engine that took part."""

    links: int
    overlay: str
    sparing: float
    peers: dict[str, float | None]
    published: Published

    def ratio(self, seconds: float | None) -> float | None:
        """How many times as long as Sparing a peer takes."""
        return None if seconds is None else seconds / self.sparing


@dataclass(frozen=True)
class Flowless:
    """How many of some instances need no flow, and which share of the links in trees is entangled."""

    links: int
    overlay: str
    instances: int
    without: int
    entangled: float


@dataclass(frozen=True)
class Growth:
    """Between two sizes, time grows by this power of the number of links."""

    overlay: str
    kind: str
    links: tuple[int, int]
    powers: dict[str, float]


@dataclass(frozen=True)
class Figures:
    """All figures of a run."""

    settings: Settings
    whole: list[Figure]
    beside: list[Beside]
    flowless: list[Flowless]

    def json(self) -> dict[str, Any]:
        """For programs."""
        found = asdict(self)
        for row, beside in zip(found["beside"], self.beside, strict=True):
            row["ratios"] = {name: beside.ratio(seconds) for name, seconds in beside.peers.items()}
            row["ratios"]["Figure 6"] = beside.ratio(beside.published.seconds)
            row["published"]["extrapolated"] = beside.published.extrapolated
        found["growth"] = [asdict(growth) for growth in self.growth()]
        found["targets"] = [asdict(target) | {"verdict": target.verdict} for target in self.targets()]
        return found

    def growth(self) -> list[Growth]:
        """From each size to the next."""
        found = []
        for overlay, kind in KINDS:
            rows = [figure for figure in self.whole if (figure.overlay, figure.kind) == (overlay, kind)]
            for one, two in pairwise(rows):
                steps = {
                    step: math.log(getattr(two, step) / getattr(one, step), two.links / one.links) for step in STEPS
                }
                found.append(Growth(overlay, kind, (one.links, two.links), steps))
        return found

    def targets(self) -> list[Target]:
        """The goal for what was measured."""
        rows = [figure for figure in self.whole if figure.links == GOAL_LINKS]
        return [Target(f"{f.links:,} links, {f.overlay}, {f.kind}: seconds", GOAL, f.together) for f in rows]

    def tables(self) -> list[Table]:
        """For people."""
        of = self.settings
        titles = {
            WHOLE: f"Milliseconds of CPU time from an overlay to a marking; {of.publishers} publishers",
            GROWTH: "Time grows by this power of the number of links",
            BESIDE: "Milliseconds of CPU time from a demand to a marking, a tree per source",
            FLOWLESS: "Instances in which every link can decide for itself, though each source has a tree",
            TARGETS: "Goals",
        }
        return [figures_table(titles[names], names, rows, WORDS) for names, rows in self._parts()]

    def markdown(self) -> str:
        """For documentation."""
        return "\n\n".join(markdown_table(*part, WORDS) for part in self._parts()) + "\n"

    def _parts(self) -> list[Rows]:
        """All tables that have rows."""
        parts = [self._whole(), self._growth(), self._beside(), self._flowless(), target_rows(self.targets())]
        return [part for part in parts if part[1]]

    def _whole(self) -> Rows:
        rows = [
            [
                f.overlay,
                f.kind,
                *[f"{number:,}" for number in (f.links, f.in_trees, f.entangled)],
                *[_milli(number) for number in (f.trees, f.demand, f.mark, f.together)],
            ]
            for f in self.whole
        ]
        return WHOLE, rows

    def _growth(self) -> Rows:
        rows = [
            [g.overlay, g.kind, f"{g.links[0]:,} to {g.links[1]:,}", *[f"{g.powers[step]:.2f}" for step in STEPS]]
            for g in self.growth()
        ]
        return GROWTH, rows

    def _beside(self) -> Rows:
        rows = [
            [
                b.overlay,
                f"{b.links:,}",
                _milli(b.sparing),
                *[_beside(b.peers[name], b.ratio(b.peers[name])) for name in PEERS],
                _beside(b.published.seconds, b.ratio(b.published.seconds), b.published.extrapolated),
                f"{b.published.links + 1:,}",
                f"{b.published.tried + 1:,}",
            ]
            for b in self.beside
        ]
        return BESIDE, rows

    def _flowless(self) -> Rows:
        rows = [
            [f.overlay, f"{f.links:,}", f"{f.instances:,}", f"{f.without:,}", f"{f.entangled:.1%}"]
            for f in self.flowless
        ]
        return FLOWLESS, rows


def _milli(seconds: float) -> str:
    """Milliseconds, with three digits.

    >>> _milli(0.0001234), _milli(0.01234), _milli(12.345)
    ('0.123', '12.3', '12,345')
    """
    return f"{1e3 * seconds:.3g}" if seconds < 0.1 else f"{1e3 * seconds:,.0f}"


def _beside(seconds: float | None, ratio: float | None, extrapolated: bool = False) -> str:
    """What a peer takes, and how many times Sparing's time that is.

    >>> _beside(2.0, 12.34), _beside(2.0, 1.234), _beside(None, None), _beside(500.0, 900.0, True)
    ('2,000 (12x)', '2,000 (1.2x)', '-', '500,000 (900x), extrapolated')
    """
    if seconds is None or ratio is None:
        return "-"
    found = times(_milli(seconds), ratio)
    return f"{found}, extrapolated" if extrapolated else found
