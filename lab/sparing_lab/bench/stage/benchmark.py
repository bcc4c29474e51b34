"""The benchmark of the matching stage: options, records, tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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
)

STEPS = ("to Python", "columns, admission", "matching", "at once", "packing")


@dataclass(frozen=True)
class StageTime:
    """Microseconds per publication: of the index by itself, and of each step of the stage; and pairs of each."""

    subscriptions: int
    pairs: float
    index: float
    steps: dict[str, float]

    @property
    def kept(self) -> float:
        """The share of the index's own speed that is left, up to matching, once rows come from Spark."""
        return self.index / sum(self.steps[step] for step in STEPS[:3])


@dataclass(frozen=True)
class Stage(Benchmark):
    """Where the time of the matching stage goes, beside the index by itself.

    The results are meant for one core.

    Example: sparing bench stage --subscriptions 5000 --repeat 5
    """

    subscriptions: tuple[int, ...] = option((5_000, 50_000), "Numbers of subscriptions to try.")
    publications: int = option(131_072, "Publications in the trace.", min=1)
    repeat: int = repetitions()
    master: str = spark_master("local[1]")
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"microseconds": list[StageTime]}

    def measure(self, run: Run) -> Results:
        """Run the stage up to each of its steps, and the index by itself."""
        from sparing_lab.bench.stage.measure import measure

        return measure(self, run)

    def tables(self, results: Results) -> list[Table]:
        """A row for each number of subscriptions."""
        columns: dict[str, Show] = {
            "subscriptions": count("subscriptions"),
            "pairs per publication": lambda f: f"{f.pairs:,.0f}",
            "the index by itself": lambda f: f"{f.index:.2f}",
        }
        columns |= each(STEPS, lambda f, step: f"{f.steps[step]:.2f}", "stage: {}")
        columns["of the index's speed, up to matching"] = lambda f: f"{f.kept:.0%}"
        return [Table("Microseconds per publication", results["microseconds"], columns)]
