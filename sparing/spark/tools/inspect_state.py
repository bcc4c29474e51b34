"""Readable descriptions of the packed state of a stream. Needs no Spark session.

A packed state has the ids of subscriptions, but not their queries. With the worker plan of a deployment, the start of
windows and the pending recipients of merged events are also known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sparing.flow.deliver.payload import json_value
from sparing.flow.events.downward import fresh, holds
from sparing.flow.events.event import Event
from sparing.flow.events.merged_topic import MergedState
from sparing.flow.interests import topic_in
from sparing.flow.windows.window_state import Positions, WindowState
from sparing.model.window import TimeWindow
from sparing.spark.pipeline.keys import EventPartition, event_partition_of
from sparing.spark.pipeline.states import load, open_group, open_partition
from sparing.spark.pipeline.worker_plan import WorkerPlan


@dataclass(frozen=True)
class OpenWindow:
    """A window or the cycle of a digest before its notification: the counted publications and their brokers.

    `results` is the number of partial results that contain some of them, `ahead` that of publications after the
    watermark. `start` and `digest` are None without the deployment.
    """

    subscription: str
    start: int | None
    end: int
    digest: bool | None
    publications: int
    results: int
    ahead: int
    at: tuple[str, ...]


@dataclass(frozen=True)
class CountWindowTail:
    """The publications of open count windows, and the number skipped before the next window begins."""

    subscription: str
    publications: int
    skip: int


@dataclass(frozen=True)
class OpenEvent:
    """An open merged event: `told` has the number of facts sent by subscription, `behind` those to be notified next.

    Without the deployment, `everybody` is false: `behind` has only subscriptions that have been notified before.
    `concerns` are the brokers with subscriptions that the event may match.
    """

    key: tuple[str, ...]
    began: int
    closes: int
    closing: bool
    due: int | None
    coordinator: str | None
    facts: int
    told: Mapping[str, int]
    behind: tuple[str, ...]
    everybody: bool
    concerns: tuple[str, ...]


@dataclass(frozen=True)
class KeyState:
    """The state of one key: an interest group, or a partition of a merged topic with its own groups.

    `ahead` counts publications after the watermark by subscription; with the deployment, those of windows are in
    `windows` instead. `forwards` are the brokers that now forward, under a policy with modes.
    """

    name: str
    topic: str
    partition: int | None
    packed_bytes: int
    plan: str
    publications: int = 0
    not_yet: int = 0
    ahead: Mapping[str, int] = field(default_factory=dict)
    windows: tuple[OpenWindow, ...] = ()
    tails: tuple[CountWindowTail, ...] = ()
    forwards: tuple[str, ...] = ()
    events: tuple[OpenEvent, ...] = ()
    groups: tuple[KeyState, ...] = ()


@dataclass(frozen=True)
class CheckpointContext:
    """Information besides the state: brokers by number, and the deployment's plan."""

    brokers: Sequence[str]
    worker_plan: WorkerPlan | None = None

    @cached_property
    def windows(self) -> dict[str, tuple[TimeWindow | None, bool]]:
        """Subscription -> its time window, and whether it is the cycle of a digest."""
        found: dict[str, tuple[TimeWindow | None, bool]] = {}
        if self.worker_plan is not None:
            interests = self.worker_plan.interests
            for subscription, aggregation in zip(interests.plan.subscriptions, interests.aggregations, strict=True):
                if aggregation is not None:
                    timed = aggregation.window if isinstance(aggregation.window, TimeWindow) else None
                    found[subscription.id] = timed, subscription.query.every is not None
        return found


def key_state(key: str, packed: bytes, known: CheckpointContext) -> KeyState:
    """Return the description of the state of one key."""
    partition = event_partition_of(key)
    if partition is None:
        return _group(key, packed, known)
    found = open_partition(packed)
    due = _due(partition, packed, known.worker_plan)
    events = [
        _event(event, told, found.events.audiences, partition.topic, due, known) for event, told in found.events.events
    ]
    return KeyState(
        name=f"{partition.topic}, partition {partition.number}",
        topic=partition.topic,
        partition=partition.number,
        packed_bytes=len(packed),
        plan=found.plan,
        publications=len(found.events.waiting),
        not_yet=len(found.events.waiting),
        events=tuple(sorted(events, key=lambda event: (event.began, event.key))),
        groups=tuple(_group(name, some, known) for name, some in sorted(found.groups.items())),
    )


def _group(name: str, packed: bytes, known: CheckpointContext) -> KeyState:
    plan, numbers, ids, state = open_group(packed)
    id_of = dict(zip(numbers, ids, strict=True))
    windows, ahead = _open(state, id_of, known)
    tails = [CountWindowTail(id_of[n], len(tail.rows), tail.skip) for n, tail in sorted(state.tails.items())]
    forwards = () if state.modes is None else np.flatnonzero(state.modes.forwards).tolist()
    return KeyState(
        name=name,
        topic=topic_in(name),
        partition=None,
        packed_bytes=len(packed),
        plan=plan,
        publications=0 if state.rows is None else len(state.rows),
        not_yet=0 if state.rows is None else len(state.rows) - state.entered,
        ahead=dict(sorted(ahead.items())),
        windows=tuple(windows),
        tails=tuple(tails),
        forwards=tuple(known.brokers[broker] for broker in forwards),
    )


def _open(
    state: WindowState, id_of: Mapping[int, str], known: CheckpointContext
) -> tuple[list[OpenWindow], Counter[str]]:
    """Return open windows by end, and the number of publications outside of them by subscription."""
    owners = {int(owner["subscription"]): owner for owner in state.owners}
    counted: dict[tuple[int, str], set[int]] = {}  # open windows -> the brokers where their publications are
    publications, results, coming = Counter[tuple[int, str]](), Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    ahead = Counter[str]()
    for subscription, at, end, pending in state.pending.tolist():
        results[end, id_of[subscription]] += pending
        counted.setdefault((end, id_of[subscription]), set()).add(at)
    for row, time, subscription in _pairs(state):
        id_ = id_of[subscription]
        if row >= state.entered:
            window, _ = known.windows.get(id_, (None, False))
            if window is None:
                ahead[id_] += 1
            else:
                coming.update((s + window.duration, id_) for s in window.starts(time))
        elif owners[subscription]["duration"]:
            owner = owners[subscription]
            duration, slide, start = (int(owner[name]) for name in ("duration", "slide", "start"))
            for begun in TimeWindow(duration, slide, start).starts(time):
                if (end := begun + duration) >= owner["least"]:
                    publications[end, id_] += 1
                    places = counted.setdefault((end, id_), set())
                    places.update(_places(state.positions, row, owner, end))
    windows = []
    for end, id_ in sorted(counted.keys() | coming.keys()):
        window, digest = known.windows.get(id_, (None, None))
        windows.append(
            OpenWindow(
                subscription=id_,
                start=None if window is None else end - window.duration,
                end=end,
                digest=digest,
                publications=publications[end, id_],
                results=results[end, id_],
                ahead=coming[end, id_],
                at=tuple(known.brokers[broker] for broker in sorted(counted.get((end, id_), ()))),
            )
        )
    return windows, ahead


def _pairs(state: WindowState) -> Iterator[tuple[int, int, int]]:
    """Yield the position and time of each publication with each of its subscriptions."""
    if state.rows is not None:
        rows = np.repeat(np.arange(len(state.rows)), np.diff(state.rows.starts))
        yield from zip(rows.tolist(), state.rows.time[rows].tolist(), state.rows.held.tolist(), strict=True)


def _places(positions: Positions, row: int, owner: np.void, end: int) -> list[int]:
    """Return the broker that holds a publication for a window, none if a partial result contains it."""
    goal = int(np.searchsorted(positions.goals, owner["goal"]))
    if positions.mark_end is not None and positions.mark_subscription is not None:
        mark = int(positions.mark_end[row, goal]), int(positions.mark_subscription[row, goal])
        if (end, int(owner["subscription"])) < mark:
            return []
    return [int(positions.at[row, goal])]


Due = Mapping[tuple[object, int], list[str]]  # by key and beginning of an event


def _due(partition: EventPartition, packed: bytes, worker_plan: WorkerPlan | None) -> Due | None:
    """Return all subscriptions with pending notifications, by event; None without the deployment."""
    if worker_plan is None or partition.topic not in worker_plan.interests.plan.topics:
        return None
    state, context = load(worker_plan, partition.key, packed), worker_plan.merged_topic(partition.topic).context
    assert isinstance(state, MergedState)
    due: dict[tuple[object, int], list[str]] = {}
    for event in state.events.events:
        told = [one for some in event.notified.values() for one in some]
        audiences = [one.audience for one in told if one.version < event.version]
        audiences += [audience for audience in fresh(context, event) if holds(context, event, audience.need)]
        members = [number for audience in audiences for number in audience.members]
        due[event.key, event.began] = sorted(context.plan.subscriptions[n].id for n in members)
    return due


def _event(
    event: Event,
    told: Sequence[tuple[int, int, bool]],
    ids: Sequence[tuple[str, ...]],
    topic: str,
    due: Due | None,
    known: CheckpointContext,
) -> OpenEvent:
    knows = {id_: version for at, version, _ in told for id_ in ids[at]}
    behind = sorted(id_ for id_, version in knows.items() if version < event.version)
    return OpenEvent(
        key=_key(event, topic, known.worker_plan),
        began=event.began,
        closes=event.closes,
        closing=event.closing,
        due=event.tick,
        coordinator=None if event.coordinator is None else known.brokers[event.coordinator],
        facts=len(event.facts),
        told=dict(sorted(knows.items())),
        behind=tuple(behind if due is None else due.get((event.key, event.began), behind)),
        everybody=due is not None,
        concerns=tuple(known.brokers[broker] for broker in sorted(event.event_audience.goals)),
    )


def _key(event: Event, topic: str, worker_plan: WorkerPlan | None) -> tuple[str, ...]:
    """Return the event's key; without the deployment, numbers are in their stored form."""
    known = None if worker_plan is None else worker_plan.interests.plan.topics.get(topic)
    if known is None or known.merge is None:
        return tuple(str(code) for code in event.key)
    values = (known.fields[name].value(code) for name, code in zip(known.merge.key, event.key, strict=True))
    return tuple(value if isinstance(value, str) else json_value(value).strip('"') for value in values)
