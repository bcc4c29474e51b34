"""What one method made of one sample, and all of it as CSV."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.lines import Line
from sparing_lab.study.mefa.grid import Kind, Point
from sparing_lab.workloads.ranges import Distribution


@dataclass(frozen=True)
class Row(Line):
    """One sample, folded by one method until something is saved."""

    kind: str
    nodes: int
    subscribers: int
    average: int  # size of ranges
    distribution: str
    sample: int
    tree: str
    target: str
    method: str
    theta: int  # what it was asked to save: pairs for MEFA as printed if the target is in pairs, else links
    told: int  # entries on links, if nothing is folded
    possible: int  # most entries that could be saved
    benefit: int  # entries that were saved, counted as links whatever the account
    cost: float
    moved: int  # subscribers that are not where the DO tree has them
    changes: int = 0  # messages about subscriptions that come and go, if they do
    reconfigured: int = 0  # messages that tell entries anew after a leave
    false: int = 0  # publications that cross a link for nobody

    @property
    def point(self) -> Point:
        """What it is a sample of."""
        kind, distribution = Kind(self.kind), Distribution(self.distribution)
        return Point(kind, self.nodes, self.subscribers, self.average, distribution)
