"""The state of interest groups between two batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.count_windows import CountTail

NEVER = -(1 << 62)
FIRST, LAST = 0, np.iinfo(np.int32).max  # instead of a subscription number in a mark: before, after all others
NOWHERE = -2  # instead of a broker: the publication is not on its way to this goal

OWNER = np.dtype(
    [("subscription", "i4"), ("goal", "i4"), ("least", "i8"), ("duration", "i8"), ("slide", "i8"), ("start", "i8")]
)
PENDING = np.dtype([("subscription", "i4"), ("at", "i4"), ("end", "i8"), ("results", "i8")])


@dataclass(frozen=True)
class Modes:
    """The modes of brokers (BAT), the messages of either mode in the current period, and the period's number."""

    forwards: np.ndarray
    if_forwarded: np.ndarray
    if_aggregated: np.ndarray
    turn: int

    @classmethod
    def initial(cls, brokers: int) -> Modes:
        """Return the initial modes: all brokers aggregate."""
        return cls(np.zeros(brokers, bool), np.zeros(brokers, np.int64), np.zeros(brokers, np.int64), NEVER)


@dataclass(frozen=True)
class Positions:
    """Where held publications are on their way to each goal: columns are brokers of subscribers (`goals`).

    `at` is the broker before the next link to cross, or the goal. `degree` is kept for policies that need the number of
    windows at arrival on that link. With patience, a publication counts for the windows from `mark_end` and
    `mark_subscription` on; earlier ones have it in a partial result.
    """

    goals: np.ndarray
    at: np.ndarray
    degree: np.ndarray | None = None
    mark_end: np.ndarray | None = None
    mark_subscription: np.ndarray | None = None

    @classmethod
    def none(cls) -> Positions:
        """Return the positions of no publications."""
        return cls(np.zeros(0, np.int32), np.zeros((0, 0), np.int32))

    def __len__(self) -> int:
        return len(self.at)

    def take(self, rows: np.ndarray) -> Positions:
        """Return the positions of some publications."""
        return self._each(lambda column, _: column[rows])

    def extended(self, size: int) -> Positions:
        """Return the positions with further publications, which are nowhere yet."""
        more = size - len(self)
        return self._each(lambda column, blank: np.pad(column, ((0, more), (0, 0)), constant_values=blank))

    def towards(self, goals: np.ndarray) -> Positions:
        """Return the columns of some goals, known or new ones."""
        if np.array_equal(goals, self.goals):
            return self
        column_of = {goal: column for column, goal in enumerate(self.goals.tolist())}
        columns = np.array([column_of.get(goal, len(self.goals)) for goal in goals.tolist()], dtype=np.int64)
        wider = self._each(lambda column, blank: np.pad(column, ((0, 0), (0, 1)), constant_values=blank)[:, columns])
        return replace(wider, goals=goals)

    def moved(self, rows: np.ndarray, goal: int, new: int) -> Positions:
        """Return the positions if publications on their way to a goal are on their way to a new one instead."""
        old, column = (int(np.searchsorted(self.goals, end)) for end in (goal, new))
        mine = rows[self.at[rows, column] == NOWHERE]

        def change(found: np.ndarray, _: int) -> np.ndarray:
            found = found.copy()
            found[mine, column] = found[mine, old]
            return found

        return self._each(change)

    def remembering(self, *, degree: bool, marks: bool) -> Positions:
        """Return the positions with what a policy remembers besides."""
        size = self.at.shape
        found = self
        if degree and self.degree is None:
            found = replace(found, degree=np.zeros(size, np.int32))
        if marks and self.mark_end is None:
            end, subscription = np.full(size, NEVER, np.int64), np.full(size, FIRST, np.int32)
            found = replace(found, mark_end=end, mark_subscription=subscription)
        return found

    def _each(self, change: Callable[[np.ndarray, int], np.ndarray]) -> Positions:
        columns = {name: column for name in _BLANK if (column := getattr(self, name)) is not None}
        return replace(self, **{name: change(column, _BLANK[name]) for name, column in columns.items()})


_BLANK = {"at": NOWHERE, "degree": 0, "mark_end": NEVER, "mark_subscription": FIRST}


@dataclass(frozen=True)
class WindowState:
    """The state of interest groups of one topic.

    `rows` are the publications that are still needed, by event time; the first `entered` have entered the walk and have
    `positions`, the others are ahead of it. `owners` (OWNER) are the subscriptions of the former with their goals,
    windows, and the least end of a window that is still open. `pending` (PENDING) are the partial results that links
    hold, `tails` the open count windows; `next_time` is the time of the next decision.
    """

    rows: Matched | None = None
    entered: int = 0
    positions: Positions = field(default_factory=Positions.none)
    owners: np.ndarray = field(default_factory=lambda: np.zeros(0, OWNER))
    pending: np.ndarray = field(default_factory=lambda: np.zeros(0, PENDING))
    next_time: int | None = None
    tails: dict[int, CountTail] = field(default_factory=dict)
    modes: Modes | None = None

    @property
    def empty(self) -> bool:
        """Whether there is no state to keep."""
        return self.rows is None and not self.tails and self.modes is None

    def wakes(self) -> int | None:
        """Return the next event time at which the walk must advance, even without arrivals."""
        times = [] if self.next_time is None else [self.next_time]
        if self.rows is not None and self.entered < len(self.rows):
            times.append(int(self.rows.time[self.entered]) + 1)
        return min(times, default=None)
