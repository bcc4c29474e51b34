"""Deployments run without Spark: as a batch by the walk, and as a stream by the stages that Spark would call.

The stream keeps each group's state packed between two micro-batches, and follows changes of the deployment as a stream
on Spark does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import VariantVal

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.admit.admission import ReadFault
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.deliver.json_columns import row_payloads
from sparing.flow.interests import Interests
from sparing.flow.packing import unpack
from sparing.flow.walk import Deliveries, Walk
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.types import END_OF_TIME, EPOCH, MICROSECOND, FieldType, Kind
from sparing.spark.pipeline import parcels
from sparing.spark.pipeline.admit_stage import FIELD, union_fields
from sparing.spark.pipeline.advance import advance
from sparing.spark.pipeline.match_stage import admitted, match_task
from sparing.spark.pipeline.parcels import Parcel
from sparing.spark.pipeline.states import load, store
from sparing.spark.pipeline.worker_plan import WorkerPlan
from tests.judges import everything
from tests.judges.everything import Delivery, MisfitError, canonical

_ARROW = {
    Kind.TEXT: pa.string(),
    Kind.FLOATING: pa.float64(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us", "UTC"),
}


def table_of(plan: Plan, lines: Sequence[str]) -> pa.Table:
    """Lines as the stage that matches gets them: fields in their types, and what did not fit."""
    rows = [everything.parsed(line) for line in lines]
    given = [row or {} for row in rows]
    fields = union_fields(plan.topics)
    typed = [{name: _fitting(kind, row.get(name)) for name, kind in fields.items()} for row in given]
    misfit = [_misfit(row, found) for row, found in zip(given, typed, strict=True)]
    columns: dict[str, pa.Array] = {
        "publisher": pa.array([row.get("publisher") for row in given], pa.string()),
        "topic": pa.array([row.get("topic") for row in given], pa.string()),
        "id": pa.array([row.get("id") for row in given], pa.string()),
        "text": pa.array(list(lines), pa.string()),
        "fault": pa.array([ReadFault.UNREADABLE if row is None else ReadFault.NONE for row in rows], pa.int8()),
        "size": pa.nulls(len(rows), pa.int64()),
        "misfit": pa.array(misfit, pa.list_(pa.string())),
        "latest": pa.nulls(len(rows), pa.int64()),
        "top_k": pa.array([_wish(row) for row in given], pa.int32()),
    }
    for name, kind in fields.items():
        type_ = pa.decimal128(18, kind.scale) if kind.kind is Kind.DECIMAL else _ARROW.get(kind.kind, pa.int64())
        columns[FIELD + name] = pa.array([found[name] for found in typed], type_)
    return pa.table(columns)


def _misfit(row: dict[str, Any], typed: dict[str, Any]) -> list[str | None] | None:
    """The texts of values that do not fit, by field; None if all do."""
    texts = [None if row.get(name) is None or value is not None else str(row[name]) for name, value in typed.items()]
    return texts if any(text is not None for text in texts) else None


def _fitting(kind: FieldType, given: Any) -> Any:
    try:
        return None if given is None else everything.fitting(kind, given)
    except MisfitError:
        return None


def _wish(row: dict[str, Any]) -> int | None:
    wish = row.get("top_k")
    return wish if wish is None or (type(wish) is int and wish > 0) else 0


# Batch


@dataclass
class Outcome:
    """What came of a run: what was delivered, who was drawn, what was set aside, the bill."""

    deliveries: list[Delivery] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)
    bill: Bill = field(default_factory=Bill)
    drawn: dict[str, set[str]] = field(default_factory=dict)


def batch(plan: Plan, lines: Sequence[str], cuts: Sequence[tuple[Sequence[str], int]] | None = None) -> Outcome:
    """Walk through all lines at once, or through (lines, how far time has got after them)."""
    walk, outcome = Walk(plan), Outcome()
    worker_plan = WorkerPlan(walk.interests)
    for some, until in cuts or [(lines, END_OF_TIME)]:
        publications = []
        for found, rejected in admitted(table_of(plan, some), worker_plan):
            outcome.aside += [(one.text, one.reason.value) for one in rejected]
            publications.append(found)
        _note(plan, walk._at_once, publications, outcome)
        _collect(plan, publications, walk.feed(publications, until), outcome)
    outcome.deliveries.sort()
    return outcome


def _note(plan: Plan, at_once: AtOnce, publications: Sequence[Publications], outcome: Outcome) -> None:
    """Who the publications of ordinary topics go to."""
    for some in publications:
        if plan.topics[some.topic].merge is None:
            for _, chosen in at_once.chosen(some):
                pairs = chosen.pairs
                for row, number in zip(pairs.rows.tolist(), pairs.subscriptions.tolist(), strict=True):
                    outcome.drawn.setdefault(some.id[row].as_py(), set()).add(plan.subscriptions[number].id)


def _collect(plan: Plan, publications: Sequence[Publications], delivered: Deliveries, outcome: Outcome) -> None:
    assert not delivered.late
    assert not delivered.late_reports
    rows = {}
    for p in publications:
        rows |= zip(p.id.tolist(), zip(row_payloads(p.columns, len(p)), p.time.tolist(), strict=True), strict=True)
    for number, id_ in delivered.plain:
        subscription, (text, time) = plan.subscriptions[number], rows[id_]
        values = json.loads(text)
        columns = subscription.query.columns
        shown = values if columns is None else {name: values.get(field) for name, field in columns}
        event = Delivery(subscription.id, "event", id_, time, None, None, canonical(shown))
        outcome.deliveries.append(event)
    for n in delivered.notifications:
        outcome.deliveries.append(_window(plan, n.subscription, n.start, n.end, n.payload))
    for telling in delivered.merged:
        for number in telling.subscriptions:
            id_, payload = plan.subscriptions[number].id, canonical(json.loads(telling.payload))
            outcome.deliveries.append(Delivery(id_, "merged", "", telling.time, telling.start, telling.end, payload))
    outcome.bill.update(delivered.bill)


def _window(plan: Plan, number: int, start: int, end: int, payload: str) -> Delivery:
    subscription = plan.subscriptions[number]
    kind = "digest" if subscription.query.every is not None else "window"
    return Delivery(subscription.id, kind, "", end, start, end, canonical(json.loads(payload)))


# Stream


class Step(NamedTuple):
    """A micro-batch: the deployment as its file is then, what arrives, and how far time has got before it."""

    deployment: Deployment
    lines: Sequence[str]
    now: int


class Stream:
    """A stream under way: one packed state per group."""

    def __init__(self, deployment: Deployment) -> None:
        self.plans = 0
        self.states: dict[str, bytes] = {}
        self.outcome = Outcome()
        self.groups: dict[str, str] = {}
        self._change_to(deployment)

    def _change_to(self, deployment: Deployment) -> None:
        plan = plan_of(deployment)
        interests = Interests.of(plan, keep_fields=True, known_groups=self.groups)
        self.groups = self.groups | interests.named_groups
        self.deployment = deployment
        before = self.worker_plan.at_once if self.plans else None  # a worker takes over the indexes that it has
        self.worker_plan = WorkerPlan(interests, str(self.plans), before)
        self.plans += 1

    def step(self, step: Step) -> None:
        """Run a micro-batch, under another plan if the deployment has changed."""
        if step.deployment != self.deployment:
            self._change_to(step.deployment)
        worker_plan, plan = self.worker_plan, self.worker_plan.interests.plan
        table = table_of(plan, step.lines)
        _note(plan, worker_plan.at_once, [found for found, _ in admitted(table, worker_plan)], self.outcome)
        held: dict[str, list[bytes]] = {group: [] for group in self.states}
        passing: list[Parcel] = []
        for row in (row for part in match_task(_record_batches(table), worker_plan) for row in part.to_pylist()):
            if row["group"].startswith("\t"):
                passing += [] if row["parcel"] is None else [Parcel(row["what"], row["rows"], row["parcel"])]
            else:
                held.setdefault(row["group"], []).append(row["parcel"])
        for group, found in sorted(held.items()):
            before = self.states.pop(group, None)
            state = None if before is None else load(worker_plan, group, before)
            after, results = advance(worker_plan, group, state, found, step.now, step.now)
            passing += results
            if not after.empty:
                self.states[group] = store(worker_plan, group, after)
        for parcel in passing:
            self._collect(parcel.what, unpack(parcel.contents))

    def _collect(self, what: str, table: pa.Table) -> None:
        plan, outcome = self.worker_plan.interests.plan, self.outcome
        for row in table.to_pylist():
            match what:
                case parcels.NOTIFICATIONS:
                    times = [None if row[name] is None else _micros(row[name]) for name in ("time", "start", "end")]
                    for number in row["recipients"]:
                        text = VariantVal(**row["payload"]).toJson()
                        if row["kind"] == parcels.WINDOW:
                            outcome.deliveries.append(_window(plan, number, *times[1:], text))
                        else:
                            payload = canonical(json.loads(text))
                            id_ = plan.subscriptions[number].id
                            outcome.deliveries.append(Delivery(id_, row["kind"], "", *times, payload))
                case parcels.BILL:
                    bucket = None if row["bucket"] is None else _micros(row["bucket"])
                    outcome.bill[BillKey(row["source"], row["target"], MessageKind(row["kind"]), bucket)] += row[
                        "messages"
                    ]
                case parcels.QUARANTINE:
                    outcome.aside.append((row["row"], row["reason"]))


def _record_batches(table: pa.Table) -> Iterable[pa.RecordBatch]:
    """In two parts, as if from two tasks' rows."""
    half = max(len(table) // 2, 1)
    return [*table.slice(0, half).to_batches(), *table.slice(half).to_batches()]


def _micros(time: Any) -> int:
    return int((time - EPOCH) // MICROSECOND)


def stream(steps: Sequence[Step]) -> Outcome:
    """Run micro-batches, and then one in which time comes to its end."""
    running = Stream(steps[0].deployment)
    for step in steps:
        running.step(step)
    running.step(Step(steps[-1].deployment, [], END_OF_TIME))
    running.outcome.deliveries.sort()
    return running.outcome


def without_ids(deliveries: Iterable[Delivery]) -> list[Delivery]:
    """Deliveries as a stream tells them, which does not say which publication an event was."""
    return sorted(delivery._replace(id="") for delivery in deliveries)
