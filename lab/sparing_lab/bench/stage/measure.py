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
from dataclasses import replace
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.admit.publications import MOST_ROWS
from sparing.flow.arrival.at_once import MOST_PAIRS
from sparing.flow.arrival.topic_index import TopicIndex
from sparing.flow.interests import Interests
from sparing.match.columns import column
from sparing.model.counted import counted
from sparing.spark.io import sources
from sparing.spark.pipeline import match_stage
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.worker_plan import ShippedPlan, ship
from sparing.workloads.files import write
from sparing.workloads.stock import DEFAULTS, stock
from sparing_lab.bench.benchmark import Results, Run
from sparing_lab.bench.stage.benchmark import STEPS, Stage, StageTime

TOPIC = "stock"


def measure(settings: Stage, run: Run) -> Results:
    """Measure all."""
    found = []
    with run.spark() as spark:
        for count in settings.subscriptions:
            folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
            try:
                found.append(_measure(spark, _deployment(folder, count, settings), settings))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            run.tell(f"{counted(count, 'subscription')}: {found[-1].kept:.0%} of the index's own speed")
    return {"microseconds": found}


def _deployment(folder: Path, subscriptions: int, settings: Stage) -> Deployment:
    rate = 2_000
    made = replace(DEFAULTS, rate=rate, duration=settings.publications / rate, subscriptions=subscriptions)
    return Deployment.read(write(stock(made), folder / "stock", "parquet", 1).deployment)


def _measure(spark: SparkSession, deployment: Deployment, settings: Stage) -> StageTime:
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
    return StageTime(len(deployment.subscriptions), pairs / settings.publications, median(of_index) * each, steps)


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


def _upto(admitted: DataFrame, shipped: ShippedPlan, last: str) -> DataFrame:
    """The matching stage with its work up to a step; the last one is the stage itself."""
    if last == STEPS[-1]:
        return match_stage.match(admitted, shipped)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        done = 0
        for table in match_stage.tables(batches):
            if last == "to Python":
                done += len(table)
                continue
            worker_plan = shipped.worker_plan()
            for publications, _ in match_stage.admitted(table, worker_plan):
                if last == "matching":
                    done += sum(map(len, worker_plan.at_once.matches(publications)))
                elif last == "at once":
                    done += sum(len(arrival.plain) for arrival in worker_plan.at_once.arrive(publications))
                else:
                    done += len(publications)
        yield pa.RecordBatch.from_pydict({"done": [done]})

    return admitted.mapInArrow(run, "done long")
