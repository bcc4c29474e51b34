"""Where the time of the matching stage goes: the stage run up to each of its steps, beside the index by itself.

The stage is one Python function on Spark. It is run with more and more of its work: taking the rows over from Java as
Arrow batches; their columns as arrays, and admission; matching; what happens at once (bill, plain deliveries, what is
held); packing. Differences of the medians are what each step adds. The index by itself matches the same rows in this
process, without Spark. Everything runs on one core.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession
from rich.table import Table

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.at_once import MOST_PAIRS
from sparing.flow.interests import Interests
from sparing.flow.publications import MOST_ROWS
from sparing.flow.topic_index import TopicIndex
from sparing.match.columns import column
from sparing.model.counted import counted
from sparing.report.tables import figures_table
from sparing.spark import match_stage, sources
from sparing.spark.admit_stage import admit
from sparing.spark.shipping import Shipped, ship
from sparing.workloads.files import write
from sparing.workloads.stock import DEFAULTS, stock

TOPIC = "stock"
STEPS = ("to Python", "columns, admission", "matching", "at once", "packing")


@dataclass(frozen=True)
class Settings:
    """Numbers of subscriptions to try, publications in the trace, repetitions."""

    subscriptions: tuple[int, ...] = (5_000, 50_000)
    publications: int = 131_072
    repeat: int = 3


@dataclass(frozen=True)
class Figure:
    """Microseconds per publication: of the index by itself, and of each step of the stage; and pairs of each."""

    subscriptions: int
    pairs: float
    index: float
    steps: dict[str, float]

    @property
    def matching(self) -> float:
        """Of the steps up to matching."""
        return sum(self.steps[step] for step in STEPS[:3])

    @property
    def kept(self) -> float:
        """The share of the index's own speed that is left once rows come from Spark."""
        return self.index / self.matching


@dataclass(frozen=True)
class Figures:
    """All of them."""

    settings: Settings
    figures: list[Figure]

    def tables(self) -> list[Table]:
        """For people."""
        names = ["", *(f"{counted(figure.subscriptions, 'subscription')}" for figure in self.figures)]
        rows: dict[str, Callable[[Figure], str]] = {
            "pairs per publication": lambda figure: f"{figure.pairs:,.0f}",
            "the index by itself": lambda figure: f"{figure.index:.2f}",
        }
        for step in STEPS:
            rows[f"stage: {step}"] = lambda figure, step=step: f"{figure.steps[step]:.2f}"  # type: ignore[misc]
        rows["of the index's speed, up to matching"] = lambda figure: f"{figure.kept:.0%}"
        cells = [[name, *map(text, self.figures)] for name, text in rows.items()]
        return [figures_table("Microseconds per publication", names, cells)]

    def json(self) -> dict[str, Any]:
        """For a file."""
        found = [
            {"subscriptions": f.subscriptions, "pairs": f.pairs, "index": f.index, "steps": f.steps, "kept": f.kept}
            for f in self.figures
        ]
        return {
            "publications": self.settings.publications,
            "repeat": self.settings.repeat,
            "microseconds": found,
        }


def stage(spark: SparkSession, settings: Settings, tell: Callable[[str], None] = lambda _: None) -> Figures:
    """Measure all."""
    figures = []
    for count in settings.subscriptions:
        folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
        try:
            figures.append(_measure(spark, _deployment(folder, count, settings), settings))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        tell(f"{counted(count, 'subscription')}: {figures[-1].kept:.0%} of the index's own speed")
    return Figures(settings, figures)


def _deployment(folder: Path, subscriptions: int, settings: Settings) -> Deployment:
    rate = 2_000
    made = replace(DEFAULTS, rate=rate, duration=settings.publications / rate, subscriptions=subscriptions)
    return Deployment.read(write(stock(made), folder / "stock", "parquet", 1).deployment)


def _measure(spark: SparkSession, deployment: Deployment, settings: Settings) -> Figure:
    interests = Interests.of(plan_of(deployment))
    shipped = ship(spark, interests)
    admitted = admit(sources.read(spark, deployment, streaming=False), interests).coalesce(1).persist()
    index, tables = _index(interests, deployment)
    pairs = _match(index, tables)  # also compiles
    frames = [admitted, *(_upto(admitted, shipped, step) for step in STEPS)]
    for frame in frames:  # a first round starts workers, compiles, and fills the cache
        _discard(frame)
    of_index: list[float] = []
    of_frames: list[list[float]] = [[] for _ in frames]
    for _ in range(settings.repeat):
        of_index.append(_timed(lambda: _match(index, tables)))
        for found, frame in zip(of_frames, frames, strict=True):
            found.append(_timed(lambda frame=frame: _discard(frame)))  # type: ignore[misc]
    admitted.unpersist()
    upto = [median(found) for found in of_frames]
    each = 1e6 / settings.publications
    steps = {step: max(0.0, upto[n + 1] - upto[n]) * each for n, step in enumerate(STEPS)}
    return Figure(len(deployment.subscriptions), pairs / settings.publications, median(of_index) * each, steps)


def _index(interests: Interests, deployment: Deployment) -> tuple[TopicIndex, list[pa.Table]]:
    path = deployment.needed_source().path
    found = pa.parquet.read_table(path)
    tables = [found.slice(start, MOST_ROWS).combine_chunks() for start in range(0, len(found), MOST_ROWS)]
    return TopicIndex(interests.plan, TOPIC), tables


def _match(index: TopicIndex, tables: Iterable[pa.Table]) -> int:
    pairs = 0
    for table in tables:
        columns = {name: column(table[name], kind) for name, kind in index.fields.items()}
        pairs += sum(len(found) for found in index.match(columns, len(table), MOST_PAIRS))
    return pairs


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _discard(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _upto(admitted: DataFrame, shipped: Shipped, last: str) -> DataFrame:
    """The matching stage with its work up to a step; the last one is the stage itself."""
    if last == STEPS[-1]:
        return match_stage.match(admitted, shipped)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        done = 0
        for table in match_stage.tables(batches):
            if last == "to Python":
                done += len(table)
                continue
            machinery = shipped.machinery()
            for publications, _ in match_stage.admitted(table, machinery):
                if last == "matching":
                    done += sum(map(len, machinery.at_once.matches(publications)))
                elif last == "at once":
                    done += sum(len(arrival.plain) for arrival in machinery.at_once.arrive(publications))
                else:
                    done += len(publications)
        yield pa.RecordBatch.from_pydict({"done": [done]})

    return admitted.mapInArrow(run, "done long")
