"""What the walk of an interest group remembers between two batches."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparing.flow.deliver.count_windows import CountTail
from sparing.flow.matched import Matched
from sparing.model.functions import State


@dataclass
class Waiting:
    """What waits in one place for one NWR: raw publications (row numbers) and partial results (states by output)."""

    raw: list[np.ndarray] = field(default_factory=list)
    partials: list[tuple[State, ...]] = field(default_factory=list)


Places = dict[int, Waiting]  # link number (HERE: the subscriber's broker) -> what waits there


@dataclass
class WalkState:
    """Everything that one interest group must remember between two batches.

    `rows` are the publications still needed, `fresh` those among them whose time has not come. `open` has the NWRs
    that something waits for, by end and subscription; `gone` the rows that were forwarded over a link before all
    their NWRs there had ended; `tails` the count windows under way.
    """

    rows: Matched | None = None
    fresh: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    open: dict[int, dict[int, Places]] = field(default_factory=dict)
    gone: dict[int, set[int]] = field(default_factory=dict)
    tails: dict[int, CountTail] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Nothing is left to remember."""
        return not self.open and not self.tails and not self.fresh.any()

    def wakes(self) -> int | None:
        """The next event time at which something is to be done, if nothing else arrives."""
        times = list(self.open)
        if self.rows is not None and self.fresh.any():
            times.append(int(self.rows.time[self.fresh].min()) + 1)
        return min(times, default=None)
