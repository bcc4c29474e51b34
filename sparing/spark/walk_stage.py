"""The overlay walk on Spark: one stateful operator, one key per interest group, one packed state per key.

In a batch every group is walked to the end of time. In a stream each micro-batch is walked up to the watermark, and
what is left is the group's state. Parcels that only pass through are handed on as they are.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from sparing.flow.admit import Reason
from sparing.flow.deliver.digest import PAYLOAD
from sparing.flow.deliver.payload import json_object, json_value
from sparing.flow.items import column_type
from sparing.flow.matched import Matched
from sparing.flow.overlay import BEGINNING, END_OF_TIME
from sparing.flow.walk_state import WalkState
from sparing.model.types import EPOCH, MICROSECOND
from sparing.spark import parcels
from sparing.spark.match_stage import CLOCK, PASSING
from sparing.spark.shipping import Machinery, Shipped
from sparing.spark.states import load_state, store_state

_MILLISECOND = 1_000
PORTIONS = 4


def walk_batch(parceled: DataFrame, shipped: Shipped) -> DataFrame:
    """Parcels of results for a whole trace."""

    def run(key: tuple[Any, ...], batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        group = key[0].as_py()
        if group.startswith(PASSING):
            yield from (batch.select(["parcel"]) for batch in batches)
            return
        columns = [batch["parcel"] for batch in batches]
        found = [parcel for column in columns for parcel in column.to_pylist()]
        _, results = _advance(shipped.machinery(), group, None, found, END_OF_TIME, BEGINNING)
        # Whether binary values are large ones in Arrow is a setting of the session: give back what came.
        yield pa.RecordBatch.from_arrays([pa.array(results, columns[0].type)], names=["parcel"])

    # Groups differ in size, so there are several portions of them per core.
    portions = PORTIONS * parceled.sparkSession.sparkContext.defaultParallelism
    groups = parceled.where(parceled["group"] != CLOCK).repartition(portions, "group").groupBy("group")
    return groups.applyInArrow(run, "parcel binary")


def walk_stream(parceled: DataFrame, shipped: Shipped, watermark: int) -> DataFrame:
    """Parcels of results, micro-batch by micro-batch. `watermark` is how late publications may be (microseconds)."""

    def run(key: tuple[str], parts: Iterable[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        group = key[0]
        found = [parcel for part in parts for parcel in part["parcel"] if parcel is not None]
        if group.startswith(PASSING):
            yield pd.DataFrame({"parcel": found})
            return
        machinery = shipped.machinery()
        # Before the first watermark Spark says 0, which must not make events from before 1970 late.
        now = state.getCurrentWatermarkMs() * _MILLISECOND or BEGINNING
        before = load_state(machinery, machinery.fingerprint, state.get[0]) if state.exists else None
        after, results = _advance(machinery, group, before, found, now, now)
        wakes = after.wakes()
        if after.empty:
            state.remove()
        else:
            state.update((store_state(machinery, machinery.fingerprint, after),))
            if wakes is not None:
                # A time-out comes once the watermark is past it: so this one when the watermark reaches `wakes`.
                state.setTimeoutTimestamp(max(-(-wakes // _MILLISECOND) - 1, now // _MILLISECOND, 1))
        yield pd.DataFrame({"parcel": results})

    clocked = parceled.withWatermark("clock", f"{watermark} microseconds")
    return clocked.groupBy("group").applyInPandasWithState(
        run, "parcel binary", "state binary", "append", GroupStateTimeout.EventTimeTimeout
    )


def _advance(
    machinery: Machinery, group: str, state: WalkState | None, held: Iterable[bytes], until: int, late_before: int
) -> tuple[WalkState, list[bytes]]:
    """Walk one group on, and pack up what came of it."""
    topic_name = machinery.topic_of_group.get(group)
    if topic_name is None:  # all its subscriptions were taken away while the stream stood still
        return WalkState(), []
    topic = machinery.interests.plan.topics[topic_name]
    types = {name: column_type(topic, name) for name in machinery.interests.carried[topic.name]}
    arrivals = [Matched.unpack(parcel[1:], types) for parcel in held]
    began = time.thread_time()
    interests, overlay = machinery.interests, machinery.overlay
    after, outcome = overlay.advance(state, arrivals, until, late_before, bound=interests.bound)
    routes = interests.plan.routes
    ends = {n: (routes.brokers[routes.source[n]], routes.brokers[routes.target[n]]) for n in outcome.least}
    seconds = time.thread_time() - began - outcome.bound_seconds
    results = [parcels.meter(seconds, {ends[n]: least for n, least in outcome.least.items()})]
    if outcome.notifications:
        results.append(parcels.windows(outcome.notifications))
    if outcome.bill:
        results.append(parcels.bill(outcome.bill))
    if outcome.late is not None:
        results.append(parcels.quarantine(_late(outcome.late, until)))
    return after, results


def _late(late: Matched, watermark: int) -> Iterator[tuple[str, str, str]]:
    when = json_value(EPOCH + watermark * MICROSECOND).strip('"')
    detail = f"the watermark had reached {when}: its windows do not count it (plain subscriptions got it)"
    for publisher, payload in zip(late.publisher.tolist(), late.columns[PAYLOAD].values.tolist(), strict=True):
        row = json_object([("publisher", publisher)])
        yield row[:-1] + "," + payload[1:] if payload != "{}" else row, Reason.LATE.value, detail
