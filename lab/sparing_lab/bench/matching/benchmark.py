"""The benchmark of matching: options, records, tables, and the goals."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import ClassVar

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
    times,
)

# The goals: at a million subscriptions so many events per second, at ten thousand so many times as fast as a peer.
MILLION, TEN_THOUSAND = 1_000_000, 10_000
COMMON, RARE = 0.015, 0.0001  # selectivities
RATES = {
    ("a", COMMON): 12_000,
    ("a", RARE): 185_000,
    ("b", COMMON): 5_900,
    ("b", RARE): 93_000,
    ("c", COMMON): 4_300,
    ("c", RARE): 66_000,
    ("d", COMMON): 4_700,
}
RATIOS = {"duckdb": 20, "spark": 100}


@dataclass
class Matching:
    """One engine on one workload: events per second of every repetition, or why there are none."""

    shape: str
    selectivity: float
    subscriptions: int
    engine: str
    skipped: str = ""
    way: str = ""  # the quicker one, if there are several
    events: int = 0  # in a batch
    pairs: int = 0  # of that batch
    rates: list[float] = field(default_factory=list)
    load_seconds: float = 0.0  # to take the subscriptions in; for Sparing, to build the index
    bytes: int | None = None  # of the index
    ratio: float | None = None  # how many times as fast as this engine Sparing is

    def rate(self) -> float:
        """Events per second."""
        return median(self.rates)


@dataclass(frozen=True)
class Timing:
    """Latencies in seconds: median, 99th percentile and worst of several measurements (`times`)."""

    shape: str
    selectivity: float
    subscriptions: int
    what: str
    times: int
    median: float
    high: float
    worst: float


@dataclass(frozen=True)
class Match(Benchmark):
    """The matching index beside NumPy, DuckDB, Polars and Spark SQL.

    Workloads are a stock, b traffic, c uniform, d skewed. Short measurements put Spark at a disadvantage.

    Example: sparing bench match --subscriptions 1000,10000 --shapes a,b --json match.json
    """

    subscriptions: tuple[int, ...] = option((1_000, 10_000, 100_000, 1_000_000), "Numbers of subscriptions to try.")
    shapes: tuple[str, ...] = option(("a", "b", "c", "d"), "Workloads.", metavar="A,...")
    engines: tuple[str, ...] = option(
        ("sparing", "numpy", "duckdb", "polars", "spark"), "What to measure.", metavar="E,..."
    )
    seconds: float = option(5.0, "About how long each measurement takes.")
    events: int = option(1 << 19, "Most events of a measurement.", min=1)
    small: bool = option(False, "Measure small batches, inserts and removes as well.")
    repeat: int = repetitions()
    seed: int = option(1, "The same seed gives the same workloads.")
    plot: Path | None = option(None, "Plot the results to a file, e.g. match.svg.", metavar="OUT")  # noqa: RUF009

    # `starting`: seconds that engines took to start and warm up; for Sparing, to load its kernels
    parts: ClassVar = {
        "figures": list[Matching],
        "starting": dict[str, float],
        "versions": dict[str, str],
        "small": list[Timing],
        "targets": list[Target],
    }

    def measure(self, run: Run) -> Results:
        """All engines in turn on every workload."""
        from sparing_lab.bench.matching.cases import check
        from sparing_lab.bench.matching.latencies import small
        from sparing_lab.bench.matching.measure import measure

        check(self)
        results = measure(self, run.tell)
        return results | {
            "small": small(self, run.tell) if self.small else [],
            "targets": self.targets(results["figures"]),
        }

    def targets(self, rows: list[Matching]) -> list[Target]:
        """The goals for what was asked for."""
        from sparing_lab.bench.matching.cases import workload
        from sparing_lab.bench.matching.engines import ENGINES

        there = {(one.shape, one.selectivity, one.subscriptions, one.engine): one for one in rows}
        asked = [key for key in RATES if key[0] in self.shapes]
        found = []
        for key in asked if MILLION in self.subscriptions else ():
            ours = there.get((*key, MILLION, "sparing"))
            what = f"{workload(*key)}: events/s at {MILLION:,} subscriptions"
            found.append(Target.at_least(what, RATES[key], ours.rate() if ours is not None and ours.rates else None))
        for key in asked if TEN_THOUSAND in self.subscriptions else ():
            for engine, goal in RATIOS.items():
                if engine in self.engines:
                    peer = there.get((*key, TEN_THOUSAND, engine))
                    what = f"{workload(*key)}: times {ENGINES[engine].title} at {TEN_THOUSAND:,} subscriptions"
                    found.append(Target.at_least(what, goal, None if peer is None else peer.ratio))
        return found

    def tables(self, results: Results) -> list[Table]:
        """Events per second of all engines, then more about Sparing's index, and the goals."""
        from sparing_lab.bench.matching.cases import workload
        from sparing_lab.bench.matching.engines import ENGINES

        rows: list[Matching] = results["figures"]
        there = {(one.shape, one.selectivity, one.subscriptions, one.engine): one for one in rows}
        ours = [one for one in rows if one.engine == "sparing"]
        case: dict[str, Show] = {
            "workload": lambda f: workload(f.shape, f.selectivity),
            "subscriptions": count("subscriptions"),
        }
        events = {
            ENGINES[name].title: show
            for name, show in each(
                self.engines, lambda f, name: _rate(there.get((f.shape, f.selectivity, f.subscriptions, name)))
            ).items()
        }
        index: dict[str, Show] = {
            "seconds to build": lambda f: f"{f.load_seconds:.3f}",
            "bytes per subscription": lambda f: f"{(f.bytes or 0) / f.subscriptions:,.0f}",
            "pairs per event": lambda f: f"{f.pairs / f.events:,.2f}",
            "pairs/s": lambda f: f"{f.rate() * f.pairs / f.events:,.0f}",
        }
        small: dict[str, Show] = {"what": text("what")}
        small["median"] = lambda t: digits(t.median, 1000)
        small["99%"] = lambda t: digits(t.high, 1000)
        small["worst"] = lambda t: digits(t.worst, 1000)
        small["times"] = count("times")
        skipped: dict[str, list[str]] = {}
        for one in rows:
            if one.skipped:
                workloads = skipped.setdefault(f"{ENGINES[one.engine].title} was skipped: {one.skipped}", [])
                if (name := workload(one.shape, one.selectivity)) not in workloads:
                    workloads.append(name)
        caption = "\n\n".join(f"{what}: {'; '.join(on)}." for what, on in skipped.items())
        title = f"Events per second, and how many times as fast Sparing is; one core, median of {self.repeat}"
        words = ("workload", "what")
        return [
            Table(title, ours, case | events, words, caption),
            Table("Sparing's index", ours, case | index, words),
            Table("Milliseconds for small batches, inserts and removes", results["small"], case | small, words),
            goals(results["targets"]),
        ]

    def conclude(self, results: Results) -> None:
        """Plot the results."""
        if self.plot is not None:
            from sparing_lab.bench.matching.picture import picture

            picture(self, results["figures"], self.plot)


def _rate(one: Matching | None) -> str:
    """Events per second, and how many times as fast Sparing is."""
    if one is None:
        return ""
    if one.skipped or one.ratio is None:
        return "skipped"
    return f"{one.rate():,.0f}" + ("" if one.engine == "sparing" else f" ({times(one.ratio)})")
