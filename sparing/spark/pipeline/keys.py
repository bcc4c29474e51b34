"""Keys of parcels: interest groups by name, partitions of merged topics, and parcels that need no walk.

Names of interest groups begin with their topic. No topic has control characters in it, so those mark the other keys.
"""

from __future__ import annotations

from typing import NamedTuple

EVENT_PARTITION = "\n"  # what starts the key of a partition
BYPASS = "\t"  # what starts the key of parcels that only pass through
CLOCK = BYPASS + "clock"


class EventPartition(NamedTuple):
    """One of the parts that the events of a merged topic are dealt out to."""

    topic: str
    number: int

    @property
    def key(self) -> str:
        """Its key."""
        return f"{EVENT_PARTITION}{self.number}{EVENT_PARTITION}{self.topic}"


def event_partition_of(key: str) -> EventPartition | None:
    """The partition that a key stands for, if it does; the inverse of `EventPartition.key`."""
    if not key.startswith(EVENT_PARTITION):
        return None
    _, number, topic = key.split(EVENT_PARTITION, 2)
    return EventPartition(topic, int(number))
