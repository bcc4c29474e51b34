"""What one method made of one sample, and all of it as CSV."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.caeva.grid import Kind, Point, Shape, Who
from sparing_lab.study.lines import Line


@dataclass(frozen=True)
class Row(Line):
    """One sample under one method. Messages are counted once for every link between brokers that they cross."""

    kind: str
    shape: str
    brokers: int
    who: str
    publishers: int
    redundancy: float
    reports: float
    cycle: int
    subscribing: float
    phase: int
    sample: int
    method: str
    events: int
    made: int  # reports
    redundant: int  # reports that tell nothing new
    siena: int  # messages if nobody merged
    up: int  # reports and what aggregators send towards the coordinator
    down: int  # from the coordinator to brokers that subscribe
    coordination: int  # who coordinates, cycles, counts for the placement, moves
    full: float  # time units from an event's first report to the last that tells anything new, on average
    delay: float  # time units from then on until subscribers know, on average
    hops: float  # between passive and active aggregators, on average over events
    moves: int

    @property
    def point(self) -> Point:
        """What it is a sample of."""
        return Point(
            Kind(self.kind),
            Shape(self.shape),
            self.brokers,
            Who(self.who),
            self.publishers,
            self.redundancy,
            self.reports,
            self.cycle,
            self.subscribing,
            self.phase,
        )

    @property
    def data(self) -> int:
        """Messages that carry what was reported."""
        return self.up + self.down

    @property
    def total(self) -> int:
        """All messages."""
        return self.data + self.coordination
