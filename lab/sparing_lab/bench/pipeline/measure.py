"""The pipeline against plain Spark SQL: the same subscriptions over the same publications, in one run.

The peer is what a Spark user would write without Sparing: the subscriptions as a table of bounds, publications joined
with it on the predicates (symbols are equal, so Spark can hash on them), plain matches delivered as they are, aggregate
ones grouped by subscription and window. It computes the same notifications, which is checked; it has no overlay, and so
no bill. Both write to Spark's `noop` sink.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparing.deployment.deployment import Deployment, Endpoint
from sparing.deployment.planning import plan_of
from sparing.flow.interests import Interests
from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.model.subscription import Subscription
from sparing.model.window import TimeWindow
from sparing.spark.io import sources
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.match_stage import match
from sparing.spark.pipeline.pubsub import PubSub
from sparing.spark.pipeline.walk_stage import walk_batch
from sparing.spark.pipeline.worker_plan import ship
from sparing.spark.run import stream, wait
from sparing.workloads.files import write
from sparing.workloads.stock import DEFAULTS, stock
from sparing_lab.bench.benchmark import Results, Run
from sparing_lab.bench.pipeline.benchmark import Pipeline, Throughput

RATE = 2_000
FILES = 8
RANGES = ("open", "high", "low", "close", "volume", "change")
WATERMARK = "10 seconds"


def measure(settings: Pipeline, run: Run) -> Results:
    """Measure ours and the peer in turn, batch and streaming."""
    figures: list[Throughput] = []
    stages = {}
    with run.spark() as spark:
        for count in settings.subscriptions:
            folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
            try:
                deployment = _deployment(folder, count, settings)
                figures += _measure(spark, deployment, folder, settings, run)
                stages[count] = _stages(spark, deployment, settings)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
    return {"figures": figures, "stages": stages}


def _deployment(folder: Path, subscriptions: int, settings: Pipeline) -> Deployment:
    duration = settings.publications / RATE
    workload = stock(replace(DEFAULTS, rate=RATE, duration=duration, subscriptions=subscriptions))
    written = write(workload, folder / "stock", "parquet", FILES)
    deployment = Deployment.read(written.deployment)
    assert deployment.source is not None
    source = replace(deployment.source, options={"maxFilesPerTrigger": "2"})
    return replace(deployment, source=source, sink=Endpoint("noop"))


def _measure(
    spark: SparkSession, deployment: Deployment, folder: Path, settings: Pipeline, run: Run
) -> list[Throughput]:
    runs = {
        "batch": (lambda _: _our_batch(spark, deployment), lambda _: _peer_batch(spark, deployment)),
        "stream": (
            lambda n: _our_stream(spark, deployment, folder / f"ours{n}"),
            lambda n: _peer_stream(spark, deployment, folder / f"peer{n}"),
        ),
    }
    _check(spark, deployment)  # also warms up Java and the Python workers, for both
    figures = []
    for mode, (ours, peer) in runs.items():
        times: tuple[list[float], list[float]] = ([], [])
        for n in range(settings.repeat):
            for side, found, work in (("Sparing", times[0], ours), ("Spark SQL", times[1], peer)):
                found.append(_timed(work, n))
                run.tell(f"{mode}, {counted(len(deployment.subscriptions), 'subscription')}, {side}: {found[-1]:.1f} s")
        rates = [settings.publications / median(found) for found in times]
        figures.append(Throughput(mode, len(deployment.subscriptions), *rates))
    return figures


def _timed(work: Callable[[int], None], n: int) -> float:
    begun = time.perf_counter()
    work(n)
    return time.perf_counter() - begun


def _check(spark: SparkSession, deployment: Deployment) -> None:
    """Both sides must give the same number of notifications."""
    delivered = PubSub(spark, deployment).deliver(sources.read(spark, deployment, streaming=False))
    ours = {row["kind"]: row["count"] for row in delivered.notifications.groupBy("kind").count().collect()}
    delivered.forget()
    events, windows = _peer(spark, deployment, sources.read(spark, deployment, streaming=False))
    peer = {"event": events.count(), "window": windows.count()}
    if ours != peer:
        raise SparingError(f"Sparing and Spark SQL disagree on the benchmark's notifications: {ours} and {peer}.")


def _our_batch(spark: SparkSession, deployment: Deployment) -> None:
    delivered = PubSub(spark, deployment).deliver(sources.read(spark, deployment, streaming=False))
    _discard(delivered.notifications)
    _discard(delivered.bill)
    delivered.forget()


def _stages(spark: SparkSession, deployment: Deployment, settings: Pipeline) -> dict[str, float]:
    """Return the time of each step of our batch run: differences of medians of runs up to each step."""
    interests = Interests.of(plan_of(deployment))
    shipped = ship(spark, interests)
    admitted = admit(sources.read(spark, deployment, streaming=False), interests)
    matched = match(admitted, shipped)
    upto = {
        "read and admit": lambda _: _discard(admitted),
        "match, plain deliveries": lambda _: _discard(matched),
        "walk": lambda _: _discard(walk_batch(matched, shipped)),
        "notifications as rows, bill": lambda _: _our_batch(spark, deployment),
    }
    found: dict[str, float] = {}
    before = 0.0
    for step, work in upto.items():
        seconds = median(_timed(work, n) for n in range(settings.repeat))
        found[step] = max(seconds - before, 0.0)
        before = seconds
    return found


def _discard(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def _peer_batch(spark: SparkSession, deployment: Deployment) -> None:
    for part in _peer(spark, deployment, sources.read(spark, deployment, streaming=False)):
        _discard(part)


def _our_stream(spark: SparkSession, deployment: Deployment, checkpoint: Path) -> None:
    wait(stream(spark, replace(deployment, checkpoint=str(checkpoint)), once=True))


def _peer_stream(spark: SparkSession, deployment: Deployment, checkpoint: Path) -> None:
    """One query for plain deliveries and one for windows, side by side: a single query cannot do both."""
    parts = _peer(spark, deployment, sources.read(spark, deployment, streaming=True))
    queries = [
        part.writeStream.format("noop")
        .option("checkpointLocation", str(checkpoint / str(at)))
        .trigger(availableNow=True)
        .start()
        for at, part in enumerate(parts)
    ]
    for query in queries:
        query.awaitTermination()


def _peer(spark: SparkSession, deployment: Deployment, publications: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Plain Spark SQL for the same subscriptions: events, windows."""
    topic = deployment.topics["stock"]
    columns = ["subscriber string", "subscription string", "symbol string", "aggregate boolean", "slide string"]
    columns += [f"{field}_{end} {topic.fields[field].name}" for field in RANGES for end in ("low", "high")]
    rows = [_bounds(subscription, deployment) for subscription in deployment.subscriptions]
    table = F.broadcast(spark.createDataFrame(rows, ", ".join(columns)).withColumnRenamed("symbol", "wanted"))
    matches = F.col("symbol") == F.col("wanted")
    for field in RANGES:
        low, high = F.col(f"{field}_low"), F.col(f"{field}_high")
        matches &= (low.isNull() | (F.col(field) >= low)) & (high.isNull() | (F.col(field) < high))
    if publications.isStreaming:
        publications = publications.withWatermark("ts", WATERMARK)
    events = publications.join(table.where("NOT aggregate"), matches).select(
        "subscriber", "subscription", "ts", F.struct(*topic.fields).alias("payload")
    )
    # A window's slide must be a constant in Spark, so tumbling and sliding windows are grouped apart.
    tumbling, sliding = (
        publications.join(table.where(F.col("slide") == slide), matches)
        .groupBy("subscriber", "subscription", F.window("ts", "10 seconds", slide))
        .agg(F.count("*"), F.avg("close"), F.max("high"), F.sum("volume"))
        for slide in ("10 seconds", "5 seconds")
    )
    return events, tumbling.union(sliding)


def _bounds(subscription: Subscription, deployment: Deployment) -> tuple[Any, ...]:
    """A subscription as a row of bounds."""
    query = subscription.query
    types = deployment.topics[query.topic].fields
    found: list[Any] = [subscription.subscriber, subscription.id, query.box.on("symbol").point()]
    window = query.aggregation.window if query.aggregation is not None else None
    assert window is None or isinstance(window, TimeWindow)
    slide = None if window is None else ("5 seconds" if window.slide == 5_000_000 else "10 seconds")
    found += [window is not None, slide]
    for field in RANGES:
        ((low, high),) = query.box.on(field).ranges
        found += [None if bound is None else types[field].value(bound) for bound in (low, high)]
    return tuple(found)
