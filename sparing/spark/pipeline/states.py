"""The state of a key as one packed value, and its translation after a change of the plan.

A state refers to subscriptions by number. A state of another plan is translated by the ids of subscriptions when it is
loaded; publications held for removed subscriptions are dropped.
"""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sparing.flow.events.merged_topic import MergedState
from sparing.flow.events.stored import Stored, restored, stored
from sparing.flow.windows.window_state import LAST, Positions, WindowState
from sparing.spark.pipeline.advance import State
from sparing.spark.pipeline.keys import event_partition_of
from sparing.spark.pipeline.worker_plan import WorkerPlan

REMOVED = -1


class PackedGroup(NamedTuple):
    """Content of a packed interest group: fingerprint of the plan, numbers and ids of subscriptions, state."""

    plan: str
    numbers: list[int]
    ids: list[str]
    state: WindowState


class PackedPartition(NamedTuple):
    """Content of a packed event partition: fingerprint of the plan, open events, and its packed interest groups."""

    plan: str
    events: Stored
    groups: dict[str, bytes]


def open_group(packed: bytes) -> PackedGroup:
    """Return the content of a packed interest group."""
    return PackedGroup(*pickle.loads(zlib.decompress(packed)))


def open_partition(packed: bytes) -> PackedPartition:
    """Return the content of a packed event partition."""
    plan, events, groups = pickle.loads(zlib.decompress(packed))
    return PackedPartition(plan, Stored(*events), groups)


def _pack(*parts: object) -> bytes:
    """Return parts packed for `open_group` or `open_partition`; as plain tuples, so that class names may change."""
    return zlib.compress(pickle.dumps(parts, protocol=5), level=1)


def store(worker_plan: WorkerPlan, group: str, state: State) -> bytes:
    """Return the packed state of an interest group or event partition."""
    fingerprint = worker_plan.fingerprint
    if isinstance(state, WindowState):
        return store_state(worker_plan, fingerprint, state)
    partition = event_partition_of(group)
    assert partition is not None
    groups = {name: store_state(worker_plan, fingerprint, inner) for name, inner in state.groups.items()}
    events = stored(state.events, worker_plan.merged_topic(partition.topic).context)
    return _pack(fingerprint, tuple(events), groups)


def load(worker_plan: WorkerPlan, group: str, packed: bytes) -> State:
    """Return the state of an interest group or event partition, translated to the plan in force."""
    fingerprint, partition = worker_plan.fingerprint, event_partition_of(group)
    if partition is None:
        return load_state(worker_plan, fingerprint, packed)
    content = open_partition(packed)
    groups = {name: load_state(worker_plan, fingerprint, inner) for name, inner in content.groups.items()}
    events = restored(content.events, worker_plan.merged_topic(partition.topic).context, content.plan == fingerprint)
    return MergedState(events, groups)


def store_state(worker_plan: WorkerPlan, fingerprint: str, state: WindowState) -> bytes:
    """Return the packed state of an interest group."""
    numbers = sorted(_numbers(state))
    ids = [worker_plan.interests.plan.subscriptions[number].id for number in numbers]
    return _pack(fingerprint, numbers, ids, state)


def load_state(worker_plan: WorkerPlan, fingerprint: str, packed: bytes) -> WindowState:
    """Return the state of an interest group, translated to the plan in force."""
    plan, numbers, ids, state = open_group(packed)
    if plan == fingerprint:
        return state
    now = {subscription.id: number for number, subscription in enumerate(worker_plan.interests.plan.subscriptions)}
    return translate(state, {old: now.get(id_, REMOVED) for old, id_ in zip(numbers, ids, strict=True)})


def _numbers(state: WindowState) -> set[int]:
    numbers = set(state.tails) | set(state.owners["subscription"].tolist())
    return numbers if state.rows is None else numbers | set(np.unique(state.rows.held).tolist())


def translate(state: WindowState, number: dict[int, int]) -> WindowState:
    """Return a state with subscriptions renumbered, without REMOVED ones."""
    table = _table(number)
    positions = replace(state.positions, mark_subscription=_translated_marks(state.positions, number))
    owners, pending = (_translated(records, table) for records in (state.owners, state.pending))
    tails = {number[old]: tail for old, tail in state.tails.items() if number[old] != REMOVED}
    if state.rows is None:
        return replace(state, owners=owners, pending=pending, tails=tails)
    held = table[state.rows.held]
    kept = held != REMOVED
    starts = np.concatenate([[0], np.cumsum(kept)])[state.rows.starts]
    rows = replace(state.rows, starts=starts, held=held[kept].astype(np.int32))
    return replace(state, rows=rows, positions=positions, owners=owners, pending=pending, tails=tails)


def _table(number: dict[int, int]) -> np.ndarray:
    table = np.full(max(number, default=-1) + 1, REMOVED, dtype=np.int64)
    for old, new in number.items():
        table[old] = new
    return table


def _translated_marks(positions: Positions, number: dict[int, int]) -> np.ndarray | None:
    """Return the subscriptions of marks by their new numbers; a REMOVED one is replaced by the next that is kept."""
    if positions.mark_subscription is None:
        return None
    old = sorted(n for n in number if number[n] != REMOVED)
    new = np.array([*(number[n] for n in old), LAST], dtype=np.int32)
    found: np.ndarray = new[np.searchsorted(old, positions.mark_subscription)]
    return found


def _translated(records: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return records of subscriptions with their new numbers, without REMOVED ones."""
    records = records.copy()
    records["subscription"] = table[records["subscription"]]
    kept: np.ndarray = records[records["subscription"] != REMOVED]
    return kept
