"""The benchmark of covering: options, records, tables, and the goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
    goals,
    option,
    repetitions,
    spark_conf,
    spark_master,
    text,
)

# The goals: seconds of one core for so many boxes in so many dimensions with k = 10, and for a change.
GOAL_K = 10
GOALS = {
    (50_000, 1): 0.02,
    (50_000, 2): 0.1,
    (50_000, 3): 0.7,
    (500_000, 1): 0.2,
    (500_000, 2): 1.6,
    (500_000, 3): 35.0,
}
CHANGE_GOAL = 0.001


@dataclass(frozen=True)
class CoverCase:
    """The number of boxes and of dimensions."""

    boxes: int
    dimensions: int

    def __str__(self) -> str:
        return f"{counted(self.boxes, 'box', 'boxes')} in {counted(self.dimensions, 'dimension')}"


@dataclass(frozen=True)
class Covering(CoverCase):
    """One case: seconds by the clock of every engine that took part, and of CPU time for Sparing."""

    kept: int
    sparing: float
    core: float
    numpy: float | None
    spark: float | None

    @property
    def ratios(self) -> dict[str, float | None]:
        """Times of peers as multiples of Sparing's."""
        peers = {"numpy": self.numpy, "spark": self.spark}
        return {name: None if seconds is None else seconds / self.sparing for name, seconds in peers.items()}


@dataclass(frozen=True)
class Seconds:
    """Of one kind of change; 99 of 100 take no longer than `high`."""

    mean: float
    high: float
    worst: float


@dataclass(frozen=True)
class BoxChange(CoverCase):
    """Times to add a box, to remove any box, and to remove a forwarded box, which may cover others."""

    build: float  # seconds for all boxes at once
    add: Seconds
    remove: Seconds
    uncover: Seconds


@dataclass(frozen=True)
class Cover(Benchmark):
    """Covering beside NumPy and a join in Spark SQL, for whole tables and for boxes that come and go.

    Example: sparing bench cover --boxes 5000,50000 --dimensions 2 --no-spark
    """

    boxes: tuple[int, ...] = option((50_000, 500_000), "Numbers of boxes to try.")
    dimensions: tuple[int, ...] = option((1, 2, 3), "Numbers of dimensions to try.", metavar="D,...")
    k: int = option(10, "How many better boxes make one unnecessary.", min=1)
    peers: int = option(50_000, "NumPy and Spark SQL take part up to so many boxes.")
    changes: int = option(1000, "Boxes that come, and as many that go.")
    spark: bool = option(True, "Measure the join in Spark SQL as well.")
    repeat: int = repetitions()
    seed: int = option(1, "The same seed gives the same boxes.")
    master: str = spark_master()
    conf: tuple[str, ...] = spark_conf()

    parts: ClassVar = {"whole": list[Covering], "changes": list[BoxChange], "targets": list[Target]}

    def __post_init__(self) -> None:
        if not self.boxes or not self.dimensions or min(*self.boxes, *self.dimensions, self.k, self.repeat) < 1:
            raise SparingError("Numbers of boxes, dimensions and repetitions, and k, must be above zero.")
        if min(self.peers, self.changes) < 0:
            raise SparingError("Peers cannot take part up to fewer than no boxes, nor fewer than none change.")

    def cases(self) -> Iterator[CoverCase]:
        """From few boxes to many."""
        for boxes in sorted(self.boxes):
            for dimensions in self.dimensions:
                yield CoverCase(boxes, dimensions)

    def measure(self, run: Run) -> Results:
        """All engines on every case, then boxes that come and go there."""
        from sparing_lab.bench.covering.measure import measure

        whole, changes = measure(self, run)
        return {"whole": whole, "changes": changes, "targets": self.targets(whole, changes)}

    def targets(self, whole: list[Covering], changes: list[BoxChange]) -> list[Target]:
        """The goals for what was measured."""
        if self.k != GOAL_K:
            return []
        found = []
        for one in whole:
            if goal := GOALS.get((one.boxes, one.dimensions)):
                what = f"{one.boxes:,} boxes, {one.dimensions}-d: seconds of one core"
                found.append(Target.at_most(what, goal, one.core))
        for change in changes:
            if (change.boxes, change.dimensions) in GOALS:
                for kind, seconds in (("add", change.add), ("remove", change.remove)):
                    what = f"{change.boxes:,} boxes, {change.dimensions}-d: seconds to {kind} one, mean"
                    found.append(Target.at_most(what, CHANGE_GOAL, seconds.mean))
        return found

    def tables(self, results: Results) -> list[Table]:
        """Whole tables, changes, goals."""
        case: dict[str, Show] = {"boxes": count("boxes"), "dimensions": text("dimensions")}
        whole: dict[str, Show] = {
            "kept": count("kept"),
            "Sparing": lambda f: digits(f.sparing),
            "of one core": lambda f: digits(f.core),
            "NumPy": lambda f: beside(f.numpy, f.sparing),
            "Spark SQL": lambda f: beside(f.spark, f.sparing),
        }
        changes: dict[str, Show] = {
            "add": lambda f: _micro(f.add),
            "remove": lambda f: _micro(f.remove),
            "remove one that is forwarded": lambda f: _micro(f.uncover),
        }
        title = f"Seconds to find what fewer than {self.k} better boxes cover; median of {self.repeat}"
        changed = "Microseconds for a box that comes or goes: mean / 99% / worst"
        return [
            Table(title, results["whole"], case | whole),
            Table(changed, results["changes"], case | changes),
            goals(results["targets"]),
        ]


def _micro(seconds: Seconds) -> str:
    return " / ".join(f"{1e6 * one:,.0f}" for one in (seconds.mean, seconds.high, seconds.worst))
