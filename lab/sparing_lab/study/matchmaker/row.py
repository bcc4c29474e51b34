"""A row of the study: one sample with one kind of trees."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.matchmaker.grid import MatchmakerPoint
from sparing_lab.study.rows import Row


@dataclass(frozen=True)
class MatchmakerRow(Row):
    """One sample with one kind of trees. Costs are numbers of descriptors on links."""

    point: MatchmakerPoint
    trees: str
    sample: int
    links: int  # directed links of all trees
    pub_e: int  # cost of PubE: advertisements are sent everywhere
    sub_e: int  # cost of SubE: subscriptions are sent everywhere
    mcm: int  # least cost of a valid marking
    unmonotone: int  # links that violate the monotonicity property, and their partners in a tree
    entangled: int  # links whose decision depends on others
    valid: int  # 1 if Figure 6 as printed gives a valid marking, else 0
    printed: int  # cost of that marking, as if it were valid
    s_repaired: int  # cost after turning all links below s-links into s-links
    p_repaired: int  # cost after turning all links above p-links into p-links
    parted: int  # pairs of a publisher and a subscriber whose descriptors never meet

    @property
    def repairs(self) -> tuple[int, int, int]:
        """Costs of repairs of the printed marking: by s-links, by p-links, the cheaper of both."""
        return self.s_repaired, self.p_repaired, min(self.s_repaired, self.p_repaired)
