"""Keys of the pipeline. No Spark session is needed for that."""

from __future__ import annotations

import pytest

from sparing.flow.interests import group_name
from sparing.spark.pipeline.keys import BYPASS, CLOCK, EventPartition, event_partition_of


@pytest.mark.parametrize(
    "partition", [EventPartition("incidents", 0), EventPartition("rail/north", 12), EventPartition("a b", 3)]
)
def test_a_partition_is_read_off_its_key(partition):
    assert event_partition_of(partition.key) == partition
    assert not partition.key.startswith(BYPASS)


def test_other_keys_are_no_partitions():
    assert [event_partition_of(key) for key in (group_name("traffic", "s1"), f"{BYPASS}7", CLOCK)] == [
        None,
        None,
        None,
    ]
