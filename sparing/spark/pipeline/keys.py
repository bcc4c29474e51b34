"""Keys of parcels: interest groups by name, event partitions of merged topics, and parcels that bypass the walk.

The name of an interest group starts with its topic. Topics have no control characters, so these mark the other keys.
"""

from __future__ import annotations

from typing import NamedTuple

EVENT_PARTITION = "\n"  # prefix of the keys of event partitions
BYPASS = "\t"  # prefix of the keys of parcels that bypass the walk
CLOCK = BYPASS + "clock"


class EventPartition(NamedTuple):
    """One of the partitions of the events of a merged topic."""

    topic: str
    number: int

    @property
    def key(self) -> str:
        """The key of the partition's parcels."""
        return f"{EVENT_PARTITION}{self.number}{EVENT_PARTITION}{self.topic}"


def event_partition_of(key: str) -> EventPartition | None:
    """Return the event partition of a key, None for other keys; the inverse of `EventPartition.key`."""
    if not key.startswith(EVENT_PARTITION):
        return None
    _, number, topic = key.split(EVENT_PARTITION, 2)
    return EventPartition(topic, int(number))
