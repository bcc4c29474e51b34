"""A row of the study: one sample, folded by one method."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.mefa.grid import MefaPoint
from sparing_lab.study.rows import Row


@dataclass(frozen=True)
class MefaRow(Row):
    """One sample, folded by one method up to a target saving."""

    point: MefaPoint
    sample: int
    tree: str
    target: str
    method: str
    theta: int  # the target: pairs for MEFA as printed if the target is in pairs, else links
    told: int  # routing entries on links without folding
    possible: int  # the most entries that folding can save
    benefit: int  # entries saved, counted in links
    cost: float
    moved: int = 0  # subscribers at another broker than in the DO tree
    changes: int = 0  # messages about subscriptions added or removed (churn only)
    reconfigured: int = 0  # messages that announce entries again after a subscriber left
    false: int = 0  # false positives: publications that cross a link without a subscriber behind it
