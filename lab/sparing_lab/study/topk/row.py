"""A row of the study: one number of one method."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.rows import Row


@dataclass(frozen=True)
class TopkRow(Row):
    """One number: the value of `what` for a method, a number of subscriptions and a k.

    k is 0 where it plays no part. `distance` counts the core brokers between publisher and subscriber, 0 for all.
    """

    subscriptions: int
    narrowest: float
    widest: float
    k: int
    method: str
    seed: int
    distance: int
    what: str
    value: float
