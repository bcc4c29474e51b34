"""A row of the study: one experiment under one policy."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.mna.grid import MnaCell
from sparing_lab.study.rows import Row


@dataclass(frozen=True)
class MnaRow(Row):
    """One experiment under one policy.

    `messages` are those between brokers, `for_aggregation` those of them that were not sent for plain subscriptions:
    partial results (`results`) and the raw publications that an NWR's decision forwards. `matching_seconds` is the CPU
    time of matching and plain delivery, the same for policies that hold the same publications; `walk_seconds` that of
    the walk of held publications with all its decisions.
    """

    cell: MnaCell
    policy: str
    publications: int
    selectivity: float
    messages: int
    for_aggregation: int
    results: int
    notifications: int
    matching_seconds: float
    walk_seconds: float

    @property
    def seconds(self) -> float:
        """The computation cost."""
        return self.matching_seconds + self.walk_seconds
