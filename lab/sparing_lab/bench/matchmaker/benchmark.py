"""The benchmark of the matchmaker: options, records, tables, and the goal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
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
    beside,
    count,
    digits,
    each,
    goals,
    option,
    repetitions,
    text,
)

# The goal: so many links in seconds, from an overlay to a marking.
GOAL_LINKS, GOAL = 100_000, 5.0

TRANSIT_STUB, MESH = "transit-stub", "mesh"
SHARED, PER_SOURCE = "shared", "per source"
KINDS = ((TRANSIT_STUB, SHARED), (TRANSIT_STUB, PER_SOURCE), (MESH, PER_SOURCE))
FEWEST_LINKS = 50

STEPS = ("trees", "demand", "mark")
PEERS = ("SciPy", "OR-tools", "networkx")
MILLI = 1e3


@dataclass(frozen=True)
class MatchmakerCase:
    """The number of directed links, the kind of overlay, and one tree for all publishers or one for each."""

    links: int
    overlay: str
    trees: str

    def __str__(self) -> str:
        return f"{counted(self.links, 'link')}, {self.overlay}, {self.trees}"


@dataclass(frozen=True)
class Marking:
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
class Published:
    """Figure 6: links that gain, of which so many were tried, and CPU seconds for all of them."""

    links: int
    tried: int
    seconds: float

    @property
    def extrapolated(self) -> bool:
        """Whether the seconds are extrapolated from a sample."""
        return self.tried < self.links


@dataclass(frozen=True)
class BesidePeers:
    """CPU seconds from a demand to a marking, of every engine that took part."""

    links: int
    overlay: str
    sparing: float
    peers: dict[str, float | None]
    published: Published

    @property
    def ratios(self) -> dict[str, float | None]:
        """Times of peers as multiples of Sparing's."""
        all_ = self.peers | {"Figure 6": self.published.seconds}
        return {name: None if seconds is None else seconds / self.sparing for name, seconds in all_.items()}


@dataclass(frozen=True)
class Flowless:
    """The number of instances that need no flow, and the share of entangled links."""

    links: int
    overlay: str
    instances: int
    without: int
    entangled: float


@dataclass(frozen=True)
class MarkingGrowth:
    """Between two sizes, time grows by this power of the number of links."""

    overlay: str
    kind: str
    links: tuple[int, int]
    powers: dict[str, float]


@dataclass(frozen=True)
class Matchmaker(Benchmark):
    """The matchmaker beside the paper's algorithm, SciPy, OR-tools and networkx, as far as they are installed.

    Example: sparing bench matchmaker --links 100,1000 --publishers 10
    """

    links: tuple[int, ...] = option((100, 1_000, 10_000, 100_000), "Numbers of directed links to try.")
    publishers: int = option(20, "Brokers that publish, each with its tree.", min=1)
    subscribers: float = option(0.5, "The share of brokers that subscribe.")
    peers: int = option(10_000, "networkx takes part up to so many links.")
    sample: int = option(200, "How many of the flows of Figure 6 are run.", min=1)
    instances: int = option(100, "Overlays made up to see how many of them need no flow.")
    repeat: int = repetitions()
    seed: int = option(1, "The same seed gives the same overlays.")

    parts: ClassVar = {
        "whole": list[Marking],
        "beside": list[BesidePeers],
        "flowless": list[Flowless],
        "growth": list[MarkingGrowth],
        "targets": list[Target],
    }

    def __post_init__(self) -> None:
        if not self.links or min(self.links) < FEWEST_LINKS or any(number % 2 for number in self.links):
            raise SparingError(f"Numbers of links must be even, as links lead both ways, and {FEWEST_LINKS} or more.")
        if min(self.publishers, self.sample, self.repeat) < 1 or min(self.peers, self.instances) < 0:
            raise SparingError("Numbers of publishers, of sampled flows and of repetitions must be above zero.")
        if not 0 < self.subscribers <= 1:
            raise SparingError("The share of brokers that subscribe must be above 0 and at most 1.")

    def cases(self) -> Iterator[MatchmakerCase]:
        """From few links to many."""
        for links in sorted(self.links):
            for overlay, trees in KINDS:
                yield MatchmakerCase(links, overlay, trees)

    def measure(self, run: Run) -> Results:
        """All steps on every case, and engines beside each other where each source has a tree."""
        from sparing_lab.bench.matchmaker.measure import measure

        results = measure(self, run)
        return results | {"growth": growth(results["whole"]), "targets": targets(results["whole"])}

    def tables(self, results: Results) -> list[Table]:
        """Steps, growth, peers, instances without a flow, goals."""
        overlay: dict[str, Show] = {"overlay": text("overlay")}
        kind = overlay | {"tree": text("kind")}
        whole: dict[str, Show] = {name: count(name.replace(" ", "_")) for name in ("links", "in trees", "entangled")}
        powers: dict[str, Show] = {"links": lambda g: f"{g.links[0]:,} to {g.links[1]:,}"}
        whole |= each((*STEPS, "together"), lambda f, step: digits(getattr(f, step), MILLI))
        powers |= each(STEPS, lambda g, step: f"{g.powers[step]:.2f}")
        peers: dict[str, Show] = {"links": count("links"), "Sparing": lambda b: digits(b.sparing, MILLI)}
        peers |= each(PEERS, lambda b, name: beside(b.peers[name], b.sparing, MILLI))
        peers["Figure 6"] = _figure_6
        peers["its flows"] = lambda b: f"{b.published.links + 1:,}"
        peers["of them run"] = lambda b: f"{b.published.tried + 1:,}"
        flowless: dict[str, Show] = {
            "links": count("links"),
            "instances": count("instances"),
            "without a flow": count("without"),
            "entangled on average": lambda f: f"{f.entangled:.1%}",
        }
        title = f"Milliseconds of CPU time from an overlay to a marking; {self.publishers} publishers"
        alone = "Instances in which every link can decide for itself, though each source has a tree"
        return [
            Table(title, results["whole"], kind | whole, tuple(kind)),
            Table("Time grows by this power of the number of links", results["growth"], kind | powers, tuple(kind)),
            Table(
                "Milliseconds of CPU time from a demand to a marking, a tree per source",
                results["beside"],
                overlay | peers,
                tuple(kind),
            ),
            Table(alone, results["flowless"], overlay | flowless, tuple(kind)),
            goals(results["targets"]),
        ]


def _figure_6(row: BesidePeers) -> str:
    shown = beside(row.published.seconds, row.sparing, MILLI)
    return f"{shown}, extrapolated" if row.published.extrapolated else shown


def growth(whole: Sequence[Marking]) -> list[MarkingGrowth]:
    """From each size to the next."""
    found = []
    for overlay, kind in KINDS:
        for a, b in pairwise(one for one in whole if (one.overlay, one.kind) == (overlay, kind)):
            steps = {step: math.log(getattr(b, step) / getattr(a, step), b.links / a.links) for step in STEPS}
            found.append(MarkingGrowth(overlay, kind, (a.links, b.links), steps))
    return found


def targets(whole: Sequence[Marking]) -> list[Target]:
    """The goal for what was measured."""
    rows = [one for one in whole if one.links == GOAL_LINKS]
    return [Target.at_most(f"{f.links:,} links, {f.overlay}, {f.kind}: seconds", GOAL, f.together) for f in rows]
