"""The benchmark of the whole pipeline: options, records, tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sparing.model.counted import counted
from sparing_lab.bench.benchmark import (
    Benchmark,
    Results,
    Run,
    Show,
    Table,
    count,
    each,
    option,
    repetitions,
    spark_conf,
    spark_master,
    text,
)


@dataclass(frozen=True)
class Throughput:
    """One way of running, with so many subscriptions: publications per second of ours and of the peer."""

    mode: str
    subscriptions: int
    ours: float
    peer: float

    @property
    def ratio(self) -> float:
        """Our speed as a multiple of the peer's."""
        return self.ours / self.peer


@dataclass(frozen=True)
class Pipeline(Benchmark):
    """The whole pipeline beside plain Spark SQL, batch and streaming.

    Example: sparing bench pipeline --subscriptions 500 --publications 50000 --master local[2]
    """

    subscriptions: tuple[int, ...] = option((500, 5000), "Numbers of subscriptions to try.")
    publications: int = option(200_000, "Publications in the trace.", min=1)
    repeat: int = repetitions()
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    # `stages`: subscriptions -> step of our batch run -> seconds that it adds
    parts: ClassVar = {"figures": list[Throughput], "stages": dict[int, dict[str, float]]}

    def measure(self, run: Run) -> Results:
        """Run both sides in turn."""
        from sparing_lab.bench.pipeline.measure import measure

        return measure(self, run)

    def tables(self, results: Results) -> list[Table]:
        """Throughput, and where the time of our batch runs goes."""
        runs = f"{counted(self.publications, 'stock publication')}, median of {counted(self.repeat, 'run')}"
        columns: dict[str, Show] = {
            "mode": text("mode"),
            "subscriptions": count("subscriptions"),
            "Sparing": lambda f: f"{f.ours:,.0f}",
            "Spark SQL": lambda f: f"{f.peer:,.0f}",
            "ratio": lambda f: f"{f.ratio:.1f}",
        }
        stages: dict[int, dict[str, float]] = results["stages"]
        steps: dict[str, Show] = {"step": str}
        steps |= each(stages, lambda step, number: f"{stages[number][step]:.1f}", "{:,} subscriptions")
        return [
            Table(f"Publications per second; {runs}", results["figures"], columns, ("mode",)),
            Table(
                "Seconds that each step of a batch run adds", list(next(iter(stages.values()), {})), steps, ("step",)
            ),
        ]
