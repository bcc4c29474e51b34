"""A row of the study: one sample under one method."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.caeva.grid import CaevaPoint
from sparing_lab.study.rows import Row


@dataclass(frozen=True)
class CaevaRow(Row):
    """One sample under one method. Messages are counted once for every link between brokers that they cross."""

    point: CaevaPoint
    sample: int
    method: str
    events: int
    made: int  # reports
    redundant: int  # reports without new facts
    siena: int  # messages without merging
    up: int  # reports and merged reports on their way to the coordinator
    down: int  # from the coordinator to brokers that subscribe
    coordination: int  # announcements, cycles, counts for the placement, moves
    full: float  # mean time units from an event's first report to its last new fact
    delay: float  # mean time units from then until subscribers are notified
    hops: float  # between passive and active aggregators, mean over events
    moves: int

    @property
    def data(self) -> int:
        """Messages with reports."""
        return self.up + self.down

    @property
    def total(self) -> int:
        """All messages."""
        return self.data + self.coordination
