"""One measurement, and measurements as CSV."""

from __future__ import annotations

from dataclasses import dataclass

from sparing_lab.study.lines import Line


@dataclass(frozen=True)
class Row(Line):
    """One number: `what` was found of a method for so many subscriptions and a k.

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
