"""The arrays of the compiled walk of window subscriptions.

A *row* is a held publication; rows are in the order of time. *Links* are those that some row may cross, *goals* the
brokers of subscribers. *NWRs* are numbered by subscription, then end; `order` has them in the decision order.

A row has one place per goal: the link that holds it on its path to the goal. All NWRs of the same goal share the place,
because a forwarded row moves for all of them. The NWRs of a row are not stored: a pair of a row and a subscription has
the number of its first NWR and their count, and each NWR is a range of its subscription's list of rows.

A row counts on a link for the NWRs that the link has not decided, and whose partial results do not already contain it
(`counts`). A row on a link is an *item*, an NWR on a link a *node*: the two sides of the link's matching graph. Items
and nodes are numbered row * links + link and nwr * links + link.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.experimental import structref

from sparing.compiled import compiled

# Places other than links
HERE = -1  # at the subscriber's broker
NOT_ENTERED = -2  # not entered yet, or not on its way to this goal
ELSEWHERE = -4  # at a broker hosted by another process

FREE = -1  # not matched
NEW = -9  # an item that has not arrived
RAW = -1  # instead of the number of a partial result

# Numbers: settings, then counters
RULE, PATIENCE, PERIOD, UNTIL, WATCHED, DEGREES, MATCHING, ITEMS, APART = range(9)
STAMP, ENTERED, REMOTE_ENTERED, MODE_PERIOD, STARTED, STOPPED, DEPTH, TURN, TURN_TIME = range(9, 18)
DELIVERIES, OUTGOING, CONTENTS, REMOTE_FIRST, REMOTE_COUNT = range(18, 23)
NUMBERS = 23

NONE, EVERY = -1, -2  # instead of the number of a watched NWR

PUBLICATIONS, RESULTS = 0, 1  # kinds of messages

NWR = np.dtype([("end", "i8"), ("first", "i8"), ("last", "i8"), ("subscription", "i4"), ("goal", "i4")])
LINK = np.dtype([("source", "i8"), ("target", "i8"), ("crossed", "i8")])
BROKER = np.dtype([("if_forwarded", "i8"), ("if_aggregated", "i8"), ("hosted", "?"), ("forwards", "?")], align=True)
NODE = np.dtype([("mate", "i4"), ("seen", "i4"), ("via", "i4"), ("saturated", "i4")])
REMOTE_ITEM = np.dtype([("order", "i4"), ("row", "i4"), ("result", "i4"), ("place", "i4")])  # result: NONE for a row
MESSAGE = np.dtype([("kind", "i4"), ("link", "i4"), ("nwr", "i4"), ("row", "i4"), ("first", "i8"), ("last", "i8")])
DELIVERED = np.dtype([("nwr", "i8"), ("first", "i8"), ("last", "i8")])


class WindowArrays(NamedTuple):
    """All arrays of one walk; arrays that a policy does not need are empty."""

    time: np.ndarray  # of rows
    at: np.ndarray  # the broker of each row's publisher
    enters: np.ndarray  # whether a row has still to enter, at its time
    starts: np.ndarray  # the pairs of row r are starts[r]:starts[r + 1]
    held: np.ndarray  # pair -> subscription
    first_nwr: np.ndarray  # pair -> its first NWR
    nwr_count: np.ndarray  # pair -> the number of its NWRs
    raw: np.ndarray  # [row, word]: the brokers to reach raw on arrival, as bits
    place: np.ndarray  # [row, goal] -> link
    degree: np.ndarray  # [row, goal] -> NWRs at arrival on the link
    mark_end: np.ndarray  # [row, goal]: with patience, the row counts for NWRs from this end and subscription on
    mark_subscription: np.ndarray
    mates: np.ndarray  # item -> the NWR that the matching gives it

    goal_of: np.ndarray  # subscription -> goal
    goals: np.ndarray  # goal -> broker
    nwrs: np.ndarray  # NWR: end, its rows members[first:last], subscription, goal
    order: np.ndarray  # the NWRs in the decision order
    members: np.ndarray  # the rows of each subscription
    nodes: np.ndarray  # NODE: the matching row; saturated: in every minimum cover until it is decided
    results: np.ndarray  # with patience by node, otherwise by link: the partial results that a link holds
    table: np.ndarray  # [link, NWR] -> aggregate, for policies that decide beforehand
    remote: np.ndarray  # REMOTE_ITEM: rows and partial results of other processes, by the turn that sent them

    links: np.ndarray  # LINK: its brokers
    link_of: np.ndarray  # [broker, goal] -> next link
    height: np.ndarray  # [broker, goal] -> the most upstream links on a path to the goal over the broker
    brokers: np.ndarray  # BROKER: whether this process hosts it, BAT's mode and counts

    messages: np.ndarray  # [link, kind, bucket]
    bucket_of: np.ndarray  # [NWR, depth]
    delivered: np.ndarray  # DELIVERED: NWRs in the order of their notifications, and their rows
    sent: np.ndarray  # MESSAGE: to brokers of other processes
    contents: np.ndarray  # rows, and partial results numbered after them, of `sent` and (not hosting all) `delivered`

    aggregated: np.ndarray  # link -> its last decision on a watched NWR

    items: np.ndarray  # the rows that a link holds for the NWR to decide; scratch, as are the next
    queue: np.ndarray
    visited: np.ndarray
    touched: np.ndarray
    touched_by: np.ndarray
    decided_by: np.ndarray
    landing: np.ndarray
    container: np.ndarray  # the rows of an NWR, then partial results: the partial result that contains it, or RAW
    container_place: np.ndarray  # the place of that partial result
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
        arrays.time,
        arrays.at,
        arrays.enters,
        arrays.starts,
        arrays.held,
        arrays.first_nwr,
        arrays.nwr_count,
        arrays.raw,
        arrays.place,
        arrays.degree,
        arrays.mark_end,
        arrays.mark_subscription,
        arrays.mates,
        arrays.goal_of,
        arrays.goals,
        arrays.nwrs,
        arrays.order,
        arrays.members,
        arrays.nodes,
        arrays.results,
        arrays.table,
        arrays.remote,
        arrays.links,
        arrays.link_of,
        arrays.height,
        arrays.brokers,
        arrays.messages,
        arrays.bucket_of,
        arrays.delivered,
        arrays.sent,
        arrays.contents,
        arrays.aggregated,
        arrays.items,
        arrays.queue,
        arrays.visited,
        arrays.touched,
        arrays.touched_by,
        arrays.decided_by,
        arrays.landing,
        arrays.container,
        arrays.container_place,
        arrays.numbers,
    )
