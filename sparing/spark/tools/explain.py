"""Explanation of a notification, from a recorded trace.

Spark reads, admits and matches the trace as usual. Publications in the window are counted, with the constraints that
excluded some of them; then one task walks the interest group and records the decisions of links.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from difflib import get_close_matches

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from sparing.control.plan import Plan
from sparing.deployment.deployment import Deployment
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.warm import warm_up
from sparing.flow.windows.explain import Decision, Explainer
from sparing.model.errors import SparingError
from sparing.model.subscription import Subscription
from sparing.model.types import END_OF_TIME, Kind
from sparing.spark.io import sources
from sparing.spark.pipeline.admit_stage import admit
from sparing.spark.pipeline.match_stage import admitted, match, tables
from sparing.spark.pipeline.pubsub import PubSub
from sparing.spark.pipeline.worker_plan import ShippedPlan, WorkerPlan, ship

NOT_IN_FORCE = "being in force then"
PLAIN_SPAN = 1_000_000  # microseconds of a plain subscription to explain


@dataclass(frozen=True)
class PublicationCounts:
    """The publications of the topic in a time span, seen from one subscription.

    `matched` counts matching publications, `failed` the publications excluded by each constraint. Of the matching ones,
    `ranked` had a top-k choice, and in `chosen` of these the subscription was among the k best. `origins` has, by
    publishing broker, the number of received publications and their route.
    """

    published: int
    matched: int
    ranked: int
    chosen: int
    failed: dict[str, int]
    origins: dict[str, tuple[int, tuple[str, ...]]]


@dataclass(frozen=True)
class WindowTrace:
    """The decisions of links for a window, and its notification if there was one, with the time `told`."""

    start: int
    end: int
    decisions: tuple[Decision, ...] = ()
    told: int | None = None
    payload: str | None = None


@dataclass(frozen=True)
class NotificationExplanation:
    """The explanation of what a subscription received; `walked` is None for a plain one."""

    subscription: Subscription
    broker: str
    start: int
    end: int
    seen: PublicationCounts
    walked: WindowTrace | None


def explain(
    spark: SparkSession, deployment: Deployment, subscription: str, at: int | None, decision: str | None = None
) -> NotificationExplanation:
    """Explain the window at a time (None: the last one with a result), or what a plain subscription received then."""
    plan = PubSub(spark, deployment, decision=decision).plan
    number = number_of(plan, subscription)
    if plan.topics[plan.subscriptions[number].query.topic].merge is not None:
        if plan.subscriptions[number].query.aggregation is not None:
            raise SparingError(
                f"Subscription {subscription} has windows of merged events, which cannot be explained: explain one of "
                "the events with --event KEY."
            )
        raise SparingError(f"Subscription {subscription} is about merged events: choose one with --event KEY.")
    warm_up(plan)
    interests = Interests.of(plan)
    shipped = ship(spark, interests)
    rows = admit(sources.read(spark, deployment, streaming=False), interests, deployment.limits.row_bytes)
    walked = None
    if interests.timed[number] and at is not None:
        _window(interests, number, at)  # reject a time between two windows before the replay
    if interests.timed[number]:
        walked = _walk(match(rows, shipped), shipped, interests, number, at)
        start, end = walked.start, walked.end
    elif interests.held[number]:
        raise SparingError(
            f"Subscription {subscription} has count windows, whose publications are forwarded at once: choose a plain "
            "subscription or one with time windows."
        )
    elif at is None:
        raise SparingError(f"Subscription {subscription} has no windows: choose a time with --at TIME.")
    else:
        start, end = at, at + PLAIN_SPAN
    seen = _publication_counts(rows, shipped, plan, number, start, end)
    broker = plan.routes.brokers[plan.broker_of[number]]
    return NotificationExplanation(plan.subscriptions[number], broker, start, end, seen, walked)


def number_of(plan: Plan, subscription: str) -> int:
    """Return the number of the subscription with an id."""
    number = {s.id: n for n, s in enumerate(plan.subscriptions)}.get(subscription)
    if number is None:
        close = get_close_matches(subscription, [s.id for s in plan.subscriptions], 1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose one of the {len(plan.subscriptions):,} others."
        raise SparingError(f"There is no subscription {subscription!r}: {hint}")
    return number


def _publication_counts(
    rows: DataFrame, shipped: ShippedPlan, plan: Plan, number: int, start: int, end: int
) -> PublicationCounts:
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        worker_plan = shipped.worker_plan()
        topic = worker_plan.interests.plan.subscriptions[number].query.topic
        for table in tables(batches):
            for publications, _ in admitted(table, worker_plan):
                if publications.topic == topic:
                    yield one_row(
                        counts(publications, worker_plan.interests.plan, worker_plan.at_once, number, start, end)
                    )

    total = TaskCounts()
    for row in rows.mapInArrow(run, "found binary").collect():
        total += pickle.loads(row["found"])
    names, goal = plan.routes.brokers, int(plan.broker_of[number])
    paths = {at: plan.routes.path(at, goal) for at in sorted(total.origins)}
    return PublicationCounts(
        published=total.published,
        matched=total.matched,
        ranked=total.ranked,
        chosen=total.chosen,
        failed=dict(total.failed.most_common()),
        origins={names[at]: (total.origins[at], tuple(names[b] for b in path)) for at, path in paths.items()},
    )


def one_row(found: object) -> pa.RecordBatch:
    """Return the pickled result of a task as the only row of a batch, in the column `found`."""
    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(found)], pa.binary())], names=["found"])


@dataclass(frozen=True)
class TaskCounts:
    """The counts of a task: see `PublicationCounts`; `origins` is by broker number."""

    published: int = 0
    matched: int = 0
    ranked: int = 0
    chosen: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    origins: Counter[int] = field(default_factory=Counter)

    def __add__(self, other: TaskCounts) -> TaskCounts:
        return TaskCounts(*(getattr(self, part.name) + getattr(other, part.name) for part in fields(self)))


def counts(publications: Publications, plan: Plan, at_once: AtOnce, number: int, start: int, end: int) -> TaskCounts:
    """Return the counts of publications in a time span, seen from one subscription."""
    mine = np.flatnonzero((publications.time >= start) & (publications.time < end))
    subscription, types = plan.subscriptions[number], plan.topics[publications.topic].fields
    matches = np.ones(len(mine), dtype=bool)
    failed: Counter[str] = Counter()
    for name, constraint in subscription.query.box.constraints:
        column = publications.columns[name].take(mine)
        values = column.values if types[name].kind is Kind.TEXT else column.codes()
        codes = [code if there else None for code, there in zip(values.tolist(), column.valid.tolist(), strict=True)]
        admitted_by = np.fromiter(map(constraint.admits, codes), bool, len(mine))
        failed[constraint.sql(name, types[name])] += int((~admitted_by).sum())
        matches &= admitted_by
    times = publications.time[mine]
    in_force = np.ones(len(mine), dtype=bool)
    if subscription.valid_from is not None:
        in_force &= times >= subscription.valid_from
    if subscription.valid_until is not None:
        in_force &= times < subscription.valid_until
    failed[NOT_IN_FORCE] += int((~in_force).sum())
    matches &= in_force
    ranked, got = _chosen(publications.take(mine[matches]), plan, at_once, number)
    origins = Counter(publications.at[mine[matches]][got].tolist())
    return TaskCounts(len(mine), int(matches.sum()), int(ranked.sum()), int((ranked & got).sum()), +failed, origins)


def _chosen(publications: Publications, plan: Plan, at_once: AtOnce, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which of the matching publications have a top-k choice, and which ones the subscription receives."""
    under = publications.advertisement
    if under is None:
        return np.zeros(len(publications), bool), np.ones(len(publications), bool)
    ranked = np.array([ad.top_k is not None for ad in plan.advertisements], dtype=bool)[under]
    got = ~ranked
    if ranked.any():
        for _, chosen in at_once.chosen(publications):
            got[chosen.pairs.rows[chosen.pairs.subscriptions == number]] = True
    return ranked, got


def _walk(parceled: DataFrame, shipped: ShippedPlan, interests: Interests, number: int, at: int | None) -> WindowTrace:
    """Walk the subscription's interest group, recording the decisions for one of its windows."""
    names, group_of = interests.groups
    group = names[group_of[number]]

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parcels = [parcel for batch in batches for parcel in batch["parcel"].to_pylist()]
        if parcels:
            yield one_row(_window_trace(shipped.worker_plan(), parcels, number, at))

    mine = parceled.where(parceled["group"] == group).coalesce(1)
    rows = mine.mapInArrow(run, "found binary").collect()
    found: WindowTrace | None = pickle.loads(rows[0]["found"]) if rows else None
    if found is not None:
        return found
    if at is None:
        name = interests.plan.subscriptions[number].id
        raise SparingError(f"Subscription {name} received nothing: choose a window with --at TIME.")
    return WindowTrace(*_window(interests, number, at))


def _window(interests: Interests, number: int, at: int) -> tuple[int, int]:
    """Return the first of the windows that contain a time."""
    duration, slide, start = (int(column[number]) for column in interests.windows)
    end = at - (at - start - duration) % slide + slide
    if end - duration > at:
        raise SparingError(
            "No window of the subscription contains that time, which is between two windows: choose another --at TIME."
        )
    return end - duration, end


def _window_trace(worker_plan: WorkerPlan, parcels: list[bytes], number: int, at: int | None) -> WindowTrace | None:
    interests = worker_plan.interests
    topic = interests.plan.topics[interests.plan.subscriptions[number].query.topic]
    arrivals = [Matched.unpack(parcel, topic) for parcel in parcels]
    time = _last_counted(arrivals, interests, number) if at is None else at
    if time is None:
        return None
    start, end = _window(interests, number, time)
    explainer = Explainer(interests, number, end)
    _, outcome = worker_plan.window_walk.advance(None, arrivals, END_OF_TIME, watcher=explainer)
    mine = [n.payload for found in outcome.notifications for n in found if (n.subscription, n.end) == (number, end)]
    payload = mine[0] if mine else None
    return WindowTrace(start, end, tuple(explainer.decisions), explainer.notified if mine else None, payload)


def _last_counted(arrivals: list[Matched], interests: Interests, number: int) -> int | None:
    """Return the time of the last publication that counts for a window of the subscription."""
    duration, slide, start = (int(column[number]) for column in interests.windows)
    times = [np.repeat(part.time, np.diff(part.starts))[part.held == number] for part in arrivals]
    inside = [found[(found - start) % slide < duration] for found in times]
    return max((int(found.max()) for found in inside if len(found)), default=None)
