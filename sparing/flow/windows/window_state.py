"""The state of an interest group between two batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.windows.edges import Edges

NEVER = -(1 << 62)


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
class WindowState:
    """The state of one interest group.

    `rows` are the publications that are still needed; `fresh` ones have not entered the walk yet. `edges` are the NWRs
    and places of the others, `tails` the open count windows. `next_time` is the time of the next decision on an edge.
    """

    rows: Matched | None = None
    fresh: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    edges: Edges = field(default_factory=Edges.none)
    next_time: int | None = None
    tails: dict[int, CountTail] = field(default_factory=dict)
    modes: Modes | None = None

    @property
    def empty(self) -> bool:
        """Whether there is no state to keep."""
        return not len(self.edges) and not self.tails and not self.fresh.any() and self.modes is None

    def wakes(self) -> int | None:
        """Return the next event time at which the group must advance, even without arrivals."""
        times = [] if self.next_time is None else [self.next_time]
        if self.rows is not None and self.fresh.any():
            times.append(int(self.rows.time[self.fresh].min()) + 1)
        return min(times, default=None)
