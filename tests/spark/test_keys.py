"""Keys of the pipeline. No Spark session is needed for that."""

from __future__ import annotations

import pytest

from sparing.flow.interests import group_name
from sparing.spark.keys import CLOCK, PASSING, Lane, lane_of


@pytest.mark.parametrize("lane", [Lane("incidents", 0), Lane("rail/north", 12), Lane("a b", 3)])
def test_a_lane_is_read_off_its_key(lane):
    assert lane_of(lane.key) == lane
    assert not lane.key.startswith(PASSING)


def test_other_keys_are_no_lanes():
    assert [lane_of(key) for key in (group_name("traffic", "s1"), f"{PASSING}7", CLOCK)] == [None, None, None]
