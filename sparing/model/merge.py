"""Merged topics: publishers report parts of the same event, and subscribers get one merged report that grows.

Paper: caeva, section III-A.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RedundancyRule(StrEnum):
    """When a report is redundant."""

    VALUE = "value"  # all its values are known; different values of a field are all kept
    NAME = "name"  # all its fields are known, with whatever value: the paper's rule


@dataclass(frozen=True, slots=True)
class Merge:
    """Reports with the same values of the `key` fields, up to `within` after the first one, belong to one event.

    Notification cycles of subscriptions are multiples of `cycle`. Times are in microseconds.
    """

    key: tuple[str, ...]
    within: int
    compare: RedundancyRule = RedundancyRule.VALUE
    cycle: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Outage:
    """The aggregator of a broker fails at `start`, loses its state, and restarts at `end` (None: never)."""

    start: int
    broker: str
    end: int | None = None

    def holds(self, time: int) -> bool:
        """Return whether the aggregator is down at a time."""
        return self.start <= time and (self.end is None or time < self.end)
