"""The arrays of the compiled walk of one interest group.

A *row* is a held publication. *NWRs* are numbered in the decision order, *links* are those that some row may cross. An
*edge* is a pair of a row and an NWR that counts it. An edge is at one place at a time, so no publication is counted
twice or lost.

An edge on a link is *raw* (the link holds the publication itself) or part of a *partial result*, which has the number
of one of its edges. A raw publication on a link is an *item*, an NWR on a link a *node*: the two sides of the link's
matching graph. Items and nodes are numbered row * links + link and nwr * links + link.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.experimental import structref

from sparing.compiled import compiled

# Places of edges, other than links
HERE = -1  # at the subscriber's broker
NOT_ENTERED = -2  # not entered yet: the publication's time is later
DELIVERED = -3  # part of a notification
ELSEWHERE = -4  # at a broker hosted by another process

RAW = -1  # instead of the number of a partial result
FREE = -1  # not matched

# Numbers: settings, then counters
RULE, PATIENCE, PERIOD, UNTIL, WATCHED, DEGREES, MATCHING = range(7)
DELIVERIES, OUTGOING, STAMP, ENTERED, MARKED, MODE_PERIOD, STARTED, STOPPED, DEPTH = range(7, 16)
NUMBERS = 16

NONE, EVERY = -1, -2  # instead of the number of a watched NWR

PUBLICATIONS, RESULTS = 0, 1  # kinds of messages

EDGE = np.dtype([("row", "i4"), ("nwr", "i4"), ("place", "i4"), ("part", "i4")])
NWR = np.dtype([("end", "i8"), ("first", "i8"), ("last", "i8"), ("goal", "i8")])  # edges are nwr_edges[first:last]
ROW = np.dtype(
    [("time", "i8"), ("first", "i8"), ("last", "i8"), ("first_goal", "i8"), ("last_goal", "i8"), ("at", "i8")]
)
LINK = np.dtype([("source", "i8"), ("target", "i8"), ("crossed", "i8")])
BROKER = np.dtype([("if_forwarded", "i8"), ("if_aggregated", "i8"), ("hosted", "?"), ("forwards", "?")], align=True)
ITEM = np.dtype([("degree", "i4"), ("live", "i4"), ("mate", "i4")])
NODE = np.dtype([("mate", "i4"), ("seen", "i4"), ("via", "i4"), ("saturated", "i4")])
MARK = np.dtype([("nwr", "i4"), ("row", "i4"), ("edge", "i4"), ("place", "i4")])  # edge: NONE for a publication
DELIVERED_NWR = np.dtype([("nwr", "i8"), ("last", "i8")])


class WindowArrays(NamedTuple):
    """All arrays of one walk; items and nodes are empty unless the policy needs them."""

    edges: np.ndarray  # EDGE: place, partial result (or RAW); ascending by row
    rows: np.ndarray  # ROW: time, broker, edges, and the brokers to reach raw on arrival
    goals: np.ndarray  # those brokers
    nwrs: np.ndarray  # NWR: end, subscriber's broker, edges
    nwr_edges: np.ndarray
    marked: np.ndarray  # MARK: rows and partial results of other processes, by the NWR whose decision sent them
    links: np.ndarray  # LINK: its brokers
    link_of: np.ndarray  # [broker, goal] -> next link
    height: np.ndarray  # [broker, goal] -> the most upstream links on a path to the goal over the broker
    brokers: np.ndarray  # BROKER: whether this process hosts it, BAT's mode and counts
    items: np.ndarray  # ITEM: NWRs at arrival, undecided NWRs, the matching edge
    nodes: np.ndarray  # NODE: the matching edge; saturated: in every minimum cover until it is decided
    table: np.ndarray  # [link, NWR] -> aggregate, for policies that decide beforehand

    messages: np.ndarray  # [link, kind, bucket]
    bucket_of: np.ndarray  # [NWR, depth]
    delivered: np.ndarray  # DELIVERED_NWR: NWRs in the order of their notifications, and the end of their rows
    delivered_rows: np.ndarray
    sent: np.ndarray  # [message] -> kind, link, NWR, row or partial result: to other processes

    held: np.ndarray  # the edges that a link holds for the NWR to decide; scratch, as are the next
    queue: np.ndarray
    visited: np.ndarray
    touched: np.ndarray
    landing: np.ndarray
    numbers: np.ndarray


@structref.register
class WindowArraysType(types.StructRef):
    """The arrays as one reference, which makes calls between compiled functions cheap, and their compilation fast."""


class _Reference(structref.StructRefProxy):
    """The Python side of the reference; only compiled functions use it."""


structref.define_constructor(_Reference, WindowArraysType, list(WindowArrays._fields))  # type: ignore[no-untyped-call]


@compiled
def by_reference(arrays: WindowArrays) -> Any:
    """Return the arrays as a reference with the same names, for compiled functions."""
    return _Reference(  # type: ignore[no-untyped-call]
        arrays.edges,
        arrays.rows,
        arrays.goals,
        arrays.nwrs,
        arrays.nwr_edges,
        arrays.marked,
        arrays.links,
        arrays.link_of,
        arrays.height,
        arrays.brokers,
        arrays.items,
        arrays.nodes,
        arrays.table,
        arrays.messages,
        arrays.bucket_of,
        arrays.delivered,
        arrays.delivered_rows,
        arrays.sent,
        arrays.held,
        arrays.queue,
        arrays.visited,
        arrays.touched,
        arrays.landing,
        arrays.numbers,
    )
