"""Setting out: the arrays of a walk, filled for its beginning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.flow.links.decide import number_of
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.edges import Edges
from sparing.flow.windows.kernels.arrays import (
    BROKER,
    DEGREES,
    EDGE,
    ENTERED,
    FREE,
    ITEM,
    LINK,
    MATCHING,
    NODE,
    NUMBERS,
    NWR,
    PATIENCE,
    PERIOD,
    RAW,
    ROW,
    RULE,
    STOPPED,
    TOLD_NWR,
    TURN,
    UNTIL,
    WATCHED,
    WindowArrays,
)
from sparing.flow.windows.kernels.ranges import WindowRanges, by_nwr
from sparing.flow.windows.kernels.topic_links import TopicLinks
from sparing.flow.windows.window_state import Modes


@dataclass(frozen=True)
class WalkRows:
    """The rows of a walk: those that are under way (`entered` of them), then those that enter, in order of time.

    `goals` are the brokers that each travels to at once. `marked` (MARK) has what enters with the decision on an NWR,
    in the order of NWRs: rows among the first ones, and partial results from elsewhere, whose numbers are beyond.
    """

    time: np.ndarray
    at: np.ndarray
    goal_starts: np.ndarray
    goals: np.ndarray
    entered: int
    marked: np.ndarray


def set_out(
    policy: LinkPolicy,
    ways: TopicLinks,
    hosted: np.ndarray,
    travellers: WalkRows,
    edges: Edges,
    ranges: WindowRanges,
    goals: np.ndarray,
    bucket: int,
    until: int,
    modes: Modes | None,
    watched: int,
) -> tuple[WindowArrays, np.ndarray]:
    """The arrays, and the buckets of the bill that its messages are counted in.

    Edges have places in terms of `ways`. `goals` are the brokers of the NWRs.
    """
    links, nwrs, rows = len(ways.links), len(ranges.end), len(travellers.time)
    nwr_starts, nwr_edges = by_nwr(ranges.of, nwrs)
    depths = max(int(ways.arrival(goals).max(initial=0)), 0) + 1
    stages = ranges.end[:, None] + policy.patience * np.arange(depths)[None, :]
    buckets, bucket_of = np.unique(stages // bucket, return_inverse=True)
    starts = np.searchsorted(edges.row, np.arange(rows + 1))
    held = modes or Modes.initial(len(hosted))
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
    numbers[ENTERED], numbers[TURN], numbers[STOPPED] = travellers.entered, held.turn, -1
    goal_starts = travellers.goal_starts
    row_columns = {"time": travellers.time, "at": travellers.at, "first": starts[:-1], "last": starts[1:]}
    arrays = WindowArrays(
        edges=_records(EDGE, row=edges.row, nwr=ranges.of, place=edges.place, part=edges.part),
        rows=_records(ROW, **row_columns, first_goal=goal_starts[:-1], last_goal=goal_starts[1:]),
        goals=travellers.goals.astype(np.int32),
        nwrs=_records(NWR, end=ranges.end, goal=goals, first=nwr_starts[:-1], last=nwr_starts[1:]),
        nwr_edges=nwr_edges,
        marked=travellers.marked,
        links=_records(LINK, source=ways.source, target=ways.target),
        link_of=ways.link_of,
        height=ways.height,
        brokers=_records(
            BROKER,
            hosted=hosted,
            forwards=held.forwards,
            if_forwarded=held.if_forwarded,
            if_aggregated=held.if_aggregated,
        ),
        items=items,
        nodes=nodes,
        table=np.zeros((1, 1), dtype=bool),
        messages=np.zeros((links, 2, len(buckets)), dtype=np.int64),
        bucket_of=bucket_of.reshape(nwrs, depths).astype(np.int32),
        told=np.zeros(nwrs, dtype=TOLD_NWR),
        told_rows=np.zeros(len(edges), dtype=np.int32),
        sent=np.zeros((sending * links, 4), dtype=np.int64),
        waiting=np.zeros(most, dtype=np.int64),
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
