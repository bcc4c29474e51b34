"""What is walked under one key of the stateful operator: an interest group, or a partition of a merged topic."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from sparing.flow.admit.admission import QuarantineReason
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.json_columns import row_payloads
from sparing.flow.deliver.payload import json_value
from sparing.flow.events.merged_topic import MergedState
from sparing.flow.events.reports import unpack
from sparing.flow.windows.items import column_type
from sparing.flow.windows.window_state import WindowState
from sparing.match.columns import Column
from sparing.model.topic import Topic
from sparing.model.types import EPOCH, MICROSECOND, STRING
from sparing.spark.pipeline import parcels
from sparing.spark.pipeline.keys import event_partition_of
from sparing.spark.pipeline.parcels import Parcel
from sparing.spark.pipeline.worker_plan import WorkerPlan

State = WindowState | MergedState


def advance(
    worker_plan: WorkerPlan, group: str, state: State | None, held: Iterable[bytes], until: int, late_before: int
) -> tuple[State, list[Parcel]]:
    """Walk one group on, and pack up what came of it."""
    if (partition := event_partition_of(group)) is not None:
        assert state is None or isinstance(state, MergedState)
        return _advance_events(worker_plan, partition.topic, state, held, until, late_before)
    assert state is None or isinstance(state, WindowState)
    return _advance_windows(worker_plan, group, state, held, until, late_before)


def _advance_windows(
    worker_plan: WorkerPlan, group: str, state: WindowState | None, held: Iterable[bytes], until: int, late_before: int
) -> tuple[WindowState, list[Parcel]]:
    topic_name = worker_plan.topic_of_group.get(group)
    if topic_name is None:  # all its subscriptions were taken away while the stream stood still
        return WindowState(), []
    topic = worker_plan.interests.plan.topics[topic_name]
    types = {name: column_type(topic, name) for name in worker_plan.interests.held_fields[topic.name]}
    arrivals = [Matched.unpack(contents, types) for contents in held]
    began = time.thread_time()
    interests, overlay = worker_plan.interests, worker_plan.overlay
    after, outcome = overlay.advance(state, arrivals, until, late_before=late_before, bound=interests.bound)
    routes = interests.plan.routes
    seconds = time.thread_time() - began - outcome.bound_seconds
    results = [parcels.meter(seconds, {routes.ends(n): least for n, least in outcome.least.items()})]
    if outcome.notifications:
        results.append(parcels.windows(outcome.notifications))
    if outcome.bill:
        results.append(parcels.bill(outcome.bill))
    if outcome.late is not None:
        results.append(
            _late(
                _said(topic, outcome.late),
                outcome.late.publisher,
                until,
                "its windows do not count it (plain subscriptions got it)",
            )
        )
    return after, results


def _advance_events(
    worker_plan: WorkerPlan, topic: str, state: MergedState | None, held: Iterable[bytes], until: int, late_before: int
) -> tuple[MergedState, list[Parcel]]:
    arrivals = [unpack(contents, worker_plan.interests.plan.topics[topic]) for contents in held]
    began = time.thread_time()
    bound = worker_plan.interests.bound
    after, outcome = worker_plan.merged(topic).advance(state, arrivals, until, late_before, bound=bound)
    seconds = time.thread_time() - began
    results = [parcels.meter(seconds, outcome.least if bound else {}, outcome.siena, outcome.bill)]
    if outcome.merged:
        results.append(parcels.told(outcome.merged))
    if outcome.notifications:
        results.append(parcels.windows(outcome.notifications))
    if outcome.bill:
        results.append(parcels.bill(outcome.bill))
    if outcome.late:
        of = worker_plan.interests.plan.topics[topic]
        said = [row for late in outcome.late for row in _said(of, late)]
        by = [publisher for late in outcome.late for publisher in late.publisher]
        results.append(_late(said, by, until, "what it reports on may have been told already"))
    return after, results


def _said(topic: Topic, late: Matched | Publications) -> list[str]:
    """Publications as rows that could be published once more."""
    there = np.ones(len(late), dtype=bool)
    known = {"publisher": late.publisher, "topic": np.full(len(late), topic.name, dtype=object), "id": late.id}
    named = {name: Column(STRING, said, there) for name, said in known.items() if name not in topic.fields}
    return row_payloads(named | {field: late.columns[field] for field in topic.fields}, len(late))


def _late(rows: Iterable[str], publishers: Iterable[str], watermark: int, so: str) -> Parcel:
    """Rows that came too late, and what becomes of them."""
    when = json_value(EPOCH + watermark * MICROSECOND).strip('"')
    detail = f"the watermark had reached {when}: {so}"
    return parcels.quarantine(
        (row, QuarantineReason.LATE.value, detail, by) for row, by in zip(rows, publishers, strict=True)
    )
