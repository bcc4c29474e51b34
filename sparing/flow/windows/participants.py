"""The subscriptions of one step of the walk, by local numbers that follow the decision order, and their NWRs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.interests import Interests
from sparing.flow.windows.kernels.arrays import NWR
from sparing.flow.windows.kernels.nwrs import Numbered, Windows, numbered
from sparing.flow.windows.window_state import NEVER

FEW = 1 << 12  # numbers up to which sorting is faster than a table of all subscriptions


@dataclass(frozen=True)
class Participants:
    """Subscriptions by local number: numbers in the plan, goals, and the least end of a window that is still open.

    `goals` are the brokers of subscribers; `goal_of` is the goal's position there.
    """

    numbers: np.ndarray
    goals: np.ndarray
    goal_of: np.ndarray
    windows: Windows
    held: np.ndarray  # the local number of each pair of a row and a subscription

    @classmethod
    def of(cls, interests: Interests, rows: Matched, others: Iterable[int], owners: np.ndarray) -> Participants:
        """Return the subscriptions of rows and some others; `owners` has the least ends of those known before."""
        numbers = _distinct(rows.held, len(interests.plan.subscriptions))
        if others := list(others):
            numbers = np.union1d(numbers, others)
        goals, goal_of = np.unique(interests.plan.broker_of[numbers], return_inverse=True)
        least = np.full(len(numbers), NEVER, dtype=np.int64)
        known = np.flatnonzero(np.isin(owners["subscription"], numbers))
        least[np.searchsorted(numbers, owners["subscription"][known])] = owners["least"][known]
        duration, slide, start = (column[numbers] for column in interests.windows)
        windows = Windows(np.where(interests.timed[numbers], duration, 0), slide, start, least)
        held = _local(numbers, rows.held)
        return cls(numbers, goals.astype(np.int32), goal_of.astype(np.int32), windows, held)

    def number_nwrs(self, rows: Matched, others: Sequence[tuple[int, int]]) -> tuple[Numbered, Turns]:
        """Return the NWRs of rows and of other (end, subscription number) pairs, and their decision order."""
        found = numbered(rows.time, rows.starts, self.held, self.windows, self.goal_of)
        turns = Turns.of(found.nwrs)
        new = sorted({pair for pair in others if self.turn(turns, *pair) < 0})
        if new:
            more = np.zeros(len(new), dtype=NWR)
            more["end"] = [end for end, _ in new]
            more["subscription"] = np.searchsorted(self.numbers, [number for _, number in new])
            more["goal"] = self.goal_of[more["subscription"]]
            found = found._replace(nwrs=np.concatenate([found.nwrs, more]))
            turns = Turns.of(found.nwrs)
        return found, turns

    def turn(self, turns: Turns, end: int, number: int) -> int:
        """Return the turn of the NWR of a subscription, by its number in the plan; -1 if there is none."""
        local = int(np.searchsorted(self.numbers, number))
        there = local < len(self.numbers) and self.numbers[local] == number
        return turns.find(end, local) if there else -1


@dataclass(frozen=True)
class Turns:
    """The decision order of NWRs: their numbers, ends and subscriptions by turn."""

    order: np.ndarray
    end: np.ndarray
    subscription: np.ndarray

    @classmethod
    def of(cls, nwrs: np.ndarray) -> Turns:
        """Order NWRs by end, then subscription."""
        end, subscription = nwrs["end"].copy(), nwrs["subscription"].copy()
        by_subscription = (subscription[1:] >= subscription[:-1]).all()  # then a stable sort by end is enough
        order = np.argsort(end, kind="stable") if by_subscription else np.lexsort((subscription, end))
        return cls(order.astype(np.int32), end[order], subscription[order])

    def __len__(self) -> int:
        return len(self.order)

    def find(self, end: int, subscription: int) -> int:
        """Return the turn of an NWR, -1 if there is none."""
        first, last = np.searchsorted(self.end, [end, end + 1])
        turn = int(first + np.searchsorted(self.subscription[first:last], subscription))
        return turn if turn < last and self.subscription[turn] == subscription else -1


def _distinct(numbers: np.ndarray, count: int) -> np.ndarray:
    if len(numbers) < FEW:
        return np.unique(numbers)
    there = np.zeros(count, dtype=bool)
    there[numbers] = True
    return np.flatnonzero(there)


def _local(numbers: np.ndarray, held: np.ndarray) -> np.ndarray:
    """Return the positions of subscriptions among some numbers."""
    if not len(numbers) or numbers[-1] == len(numbers) - 1:  # all up to the last one
        return held
    if len(held) < FEW:
        return np.searchsorted(numbers, held).astype(np.int32)
    table = np.zeros(int(numbers[-1]) + 1, dtype=np.int32)
    table[numbers] = np.arange(len(numbers))
    found: np.ndarray = table[held]
    return found
