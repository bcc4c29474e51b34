"""The keys of the pipeline's parcels: interest groups by name, lanes of merged topics, and what only passes through.

Names of interest groups begin with their topic. No topic has control characters in it, so those mark the other keys.
"""

from __future__ import annotations

from typing import NamedTuple

LANE = "\n"  # what starts the key of a lane
PASSING = "\t"  # what starts the key of parcels that only pass through
CLOCK = PASSING + "clock"


class Lane(NamedTuple):
    """One of the parts that the events of a merged topic are dealt out to."""

    topic: str
    number: int

    @property
    def key(self) -> str:
        """Its key."""
        return f"{LANE}{self.number}{LANE}{self.topic}"


def lane_of(key: str) -> Lane | None:
    """The lane that a key stands for, if it does; the inverse of `Lane.key`."""
    if not key.startswith(LANE):
        return None
    _, number, topic = key.split(LANE, 2)
    return Lane(topic, int(number))
