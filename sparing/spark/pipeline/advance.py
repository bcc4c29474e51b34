"""The walk under one key: interest groups of a topic (in a stream, one), or an event partition of a merged topic."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from sparing.flow.admit.admission import QuarantineReason
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.json_columns import row_payloads
from sparing.flow.deliver.payload import json_value
from sparing.flow.events.merged_topic import MergedState
from sparing.flow.windows.window_state import WindowState
from sparing.match.columns import Column
from sparing.model.topic import Topic
from sparing.model.types import EPOCH, MICROSECOND, STRING
from sparing.spark.pipeline import parcels
from sparing.spark.pipeline.keys import event_partition_of
from sparing.spark.pipeline.parcels import Parcel
from sparing.spark.pipeline.worker_plan import WorkerPlan

State = WindowState | MergedState
Packed = Any  # an Arrow buffer, or bytes


def advance(
    worker_plan: WorkerPlan,
    group: str,
    state: State | None,
    held: Iterable[Packed],
    until: int,
    late_before: int,
) -> tuple[State, list[Parcel]]:
    """Advance the walk of one key up to a time; return the new state and the results as parcels."""
    if (partition := event_partition_of(group)) is not None:
        assert state is None or isinstance(state, MergedState)
        return _advance_events(worker_plan, partition.topic, state, held, until, late_before)
    assert state is None or isinstance(state, WindowState)
    return _advance_windows(worker_plan, group, state, held, until, late_before)


def _advance_windows(
    worker_plan: WorkerPlan,
    group: str,
    state: WindowState | None,
    held: Iterable[Packed],
    until: int,
    late_before: int,
) -> tuple[WindowState, list[Parcel]]:
    topic_name = worker_plan.topic_of_key.get(group)
    if topic_name is None:  # all its subscriptions were removed while the stream was stopped
        return WindowState(), []
    topic = worker_plan.interests.plan.topics[topic_name]
    arrivals = [Matched.unpack(contents, topic) for contents in held]
    began = time.thread_time()
    interests = worker_plan.interests
    after, outcome = worker_plan.window_walk.advance(
        state, arrivals, until, late_before=late_before, bound=interests.bound
    )
    routes = interests.plan.routes
    seconds = time.thread_time() - began - outcome.bound_seconds
    results = [parcels.meter(seconds, {routes.ends(n): least for n, least in outcome.least.items()})]
    if outcome.notifications:
        results.append(parcels.windows(outcome.notifications))
    if outcome.bill:
        results.append(parcels.bill(outcome.bill))
    for late in outcome.late:
        effect = "its windows do not count it (plain subscriptions received it)"
        results.append(_late(_as_rows(topic, late), late.publisher.tolist(), until, effect))
    return after, results


def _advance_events(
    worker_plan: WorkerPlan,
    topic: str,
    state: MergedState | None,
    held: Iterable[Packed],
    until: int,
    late_before: int,
) -> tuple[MergedState, list[Parcel]]:
    declared = worker_plan.interests.plan.topics[topic]
    arrivals = [Publications.unpack(contents, declared) for contents in held]
    began = time.thread_time()
    bound = worker_plan.interests.bound
    after, outcome = worker_plan.merged_topic(topic).advance(state, arrivals, until, late_before, bound=bound)
    seconds = time.thread_time() - began
    results = [parcels.meter(seconds, outcome.least if bound else {}, outcome.siena, outcome.bill)]
    if outcome.merged:
        results.append(parcels.merged_events(outcome.merged))
    if outcome.notifications:
        results.append(parcels.windows(outcome.notifications))
    if outcome.bill:
        results.append(parcels.bill(outcome.bill))
    if outcome.late:
        rows = [row for late in outcome.late for row in _as_rows(declared, late)]
        publishers = [publisher for late in outcome.late for publisher in late.publisher.tolist()]
        results.append(_late(rows, publishers, until, "its event may have been delivered already"))
    return after, results


def _as_rows(topic: Topic, late: Matched | Publications) -> list[str]:
    """Return publications as JSON rows that could be published again."""
    valid = np.ones(len(late), dtype=bool)
    common = {
        "publisher": late.publisher.cast(pa.string()),
        "topic": pa.repeat(pa.scalar(topic.name), len(late)),
        "id": late.id,
    }
    columns = {name: Column(STRING, values, valid) for name, values in common.items() if name not in topic.fields}
    return row_payloads(columns | {field: late.columns[field] for field in topic.fields}, len(late))


def _late(rows: Iterable[str], publishers: Iterable[str], watermark: int, effect: str) -> Parcel:
    """Return a parcel of quarantined late rows."""
    when = json_value(EPOCH + watermark * MICROSECOND).strip('"')
    detail = f"the watermark had reached {when}: {effect}"
    return parcels.quarantine(
        (row, QuarantineReason.LATE.value, detail, publisher) for row, publisher in zip(rows, publishers, strict=True)
    )
