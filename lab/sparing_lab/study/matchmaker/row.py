"""One sample's measurements, and all of them as CSV."""

from __future__ import annotations

from dataclasses import dataclass

from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.lines import Line
from sparing_lab.study.matchmaker.grid import Point


@dataclass(frozen=True)
class Row(Line):
    """What was found of one sample with one kind of trees. Costs are numbers of descriptors on links."""

    publishers: int
    subscribers: int
    rounding: str
    trees: str
    sample: int
    links: int  # directed links of all trees
    pub_e: int  # cost if advertisements go everywhere
    sub_e: int  # cost if subscriptions do
    mcm: int  # least cost
    unmonotone: int  # links that break the monotonicity property, with one above or below them in a tree
    entangled: int  # links that cannot decide for themselves
    valid: int  # 1 if Figure 6 as printed gives a valid marking, else 0
    printed: int  # what its marking costs, counted as if it were valid
    s_repaired: int  # cost after everything below an s-link has become one
    p_repaired: int  # cost after everything above a p-link has become one
    parted: int  # pairs of a publisher and a subscriber whose descriptors never meet

    @property
    def point(self) -> Point:
        """What it is a sample of."""
        return Point(self.publishers, self.subscribers, Rounding(self.rounding))

    @property
    def repairs(self) -> tuple[int, int, int]:
        """What repairs of the printed marking cost: by s-links, by p-links, the cheaper of both."""
        return self.s_repaired, self.p_repaired, min(self.s_repaired, self.p_repaired)
