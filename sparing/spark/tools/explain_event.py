"""Explanation of a merged event, from the walk of its topic's events over a recorded trace."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from difflib import get_close_matches

import pyarrow as pa
from pyspark.sql import SparkSession

from sparing.deployment.deployment import Deployment
from sparing.flow.admit.publications import Publications
from sparing.flow.events.explain import EventHistory, HistoryRecorder
from sparing.flow.interests import Interests
from sparing.flow.warm import warm_up
from sparing.model.errors import SparingError
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.spark.io import sources
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.keys import EVENT_PARTITION, event_partition_of
from sparing.spark.pipeline.match_stage import match
from sparing.spark.pipeline.pubsub import PubSub
from sparing.spark.pipeline.worker_plan import WorkerPlan, ship
from sparing.spark.tools.explain import number_of, one_row


def explain_event(
    spark: SparkSession, deployment: Deployment, key: str, subscription: str | None = None, at: int | None = None
) -> EventHistory:
    """Return the history of the event with a key that was open at a time (None: the last one)."""
    plan = PubSub(spark, deployment).plan
    merged = [name for name, topic in plan.topics.items() if topic.merge is not None]
    number = None if subscription is None else number_of(plan, subscription)
    if number is not None:
        merged = [name for name in merged if name == plan.subscriptions[number].query.topic]
        if not merged or plan.subscriptions[number].query.aggregation is not None:
            raise SparingError(f"Subscription {subscription} is not notified of merged events: remove --event.")
    if not merged:
        raise SparingError(f"Deployment {deployment.name} has no merged topic: remove --event.")
    warm_up(plan)
    interests = Interests.of(plan)
    shipped = ship(spark, interests)
    rows = admit(sources.read(spark, deployment, streaming=False), interests, deployment.limits.row_bytes)

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parcels = [row for batch in batches for row in batch.select(["group", "parcel"]).to_pylist()]
        yield one_row(_histories(shipped.worker_plan(), parcels, key, number))

    parceled = match(rows, shipped)
    mine = parceled.where(parceled["group"].startswith(EVENT_PARTITION)).coalesce(1)
    found: list[tuple[list[EventHistory], set[str]]] = [
        pickle.loads(row["found"]) for row in mine.mapInArrow(run, "found binary").collect()
    ]
    histories = [history for some, _ in found for history in some]
    if not histories:
        close = get_close_matches(key, sorted({one for _, keys in found for one in keys}), 1, cutoff=0.3)
        raise SparingError(f"No event has the key {key!r}" + (f": did you mean {close[0]!r}?" if close else "."))
    open_then = [history for history in histories if at is None or history.began <= at <= history.ends]
    if not open_then:
        raise SparingError(f"No event with the key {key!r} was open at that time: remove --at to explain the last one.")
    return max(open_then, key=lambda history: history.began)


def _histories(
    worker_plan: WorkerPlan, parcels: list[dict[str, object]], key: str, number: int | None
) -> tuple[list[EventHistory], set[str]]:
    """Return the histories of the events with a key, and the keys of all events."""
    partitions: dict[str, list[bytes]] = {}
    for row in parcels:
        partitions.setdefault(str(row["group"]), []).append(row["parcel"])  # type: ignore[arg-type]
    histories: list[EventHistory] = []
    keys: set[str] = set()
    plan = worker_plan.interests.plan
    wanted = None if number is None else plan.subscriptions[number].query.topic
    for group, held in sorted(partitions.items()):
        partition = event_partition_of(group)
        if partition is None or (wanted is not None and partition.topic != wanted):
            continue
        name = partition.topic
        topic = worker_plan.merged_topic(name)
        watch = HistoryRecorder(topic.context, key)
        arrivals = [Publications.unpack(parcel, plan.topics[name]) for parcel in held]
        topic.advance(None, arrivals, END_OF_TIME, BEGINNING, watch)
        histories += watch.histories(number)
        kinds = [topic.context.topic.fields[field] for field in topic.context.merge.key]
        for part in arrivals:
            codes = zip(*(part.columns[field].codes().tolist() for field in topic.context.merge.key), strict=True)
            keys |= {", ".join(str(k.value(c)) for k, c in zip(kinds, one, strict=True)) for one in codes}
    return histories, keys
