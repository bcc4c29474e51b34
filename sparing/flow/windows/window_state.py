"""What the walk of an interest group remembers between two batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.windows.edges import Edges

NEVER = -(1 << 62)


@dataclass(frozen=True)
class Modes:
    """What brokers with modes (BAT) remember: theirs, and what either mode would have cost since the period began."""

    forwards: np.ndarray
    if_forwarded: np.ndarray
    if_aggregated: np.ndarray
    turn: int

    @classmethod
    def initial(cls, brokers: int) -> Modes:
        """All aggregate."""
        return cls(np.zeros(brokers, bool), np.zeros(brokers, np.int64), np.zeros(brokers, np.int64), NEVER)


@dataclass(frozen=True)
class WindowState:
    """Everything that one interest group must remember between two batches.

    `rows` are the publications still needed, `fresh` those among them whose time has not come. `edges` says for which
    NWRs the others count, and where they are; `tails` has the count windows under way. `next_time` is when something is
    to be done with the edges.
    """

    rows: Matched | None = None
    fresh: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    edges: Edges = field(default_factory=Edges.none)
    next_time: int | None = None
    tails: dict[int, CountTail] = field(default_factory=dict)
    modes: Modes | None = None

    @property
    def empty(self) -> bool:
        """Nothing is left to remember."""
        return not len(self.edges) and not self.tails and not self.fresh.any() and self.modes is None

    def wakes(self) -> int | None:
        """The next event time at which something is to be done, if nothing else arrives."""
        times = [] if self.next_time is None else [self.next_time]
        if self.rows is not None and self.fresh.any():
            times.append(int(self.rows.time[self.fresh].min()) + 1)
        return min(times, default=None)
