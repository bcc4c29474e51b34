"""A group's state as one packed value, and how it outlives a change of the subscription table.

Inside, subscriptions go by number. A state written under another plan is translated by the subscriptions' ids when it
is read: new subscriptions do not disturb it, and what waited for one that was taken away is let go.
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sparing.flow.arrival.matched import NO_MARK, Matched
from sparing.flow.events.merged_topic import MergedState
from sparing.flow.events.stored import Stored, restored, stored
from sparing.flow.windows.window_state import WindowState
from sparing.spark.pipeline.advance import State
from sparing.spark.pipeline.keys import event_partition_of
from sparing.spark.pipeline.worker_plan import WorkerPlan

GONE = -1


class PackedGroup(NamedTuple):
    """What is stored of an interest group: the plan's fingerprint, numbers and ids of subscriptions, and the state."""

    plan: str
    numbers: list[int]
    ids: list[str]
    state: WindowState


class PackedPartition(NamedTuple):
    """What is stored of a partition: the plan's fingerprint, events under way, and its own interest groups, packed."""

    plan: str
    events: Stored
    groups: dict[str, bytes]


def open_group(packed: bytes) -> PackedGroup:
    """A packed interest group as it was written."""
    return PackedGroup(*pickle.loads(zlib.decompress(packed)))


def open_partition(packed: bytes) -> PackedPartition:
    """A packed partition as it was written."""
    plan, events, groups = pickle.loads(zlib.decompress(packed))
    return PackedPartition(plan, Stored(*events), groups)


def _pack(*parts: object) -> bytes:
    """The inverse of both. Only plain tuples are stored, so that the names above are free to change."""
    return zlib.compress(pickle.dumps(parts, protocol=5), level=1)


def store(worker_plan: WorkerPlan, group: str, state: State) -> bytes:
    """Pack the state of a group or partition."""
    fingerprint = worker_plan.fingerprint
    if isinstance(state, WindowState):
        return store_state(worker_plan, fingerprint, state)
    partition = event_partition_of(group)
    assert partition is not None
    groups = {name: store_state(worker_plan, fingerprint, some) for name, some in state.groups.items()}
    events = stored(state.events, worker_plan.merged(partition.topic).context)
    return _pack(fingerprint, tuple(events), groups)


def load(worker_plan: WorkerPlan, group: str, packed: bytes) -> State:
    """Unpack it, in terms of the plan that is in force now."""
    fingerprint, partition = worker_plan.fingerprint, event_partition_of(group)
    if partition is None:
        return load_state(worker_plan, fingerprint, packed)
    found = open_partition(packed)
    groups = {name: load_state(worker_plan, fingerprint, some) for name, some in found.groups.items()}
    events = restored(found.events, worker_plan.merged(partition.topic).context, found.plan == fingerprint)
    return MergedState(events, groups)


def store_state(worker_plan: WorkerPlan, fingerprint: str, state: WindowState) -> bytes:
    """Pack a state."""
    numbers = sorted(_numbers(state))
    ids = [worker_plan.interests.plan.subscriptions[number].id for number in numbers]
    return _pack(fingerprint, numbers, ids, state)


def load_state(worker_plan: WorkerPlan, fingerprint: str, packed: bytes) -> WindowState:
    """Unpack a state, in terms of the plan that is in force now."""
    plan, numbers, ids, state = open_group(packed)
    if plan == fingerprint:
        return state
    now = {subscription.id: number for number, subscription in enumerate(worker_plan.interests.plan.subscriptions)}
    return translate(state, {old: now.get(id_, GONE) for old, id_ in zip(numbers, ids, strict=True)})


def _numbers(state: WindowState) -> set[int]:
    found = set(np.unique(state.edges.subscription).tolist()) | set(state.tails)
    if state.rows is not None:
        found |= set(np.unique(state.rows.held).tolist())
    return found


def translate(state: WindowState, number: dict[int, int]) -> WindowState:
    """The same state with subscriptions renumbered, without those that are GONE."""
    table = _table(number)
    edges = state.edges
    if len(edges):
        subscription = table[edges.subscription].astype(np.int32)
        edges = replace(edges, subscription=subscription).take(np.flatnonzero(subscription != GONE))
    tails = {number[old]: tail for old, tail in state.tails.items() if number[old] != GONE}
    rows = None if state.rows is None else _translated(state.rows, table)
    return replace(state, rows=rows, edges=edges, tails=tails)


def _table(number: dict[int, int]) -> np.ndarray:
    table = np.full(max(number, default=-1) + 1, GONE, dtype=np.int64)
    for old, new in number.items():
        table[old] = new
    return table


def _translated(rows: Matched, table: np.ndarray) -> Matched:
    held = table[rows.held] if len(rows.held) else rows.held
    kept = held != GONE
    assert (rows.mark_subscription == NO_MARK).all(), "only items from elsewhere are marked, and those are not stored"
    return replace(rows, held_rows=rows.held_rows[kept], held=held[kept])
