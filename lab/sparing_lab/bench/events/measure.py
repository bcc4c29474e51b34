"""The whole pipeline on Spark beside a plain Spark SQL job, and the walk of events alone."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.admit.publications import Publications
from sparing.flow.events.context import MergeContext
from sparing.flow.events.reports import Report, reports_of
from sparing.flow.events.stored import restored, stored
from sparing.flow.events.walk import EventWalk
from sparing.match.columns import column
from sparing.model.counted import counted
from sparing.model.policy import EventMerging
from sparing.model.types import END_OF_TIME
from sparing.spark.io import sources
from sparing.spark.pipeline.pubsub import PubSub
from sparing.workloads.files import write
from sparing.workloads.workload import Workload
from sparing_lab.bench.benchmark import Results, Run
from sparing_lab.bench.events.benchmark import Events, InFlight, OnSpark
from sparing_lab.bench.events.traces import burst, trace

TOPIC = "incidents"
PEER = "Spark SQL"
SINGLE = ("kind", "severity", "lanes_blocked", "injured", "description")
Tell = Callable[[str], None]


def measure(settings: Events, run: Run) -> Results:
    """Measure all."""
    with run.spark() as spark:
        on_spark = [figure for count in settings.events for figure in _on_spark(spark, settings, count, run.tell)]
    return {"on_spark": on_spark, "in_flight": [_in_flight(settings, count, run.tell) for count in settings.in_flight]}


def _on_spark(spark: SparkSession, settings: Events, count: int, tell: Tell) -> list[OnSpark]:
    """One trace: every way of merging, with every number of partitions, and the peer, in turns."""
    folder = Path(tempfile.mkdtemp(prefix="sparing-bench-"))
    try:
        written = write(trace(settings, count), folder / "trace", format="parquet")
        deployment = Deployment.read(written.deployment)
        reports = sources.read(spark, deployment, streaming=False).cache()
        size = reports.count()
        ways: dict[str, Callable[[], None]] = {}
        for partitions in settings.partitions:
            for merging in EventMerging:
                called = f"{merging}, {partitions} {'partition' if partitions == 1 else 'partitions'}"
                policy = replace(deployment.policy, events=merging, partitions=partitions)
                ways[called] = _pipeline(spark, replace(deployment, policy=policy), reports)
        ways[PEER] = lambda: _grouped(reports)
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for turn in range(settings.repeat + 1):
            for name, way in ways.items():
                tell(
                    f"{counted(count, 'event')}, {name}"
                    + (f", {turn} of {settings.repeat}" if turn else ", to get warm")
                )
                begun = time.perf_counter()
                way()
                if turn:
                    seconds[name].append(time.perf_counter() - begun)
        reports.unpersist()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [OnSpark(count, size, name, median(taken)) for name, taken in seconds.items()]


def _pipeline(spark: SparkSession, deployment: Deployment, reports: DataFrame) -> Callable[[], None]:
    pubsub = PubSub(spark, deployment)

    def run() -> None:
        delivered = pubsub.deliver(reports)
        delivered.notifications.write.format("noop").mode("overwrite").save()
        delivered.forget()

    return run


def _grouped(reports: DataFrame) -> None:
    """The peer, a plain Spark job: reports grouped by key and session, every value once, the last one apart."""
    grouped = reports.groupBy("place", F.session_window("ts", "100 seconds"))
    columns = [F.collect_set(name).alias(name) for name in SINGLE]
    columns += [F.max_by(name, "ts").alias(f"last_{name}") for name in SINGLE]
    grouped.agg(*columns).write.format("noop").mode("overwrite").save()


def _in_flight(settings: Events, count: int, tell: Tell) -> InFlight:
    """The walk alone, with all events under way at the same time: seconds for the reports, and the state then.

    A stream stores and loads all of that state in every micro-batch; how long it takes is measured, too.
    """
    tell(f"{counted(count, 'event')} in flight")
    workload = burst(settings, count)
    plan = plan_of(Deployment.of(workload.description))
    reports = _reports(workload, plan)
    taken, kept, sizes = [], [], []
    for _ in range(settings.repeat):
        walk = EventWalk(MergeContext(plan, TOPIC))
        middle = int(np.median([report.time for report in reports]))
        begun = time.process_time()
        state, _ = walk.advance(None, [r for r in reports if r.time < middle], middle)
        paused = time.process_time()
        plain = pickle.dumps(stored(state, walk.context), protocol=5)
        packed = zlib.compress(plain, level=1)
        state = restored(pickle.loads(zlib.decompress(packed)), walk.context, same_plan=True)
        kept.append(time.process_time() - paused)
        sizes.append((len(state.events), len(plain)))
        walk.advance(state, [r for r in reports if r.time >= middle], END_OF_TIME)
        taken.append(time.process_time() - begun - kept[-1])
    under_way, size = sizes[-1]
    return InFlight(count, len(reports), under_way, median(taken), size, median(kept))


def _reports(workload: Workload, plan: Plan) -> list[Report]:
    topic = plan.topics[TOPIC]
    at = {advertisement.publisher: plan.routes.number[advertisement.broker] for advertisement in plan.advertisements}
    found: list[Report] = []
    for chunk in workload.chunks():
        columns = {field: column(chunk.table[field], kind) for field, kind in topic.fields.items()}
        publishers = chunk.table["publisher"].to_numpy()
        rows = len(publishers)
        ids = np.array([f"{len(found) + row:09}" for row in range(rows)], dtype=object)
        brokers = np.array([at[publisher] for publisher in publishers], dtype=np.int32)
        publications = Publications(TOPIC, columns[topic.time].values, ids, publishers, brokers, columns)
        found += reports_of(publications, topic)
    return found
