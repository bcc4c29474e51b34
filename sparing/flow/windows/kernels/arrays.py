"""What the compiled walk of one interest group works on.

Everything is numbered. A *row* is a held publication, an *NWR* is numbered in the global decision order, a *link* is
one that some row may cross. An *edge* is a row and an NWR that it counts for; it is at one place at a time, and that is
all that the walk has to know: no publication can be counted twice or lost, because an edge cannot.

An edge on a link is *raw* (the publication itself waits there) or *in a partial result*, which goes by the number of
one of its edges. A raw publication on a link is an *item*, an NWR on a link a *node*: the two sides of the link's
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
AHEAD = -2  # the publication's time has not come
TOLD = -3  # part of a notification
ELSEWHERE = -4  # with a broker that another process hosts

RAW = -1  # instead of the number of a partial result
FREE = -1  # not matched

# Numbers: settings, then counters
RULE, PATIENCE, PERIOD, UNTIL, WATCHED, DEGREES, MATCHING = range(7)
TELLING, SENDING, STAMP, ENTERED, MARKED, TURN, STARTED, STOPPED, DEPTH = range(7, 16)
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
TOLD_NWR = np.dtype([("nwr", "i8"), ("last", "i8")])


class WindowArrays(NamedTuple):
    """All arrays of one walk. Items and nodes are there only if the policy needs them."""

    edges: np.ndarray  # EDGE: place, and the partial result that it is in (or RAW); ascending by row
    rows: np.ndarray  # ROW: when and where it was made, its edges, the brokers that it travels to at once
    goals: np.ndarray  # those brokers
    nwrs: np.ndarray  # NWR: end, the broker that it is for, its edges
    nwr_edges: np.ndarray
    marked: np.ndarray  # MARK: what comes from elsewhere, with the NWR whose decision sent it: rows, partial results
    links: np.ndarray  # LINK: its brokers
    link_of: np.ndarray  # [broker, broker] -> the link that leads there
    height: np.ndarray  # [broker, broker] -> the most links on a way to the second before it comes by the first
    brokers: np.ndarray  # BROKER: whether it is hosted here, BAT's mode and counts
    items: np.ndarray  # ITEM: NWRs at arrival, NWRs still undecided, the edge by which it is matched
    nodes: np.ndarray  # NODE: the edge by which it is matched; saturated: in every minimum cover until it is decided
    table: np.ndarray  # [link, NWR] -> aggregate, if that is known beforehand

    messages: np.ndarray  # [link, kind, bucket]
    bucket_of: np.ndarray  # [NWR, depth]
    told: np.ndarray  # TOLD_NWR: NWRs in the order of their notifications, and where their rows end
    told_rows: np.ndarray
    sent: np.ndarray  # [message] -> kind, link, NWR, row or partial result: to brokers hosted elsewhere

    waiting: np.ndarray  # scratch, as are the next
    queue: np.ndarray
    visited: np.ndarray
    touched: np.ndarray
    landing: np.ndarray
    numbers: np.ndarray


@structref.register
class WindowArraysType(types.StructRef):
    """The same for compiled functions: one reference, which makes calls cheap to make and above all to compile."""


class _Reference(structref.StructRefProxy):
    """Made and used by compiled functions only."""


structref.define_constructor(_Reference, WindowArraysType, list(WindowArrays._fields))  # type: ignore[no-untyped-call]


@compiled
def referred(arrays: WindowArrays) -> Any:
    """The arrays as compiled functions hand them on; they know them by the same names."""
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
        arrays.told,
        arrays.told_rows,
        arrays.sent,
        arrays.waiting,
        arrays.queue,
        arrays.visited,
        arrays.touched,
        arrays.landing,
        arrays.numbers,
    )
