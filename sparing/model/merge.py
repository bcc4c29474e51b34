"""Merged topics: several publishers report the same event in part, and subscribers get one growing report.

Paper: caeva, section III-A.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class RedundancyRule(StrEnum):
    """When a report tells something that is known already."""

    VALUE = "value"  # the same value of the same field; values that differ are kept, each once
    NAME = "name"  # any value of the same field: the paper's own rule


@dataclass(frozen=True, slots=True)
class Merge:
    """Reports with the same values of the `key` fields, made within `within` of the first one, are of one event.

    Subscribers choose notification cycles that are multiples of `cycle`. Times are in microseconds.
    """

    key: tuple[str, ...]
    within: int
    compare: RedundancyRule = RedundancyRule.VALUE
    cycle: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Outage:
    """A broker's aggregator fails at `start`, with all that it holds, and takes up its work again at `end` if ever."""

    start: int
    broker: str
    end: int | None = None

    def holds(self, time: int) -> bool:
        """Whether the aggregator is down at a time."""
        return self.start <= time and (self.end is None or time < self.end)
