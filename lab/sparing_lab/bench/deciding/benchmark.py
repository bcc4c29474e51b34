"""The benchmark of decisions: options, records, tables, and the goals."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    count,
    digits,
    each,
    option,
    repetitions,
    verdict,
)

MEASURED = ("adock", "wad", "wad-live", "bat", "publisher-edge", "patience")
COMPARED = ("adock", "wad")  # by what decisions alone take

# The goals: ADOCK takes at most so many times as long as WAD, and Algorithm 1 at least so many times as long as ADOCK.
TO_WAD, LITERAL, LITERAL_RATE = 1.5, 50, 1860  # the latter from so many publications/s on
AT_MOST, AT_LEAST = ("to_wad", "to_wad_alone"), ("literal_to_walk", "net_to_alone")  # the ratios that have goals
UNCERTAIN = 0.02  # of a walk: a smaller difference of two walks may be due to what disturbed one of them
MOST_RATIO = 1000  # a slide is a whole number of milliseconds
MICRO = 1e6


@dataclass(frozen=True)
class Literal:
    """CPU seconds of a decision on average; `calls` are those that two matchings of a single edge take."""

    sampled: int
    edges: float  # of a link's graph, on average
    seconds: float
    calls: float


@dataclass(frozen=True)
class Decisions:
    """One cell. Seconds are CPU seconds of all its walks: with everything that moves, and of decisions alone."""

    subscriptions: int
    ratio: float
    duration: float
    decisions: dict[str, int]
    walk: dict[str, float]
    alone: dict[str, float]
    literal: Literal
    verdicts: dict[str, str] = field(default_factory=dict)  # ratio -> whether its goal is met

    def walk_each(self, policy: str) -> float:
        """Seconds of the walk for each of its decisions."""
        return self.walk[policy] / self.decisions[policy]

    def alone_each(self, policy: str) -> float | None:
        """Seconds of a decision alone; None if they are too few to tell."""
        found = self.alone[policy]
        return found / self.decisions[policy] if found > UNCERTAIN * self.walk[policy] else None

    @property
    def to_wad(self) -> float:
        """The time of ADOCK's walk as a multiple of WAD's."""
        return self.walk["adock"] / self.walk["wad"]

    @property
    def to_wad_alone(self) -> float | None:
        """The time of ADOCK's decisions as a multiple of WAD's."""
        adock, wad = self.alone_each("adock"), self.alone_each("wad")
        return None if adock is None or wad is None else adock / wad

    @property
    def literal_to_walk(self) -> float:
        """The time of Algorithm 1's matchings as a multiple of ADOCK's whole walk."""
        return self.literal.seconds / self.walk_each("adock")

    @property
    def literal_to_alone(self) -> float | None:
        """The time of Algorithm 1's matchings as a multiple of ADOCK's decisions."""
        alone = self.alone_each("adock")
        return None if alone is None else self.literal.seconds / alone

    @property
    def net_to_alone(self) -> float | None:
        """That multiple without the overhead of calls to SciPy."""
        alone = self.alone_each("adock")
        return None if alone is None else (self.literal.seconds - self.literal.calls) / alone


@dataclass(frozen=True)
class Decide(Benchmark):
    """ADOCK's decisions beside other policies', and beside two matchings for every decision.

    Traces are 60 seconds long, and shorter (down to 20) with many subscriptions.

    Example: sparing bench decide --subscriptions 90,1000 --ratios 2 --repeat 5
    """

    subscriptions: tuple[int, ...] = option((90, 360, 1000, 5000), "Numbers of subscriptions to try.")
    ratios: tuple[float, ...] = option(
        (1.0, 2.0, 6.0), "How many times as long as its slide a window is.", metavar="R,..."
    )
    rate: float = option(1860.0, "Publications per second of event time.")
    repeat: int = repetitions()

    parts: ClassVar = {"figures": list[Decisions]}

    def __post_init__(self) -> None:
        if not self.subscriptions or min(self.subscriptions) < 1 or self.repeat < 1:
            raise SparingError("Numbers of subscriptions and repetitions must be greater than zero.")
        if not 0 < self.rate < math.inf:
            raise SparingError(f"The rate is {self.rate:g}: it must be above zero.")
        for ratio in self.ratios:
            if not 1 <= ratio <= MOST_RATIO:
                raise SparingError(f"A window is 1 to {MOST_RATIO} times as long as its slide, not {ratio:g} times.")

    def measure(self, run: Run) -> Results:
        """All policies on every cell."""
        from sparing_lab.bench.deciding.measure import decide

        return {"figures": [self.judged(one) for one in decide(self, run)]}

    def judged(self, one: Decisions) -> Decisions:
        """With verdicts; the goal of Algorithm 1 is for high rates only."""
        fast = self.rate >= LITERAL_RATE
        ratios = {name: getattr(one, name) for name in (*AT_MOST, *AT_LEAST)}
        met = {name: verdict(None if ratios[name] is None else ratios[name] <= TO_WAD) for name in AT_MOST}
        for name in AT_LEAST:
            met[name] = verdict(None if ratios[name] is None or not fast else ratios[name] >= LITERAL)
        return replace(one, verdicts=met)

    def tables(self, results: Results) -> list[Table]:
        """Walks, decisions alone, Algorithm 1."""
        cell: dict[str, Show] = {
            "subscriptions": count("subscriptions"),
            "window / slide": lambda f: f"{f.ratio:g}",
        }
        walks: dict[str, Show] = {"decisions": lambda f: f"{f.decisions['adock']:,}"}
        walks |= each(MEASURED, lambda f, policy: digits(f.walk_each(policy), MICRO))
        walks |= {"ADOCK / WAD": lambda f: digits(f.to_wad), f"at most {TO_WAD}": lambda f: f.verdicts["to_wad"]}
        alone = each(COMPARED, lambda f, policy: digits(f.alone_each(policy), MICRO))
        alone["ADOCK / WAD"] = lambda f: digits(f.to_wad_alone)
        alone[f"at most {TO_WAD}"] = lambda f: f.verdicts["to_wad_alone"]
        literal: dict[str, Show] = {
            "edges": lambda f: digits(f.literal.edges),
            "literal": lambda f: digits(f.literal.seconds, MICRO),
            "of it calls": lambda f: digits(f.literal.calls, MICRO),
            "ADOCK's walk": lambda f: digits(f.literal_to_walk),
            f"at least {LITERAL}": lambda f: f.verdicts["literal_to_walk"],
            "its decisions": lambda f: digits(f.literal_to_alone),
            "without calls": lambda f: digits(f.net_to_alone),
            f"at least {LITERAL} without calls": lambda f: f.verdicts["net_to_alone"],
        }
        trace = f"stock, {self.rate:,g} publications/s, median of {self.repeat}"
        fastest = f"Microseconds per decision, without what moves; fastest of {self.repeat}"
        algorithm = "Microseconds per decision of Algorithm 1, and how many times as long as ADOCK that is"
        rows = results["figures"]
        return [
            Table(f"Microseconds of the walk per decision; {trace}", rows, cell | walks),
            Table(fastest, rows, cell | alone),
            Table(algorithm, rows, cell | literal),
        ]
