"""The NWRs of held publications: each is a range of its subscription's rows, in the order of time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sparing.compiled import compiled
from sparing.flow.windows.kernels.arrays import ELSEWHERE, NWR

UNKNOWN = np.iinfo(np.int64).min
_CURSOR = np.dtype([("change", "i8"), ("low", "i8"), ("high", "i8"), ("count", "i8")])


class Windows(NamedTuple):
    """Time windows by subscription; `least` is the earliest end of a window that is still open."""

    duration: np.ndarray  # 0: no time windows
    slide: np.ndarray
    start: np.ndarray
    least: np.ndarray


class Numbered(NamedTuple):
    """The NWRs of rows: the first NWR and the count of each pair, the NWRs, and the rows of each subscription."""

    first_nwr: np.ndarray
    nwr_count: np.ndarray
    nwrs: np.ndarray
    members: np.ndarray


def numbered(time: np.ndarray, starts: np.ndarray, held: np.ndarray, windows: Windows, goal_of: np.ndarray) -> Numbered:
    """Number the NWRs of rows in the order of time, by subscription, then end."""
    cursors = np.zeros(len(goal_of), dtype=_CURSOR)
    cursors["change"], cursors["high"] = UNKNOWN, UNKNOWN
    first_nwr, nwr_count = np.empty(len(held), np.int32), np.empty(len(held), np.int32)
    first, members = number_pairs(time, starts, held, *windows, cursors, first_nwr, nwr_count)
    base = np.concatenate([[0], np.cumsum(cursors["count"])])
    nwrs = np.zeros(base[-1], dtype=NWR)
    fill_nwrs(time, first, members, *windows, base, goal_of, nwrs)
    shift(held, base, first_nwr)
    return Numbered(first_nwr, nwr_count, nwrs, members)


@compiled
def shift(held, base, first_nwr):
    """Number NWRs among all subscriptions instead of within their own."""
    for i in range(len(held)):
        first_nwr[i] += base[held[i]]


@compiled
def number_pairs(time, starts, held, duration, slide, start, least, cursors, first_nwr, nwr_count):
    """Write the first NWR of each pair, within its subscription, and their number; return each subscription's rows.

    Windows are numbered without those that contain no row. Between two borders of windows a subscription's NWRs are the
    same, so a division is needed only when a row passes a border.
    """
    first = np.zeros(len(duration) + 1, np.int64)
    for row in range(len(time)):
        now = time[row]
        for i in range(starts[row], starts[row + 1]):
            s = np.uint64(held[i])
            if duration[s] == 0:
                first_nwr[i] = 0
                nwr_count[i] = 0
                continue
            cursor = cursors[s]
            if now >= cursor.change:
                high = (now - start[s]) // slide[s]
                oldest = (max(now, least[s] - 1) - duration[s] - start[s]) // slide[s] + 1
                new = high - max(cursor.high, oldest - 1)
                if new > 0:
                    cursor.count += new
                    cursor.high = high
                cursor.low = high - oldest + 1
                cursor.change = min(start[s] + (high + 1) * slide[s], start[s] + oldest * slide[s] + duration[s])
                if cursor.low <= 0:
                    cursor.low = 0
                    cursor.change = start[s] + (high + 1) * slide[s]
            nwr_count[i] = cursor.low
            first_nwr[i] = cursor.count - cursor.low
            if cursor.low > 0:
                first[s + np.uint64(1)] += 1
    for s in range(len(duration)):
        first[s + 1] += first[s]
    at = first[:-1].copy()
    members = np.empty(first[-1], np.int32)
    for row in range(len(time)):
        for i in range(starts[row], starts[row + 1]):
            if nwr_count[i]:
                s = np.uint64(held[i])
                members[at[s]] = row
                at[s] += 1
    return first, members


@compiled
def fill_nwrs(time, first, members, duration, slide, start, least, base, goal_of, nwrs):
    """Write the end, rows, subscription and goal of each NWR."""
    for s in range(len(duration)):
        opened = closed = base[s]
        change = UNKNOWN
        for at in range(first[s], first[s + 1]):
            now = time[members[at]]
            if now < change:
                continue
            high = (now - start[s]) // slide[s]
            oldest = (max(now, least[s] - 1) - duration[s] - start[s]) // slide[s] + 1
            while closed < opened and nwrs[closed].end <= now:
                nwrs[closed].last = at
                closed += 1
            number = oldest
            if opened > base[s]:
                number = max(number, (nwrs[opened - 1].end - duration[s] - start[s]) // slide[s] + 1)
            while number <= high:
                nwrs[opened].end = start[s] + number * slide[s] + duration[s]
                nwrs[opened].first = at
                nwrs[opened].subscription = s
                nwrs[opened].goal = goal_of[s]
                opened += 1
                number += 1
            change = min(start[s] + (high + 1) * slide[s], start[s] + oldest * slide[s] + duration[s])
        while closed < opened:
            nwrs[closed].last = first[s + 1]
            closed += 1


@compiled
def still_open(starts, held, first_nwr, nwr_count, nwrs, least, place, goal_of):
    """Return which rows still have an NWR that ends at `least` (by subscription) or later, and their lists of pairs.

    Rows that are at a broker of another process do not count.
    """
    kept = np.zeros(len(starts) - 1, np.bool_)
    new_starts, new_held, found = np.zeros(len(starts), np.int64), np.empty(len(held), np.int32), 0
    for row in range(len(starts) - 1):
        for i in range(starts[row], starts[row + 1]):
            is_open = nwr_count[i] and nwrs[first_nwr[i] + nwr_count[i] - 1].end >= least[held[i]]
            if is_open and place[row, goal_of[held[i]]] != ELSEWHERE:
                new_held[found] = held[i]
                found += 1
        new_starts[row + 1] = found
        kept[row] = found > new_starts[row]
    return kept, new_starts, new_held[:found]
