"""Links to brokers of other processes: the messages sent over them, with the contents of partial results.

A row of an NWR, or a partial result from another process, is in at most one partial result at a time: `container` has
its number and `container_place` its place, for the NWR that is being decided. `begin` resets them. Rows are numbered by
their positions among the NWR's rows, and partial results from other processes follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.windows.kernels.arrays import (
    CONTENTS,
    DELIVERIES,
    ELSEWHERE,
    HERE,
    NONE,
    OUTGOING,
    RAW,
    REMOTE_COUNT,
    REMOTE_ENTERED,
    REMOTE_FIRST,
    RESULTS,
    WindowArrays,
)
from sparing.flow.windows.kernels.places import next_place


@inlined
def send(arrays: WindowArrays, kind: int, link: int, nwr: int, row: int) -> None:
    """Record a message, without contents."""
    at = arrays.numbers[OUTGOING]
    message = arrays.sent[at]
    message.kind, message.link, message.nwr, message.row = kind, link, nwr, row
    message.first = message.last = arrays.numbers[CONTENTS]
    arrays.numbers[OUTGOING] = at + 1


@inlined
def entries(arrays: WindowArrays, nwr: int) -> Any:
    """Return the number of rows of an NWR and of what other processes sent for it."""
    return arrays.nwrs[nwr].last - arrays.nwrs[nwr].first + arrays.numbers[REMOTE_COUNT]


@compiled
def begin(arrays: WindowArrays, turn: int, nwr: int) -> None:
    """Begin the decisions on an NWR: no row is in a partial result."""
    first = at = arrays.numbers[REMOTE_ENTERED]
    while at < len(arrays.remote) and arrays.remote[at].order == turn:
        at += 1
    arrays.numbers[REMOTE_FIRST], arrays.numbers[REMOTE_COUNT] = first, at - first
    for i in range(entries(arrays, nwr)):
        arrays.container[i] = RAW
        arrays.container_place[i] = ELSEWHERE


@inlined
def result_entered(arrays: WindowArrays, nwr: int, at_remote: int, place: int) -> None:
    """Let a partial result from another process enter at its place."""
    at = arrays.nwrs[nwr].last - arrays.nwrs[nwr].first + at_remote - arrays.numbers[REMOTE_FIRST]
    arrays.container[at] = at
    arrays.container_place[at] = place


@inlined
def place_of(arrays: WindowArrays, nwr: int, i: int) -> Any:
    """Return the place of a row, or of the partial result that contains it."""
    if arrays.container[i] != RAW:
        return np.int64(arrays.container_place[i])
    first = arrays.nwrs[nwr].first
    if first + i < arrays.nwrs[nwr].last:
        return np.int64(arrays.place[arrays.members[first + i], arrays.nwrs[nwr].goal])
    return np.int64(ELSEWHERE)


@inlined
def add(arrays: WindowArrays, nwr: int, i: int) -> None:
    """Add a row or a partial result to the contents."""
    first, last = arrays.nwrs[nwr].first, arrays.nwrs[nwr].last
    at = arrays.numbers[CONTENTS]
    if first + i < last:
        arrays.contents[at] = arrays.members[first + i]
    else:
        found = arrays.remote[arrays.numbers[REMOTE_FIRST] + i - (last - first)]
        arrays.contents[at] = len(arrays.time) + found.result
    arrays.numbers[CONTENTS] = at + 1


@compiled
def aggregated(arrays: WindowArrays, link: int, nwr: int) -> None:
    """Put all that a link holds for an NWR into one partial result, and send it on."""
    place = np.int64(next_place(arrays, link, np.int64(arrays.nwrs[nwr].goal)))
    if place == ELSEWHERE:
        send(arrays, RESULTS, link, nwr, NONE)
    container = NONE
    for i in range(entries(arrays, nwr)):
        if place_of(arrays, nwr, i) == link:
            if container == NONE:
                container = i
            arrays.container[i] = container
            arrays.container_place[i] = place
            if place == ELSEWHERE:
                add(arrays, nwr, i)
    if place == ELSEWHERE:
        arrays.sent[arrays.numbers[OUTGOING] - 1].last = arrays.numbers[CONTENTS]


@compiled
def forwarded(arrays: WindowArrays, link: int, nwr: int) -> None:
    """Send on the partial results that a link holds for an NWR."""
    place = np.int64(next_place(arrays, link, np.int64(arrays.nwrs[nwr].goal)))
    count = entries(arrays, nwr)
    for i in range(count):
        if arrays.container[i] == i and arrays.container_place[i] == link:
            if place == ELSEWHERE:
                send(arrays, RESULTS, link, nwr, NONE)
            for other in range(i, count):
                if arrays.container[other] == i:
                    arrays.container_place[other] = place
                    if place == ELSEWHERE:
                        add(arrays, nwr, other)
            if place == ELSEWHERE:
                arrays.sent[arrays.numbers[OUTGOING] - 1].last = arrays.numbers[CONTENTS]


@compiled
def deliver(arrays: WindowArrays, nwr: int) -> None:
    """Record the notification of an NWR from what has arrived at its subscriber's broker."""
    at, first = arrays.numbers[DELIVERIES], arrays.numbers[CONTENTS]
    for i in range(entries(arrays, nwr)):
        if place_of(arrays, nwr, i) == HERE:
            add(arrays, nwr, i)
    if arrays.numbers[CONTENTS] > first:
        delivery = arrays.delivered[at]
        delivery.nwr, delivery.first, delivery.last = nwr, first, arrays.numbers[CONTENTS]
        arrays.numbers[DELIVERIES] = at + 1
