"""Construction of the arrays of a walk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.flow.links.decide import number_of
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.kernels.arrays import (
    APART,
    BROKER,
    DEGREES,
    DELIVERED,
    FREE,
    ITEMS,
    LINK,
    MATCHING,
    MESSAGE,
    MODE_PERIOD,
    NEW,
    NODE,
    NUMBERS,
    PATIENCE,
    PERIOD,
    RULE,
    STOPPED,
    TURN_TIME,
    UNTIL,
    WATCHED,
    WindowArrays,
)
from sparing.flow.windows.kernels.nwrs import Numbered
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.window_state import NEVER, Modes


@dataclass(frozen=True)
class WalkRows:
    """The rows of a walk, by time, with local numbers of subscriptions; `enters` are those that enter at their time.

    The other arrays have a column per goal: the link that holds the row on its path there, and what policies remember.
    """

    time: np.ndarray
    at: np.ndarray
    starts: np.ndarray
    held: np.ndarray
    raw: np.ndarray
    enters: np.ndarray
    place: np.ndarray
    degree: np.ndarray | None
    mark_end: np.ndarray | None
    mark_subscription: np.ndarray | None


@dataclass(frozen=True)
class WalkNwrs:
    """The NWRs of a walk, the order of their decisions, and the goals of its subscriptions.

    `results` are the partial results that links hold: by node with patience, otherwise by link. `remote` (REMOTE_ITEM)
    are rows and partial results of other processes, by the turn of the NWR whose decision sent them.
    """

    numbered: Numbered
    order: np.ndarray
    goals: np.ndarray
    goal_of: np.ndarray
    results: np.ndarray
    remote: np.ndarray


def build_arrays(
    rows: WalkRows,
    nwrs: WalkNwrs,
    *,
    policy: LinkPolicy,
    topic_links: TopicLinks,
    hosted: np.ndarray,
    bucket: int,
    until: int,
    modes: Modes | None,
    watched: int,
) -> tuple[WindowArrays, np.ndarray]:
    """Return the arrays, and the time buckets of their message counters."""
    links, numbered = len(topic_links.links), nwrs.numbered
    count, size = len(numbered.nwrs), len(rows.time)
    depths = len(first_turns(topic_links, nwrs.goals)) if policy.patience else 1
    buckets, bucket_of = _buckets(numbered.nwrs["end"], depths, policy.patience, bucket)
    initial = modes or Modes.initial(len(hosted))
    apart = not hosted.all()
    nodes = np.zeros(count * links if policy.matching else 0, dtype=NODE)
    nodes["mate"] = FREE
    contained = numbered.nwrs["last"] - numbered.nwrs["first"]
    most = int(contained.max(initial=0))
    contents = int(contained.sum()) + len(nwrs.remote) if apart else 0
    border = int((hosted[topic_links.source] & ~hosted[topic_links.target]).sum())
    numbers = np.zeros(NUMBERS, dtype=np.int64)
    numbers[[RULE, PATIENCE, PERIOD, UNTIL, WATCHED]] = (
        number_of(policy),
        policy.patience,
        policy.period,
        until,
        watched,
    )
    numbers[[DEGREES, MATCHING, ITEMS, APART]] = rows.degree is not None, policy.matching, policy.items, apart
    numbers[MODE_PERIOD], numbers[STOPPED], numbers[TURN_TIME] = initial.turn, -1, NEVER
    arrays = WindowArrays(
        time=rows.time,
        at=rows.at,
        enters=rows.enters,
        starts=rows.starts,
        held=rows.held,
        first_nwr=numbered.first_nwr,
        nwr_count=numbered.nwr_count,
        raw=rows.raw,
        place=rows.place,
        degree=_matrix(rows.degree, np.int32),
        mark_end=_matrix(rows.mark_end, np.int64),
        mark_subscription=_matrix(rows.mark_subscription, np.int32),
        mates=np.full(size * links if policy.matching else 0, NEW, dtype=np.int32),
        goal_of=nwrs.goal_of,
        goals=nwrs.goals.astype(np.int64),
        nwrs=numbered.nwrs,
        order=nwrs.order,
        members=numbered.members,
        nodes=nodes,
        results=nwrs.results,
        table=np.zeros((1, 1), dtype=bool),
        remote=nwrs.remote,
        links=_records(LINK, source=topic_links.source, target=topic_links.target),
        link_of=topic_links.link_of,
        height=topic_links.height,
        brokers=_records(
            BROKER,
            hosted=hosted,
            forwards=initial.forwards,
            if_forwarded=initial.if_forwarded,
            if_aggregated=initial.if_aggregated,
        ),
        messages=np.zeros((links, 2, len(buckets)), dtype=np.int64),
        bucket_of=bucket_of,
        delivered=np.zeros(count, dtype=DELIVERED),
        sent=np.zeros((size + count) * border + contents if apart else 0, dtype=MESSAGE),
        contents=np.zeros(contents, dtype=np.int64),
        aggregated=np.zeros(links, dtype=bool),
        items=np.zeros(most, dtype=np.int64),
        queue=np.zeros(size + 1, dtype=np.int64),
        visited=np.zeros(count, dtype=np.int64),
        touched=np.zeros(links, dtype=np.int64),
        touched_by=np.zeros(links, dtype=np.int64),
        decided_by=np.zeros(links, dtype=np.int64),
        landing=np.zeros(links, dtype=np.int64),
        container=np.zeros(most + len(nwrs.remote) if apart else 0, dtype=np.int64),
        container_place=np.zeros(most + len(nwrs.remote) if apart else 0, dtype=np.int64),
        numbers=numbers,
    )
    return arrays, buckets


def _matrix(found: np.ndarray | None, dtype: type) -> np.ndarray:
    return np.zeros((0, 0), dtype=dtype) if found is None else found.copy()


def first_turns(topic_links: TopicLinks, goals: np.ndarray, together: bool = False) -> np.ndarray:
    """Return the first turns of links by their number of upstream links, or of all links `together`."""
    if together:
        return np.zeros(1, dtype=np.int64)
    return np.zeros(max(int(topic_links.arrival(goals).max(initial=0)), 0) + 1, dtype=np.int64)


def _buckets(ends: np.ndarray, depths: int, patience: int, bucket: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the time buckets of decisions, and the number of the bucket of each NWR and number of upstream links."""
    found = (ends[:, None] + patience * np.arange(depths)[None, :]) // bucket
    if not found.size:
        return np.zeros(0, np.int64), np.zeros((0, depths), np.int32)
    first, last = int(found.min()), int(found.max())
    if last - first <= 4 * found.size:
        return np.arange(first, last + 1), (found - first).astype(np.int32)
    buckets, bucket_of = np.unique(found, return_inverse=True)
    return buckets, bucket_of.reshape(found.shape).astype(np.int32)


def _records(dtype: np.dtype, **columns: np.ndarray) -> np.ndarray:
    size = len(next(iter(columns.values())))
    found = np.zeros(size, dtype=dtype)
    for name, column in columns.items():
        found[name] = column
    return found
