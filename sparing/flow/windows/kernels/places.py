"""The places of rows: the first link that a row does not cross on arrival, and the place after a link."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.windows.kernels.arrays import (
    ELSEWHERE,
    HERE,
    NOT_ENTERED,
    PATIENCE,
    STAMP,
    TURN,
    TURN_TIME,
    WindowArrays,
    by_reference,
)


@inlined
def next_place(arrays: WindowArrays, link: int, goal: int) -> int:
    """Return the place of a row or partial result on its way to a goal after it crosses a link."""
    broker = arrays.links[link].target
    if not arrays.brokers[broker].hosted:
        return ELSEWHERE
    end = arrays.goals[goal]
    return HERE if broker == end else arrays.link_of[broker, end]


@compiled
def find_places(arrays: WindowArrays, row: int, place: np.ndarray) -> None:
    """Set the places of a row: for each goal of its NWRs, the first link that it does not cross on arrival."""
    arrays.numbers[STAMP] += 1
    stamp = arrays.numbers[STAMP]
    for word in range(arrays.raw.shape[1]):
        bits = arrays.raw[row, word]
        end = 64 * word
        while bits:
            if bits & np.uint64(1):
                broker = np.int64(arrays.at[row])
                while broker != end and arrays.brokers[broker].hosted:
                    link = np.int64(arrays.link_of[broker, end])
                    if link < 0:
                        break
                    arrays.links[link].crossed = stamp
                    broker = arrays.links[link].target
            bits >>= np.uint64(1)
            end += 1
    for i in range(arrays.starts[row], arrays.starts[row + 1]):
        goal = arrays.goal_of[arrays.held[i]]
        if arrays.nwr_count[i] and place[row, goal] == NOT_ENTERED:
            home = np.int64(arrays.goals[goal])
            broker = np.int64(arrays.at[row])
            rest = np.int64(HERE)
            while broker != home:
                rest = np.int64(arrays.link_of[broker, home])
                if arrays.links[rest].crossed != stamp:
                    break
                broker = arrays.links[rest].target
                rest = np.int64(HERE)
                if not arrays.brokers[broker].hosted:
                    rest = np.int64(ELSEWHERE)
                    break
            place[row, goal] = rest


def first_places(arrays: WindowArrays) -> np.ndarray:
    """Return the first places of all rows, [row, goal], as if all of them entered now."""
    place = np.full_like(arrays.place, NOT_ENTERED)
    _find_all_places(arrays, place)
    return place


@compiled
def _find_all_places(arrays: WindowArrays, place: np.ndarray) -> None:
    reference = by_reference(arrays)
    for row in range(len(reference.time)):
        find_places(reference, row, place)


@compiled
def counts(arrays: WindowArrays, row: int, nwr: int) -> Any:
    """Return whether a row is not contained in a partial result of an NWR, as far as its own place is concerned.

    Without patience, links decide an NWR at one time, so no partial result outlasts it. With patience, a row that was
    forwarded after a link had aggregated the NWR has a later mark.
    """
    if not arrays.numbers[PATIENCE]:
        return True
    goal = arrays.nwrs[nwr].goal
    end = arrays.mark_end[row, goal]
    return arrays.nwrs[nwr].end > end or (
        arrays.nwrs[nwr].end == end and arrays.nwrs[nwr].subscription >= arrays.mark_subscription[row, goal]
    )


@compiled
def undecided_nwr(arrays: WindowArrays, link: int, nwr: int) -> Any:
    """Return whether a link has still to decide an NWR, also at this very moment."""
    other, turn = arrays.nwrs[nwr], arrays.nwrs[arrays.numbers[TURN]]
    delay = arrays.numbers[PATIENCE] * arrays.height[arrays.links[link].source, arrays.goals[other.goal]]
    due, now = other.end + delay, arrays.numbers[TURN_TIME]
    if due != now:
        return due > now
    return other.end > turn.end or (other.end == turn.end and other.subscription >= turn.subscription)


@compiled
def undecided(arrays: WindowArrays, row: int, link: int) -> int:
    """Return the number of NWRs that a link still has to decide for a row that it holds."""
    found = 0
    for i in range(arrays.starts[row], arrays.starts[row + 1]):
        if arrays.place[row, arrays.goal_of[arrays.held[i]]] == link:
            for nwr in range(arrays.first_nwr[i], arrays.first_nwr[i] + arrays.nwr_count[i]):
                if undecided_nwr(arrays, link, nwr) and counts(arrays, row, nwr):
                    found += 1
    return found


@inlined
def results_at(arrays: WindowArrays, link: int, nwr: int) -> int:
    """Return the position in `results` of an NWR on a link."""
    return nwr * len(arrays.links) + link if arrays.numbers[PATIENCE] else link


@inlined
def held_results(arrays: WindowArrays, link: int, nwr: int) -> Any:
    """Return the number of partial results that a link holds for an NWR."""
    return np.int64(arrays.results[results_at(arrays, link, nwr)])
