"""Construction of the arrays of a walk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.flow.links.decide import number_of
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.edges import Edges
from sparing.flow.windows.kernels.arrays import (
    BROKER,
    DEGREES,
    DELIVERED_NWR,
    EDGE,
    ENTERED,
    FREE,
    ITEM,
    LINK,
    MATCHING,
    MODE_PERIOD,
    NODE,
    NUMBERS,
    NWR,
    PATIENCE,
    PERIOD,
    RAW,
    ROW,
    RULE,
    STOPPED,
    UNTIL,
    WATCHED,
    WindowArrays,
)
from sparing.flow.windows.kernels.ranges import WindowRanges, by_nwr
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.window_state import Modes


@dataclass(frozen=True)
class WalkRows:
    """The rows of a walk: those that have entered (`entered` of them), then the others by time.

    `goals` are the brokers to reach raw on arrival. `marked` (MARK) are rows and partial results of other processes, by
    the NWR whose decision sent them; the rows are among the first ones, partial results are numbered after all rows.
    """

    time: np.ndarray
    at: np.ndarray
    goal_starts: np.ndarray
    goals: np.ndarray
    entered: int
    marked: np.ndarray


def build_arrays(
    walk_rows: WalkRows,
    edges: Edges,
    ranges: WindowRanges,
    goals: np.ndarray,
    *,
    policy: LinkPolicy,
    topic_links: TopicLinks,
    hosted: np.ndarray,
    bucket: int,
    until: int,
    modes: Modes | None,
    watched: int,
) -> tuple[WindowArrays, np.ndarray]:
    """Return the arrays, and the time buckets of their message counters.

    Places of edges are links of `topic_links`. `goals` are the brokers of the NWRs' subscribers.
    """
    links, nwrs, rows = len(topic_links.links), len(ranges.end), len(walk_rows.time)
    nwr_starts, nwr_edges = by_nwr(ranges.of, nwrs)
    depths = max(int(topic_links.arrival(goals).max(initial=0)), 0) + 1
    stages = ranges.end[:, None] + policy.patience * np.arange(depths)[None, :]
    buckets, bucket_of = np.unique(stages // bucket, return_inverse=True)
    starts = np.searchsorted(edges.row, np.arange(rows + 1))
    initial = modes or Modes.initial(len(hosted))
    items = np.zeros(rows * links if policy.degrees or policy.period else 0, dtype=ITEM)
    items["mate"] = FREE
    if len(items):
        resting = (edges.place >= 0) & (edges.part == RAW)
        numbers = edges.row[resting].astype(np.int64) * links + edges.place[resting]
        items["degree"][numbers] = edges.degree[resting]
    nodes = np.zeros(nwrs * links if policy.matching else 0, dtype=NODE)
    nodes["mate"] = FREE
    most = int(np.diff(nwr_starts).max(initial=0))
    sending = 0 if hosted.all() else rows + len(edges)
    numbers = np.zeros(NUMBERS, dtype=np.int64)
    settings = (number_of(policy), policy.patience, policy.period, until, watched, policy.degrees, policy.matching)
    numbers[[RULE, PATIENCE, PERIOD, UNTIL, WATCHED, DEGREES, MATCHING]] = settings
    numbers[ENTERED], numbers[MODE_PERIOD], numbers[STOPPED] = walk_rows.entered, initial.turn, -1
    goal_starts = walk_rows.goal_starts
    row_columns = {"time": walk_rows.time, "at": walk_rows.at, "first": starts[:-1], "last": starts[1:]}
    arrays = WindowArrays(
        edges=_records(EDGE, row=edges.row, nwr=ranges.of, place=edges.place, part=edges.part),
        rows=_records(ROW, **row_columns, first_goal=goal_starts[:-1], last_goal=goal_starts[1:]),
        goals=walk_rows.goals.astype(np.int32),
        nwrs=_records(NWR, end=ranges.end, goal=goals, first=nwr_starts[:-1], last=nwr_starts[1:]),
        nwr_edges=nwr_edges,
        marked=walk_rows.marked,
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
        items=items,
        nodes=nodes,
        table=np.zeros((1, 1), dtype=bool),
        messages=np.zeros((links, 2, len(buckets)), dtype=np.int64),
        bucket_of=bucket_of.reshape(nwrs, depths).astype(np.int32),
        delivered=np.zeros(nwrs, dtype=DELIVERED_NWR),
        delivered_rows=np.zeros(len(edges), dtype=np.int32),
        sent=np.zeros((sending * links, 4), dtype=np.int64),
        held=np.zeros(most, dtype=np.int64),
        queue=np.zeros(rows + 1, dtype=np.int64),
        visited=np.zeros(nwrs, dtype=np.int64),
        touched=np.zeros(links, dtype=np.int64),
        landing=np.zeros(links, dtype=np.int64),
        numbers=numbers,
    )
    return arrays, buckets


def _records(dtype: np.dtype, **columns: np.ndarray) -> np.ndarray:
    size = len(next(iter(columns.values())))
    found = np.zeros(size, dtype=dtype)
    for name, column in columns.items():
        found[name] = column
    return found
