"""On how many examples a property is tried: few in a usual run, since each run draws others; many in a thorough one.

`SPARING_TESTS=thorough` asks for the latter.
"""

import os

import pytest

THOROUGH = os.environ.get("SPARING_TESTS") == "thorough"
thorough_only = pytest.mark.skipif(not THOROUGH, reason="takes long: SPARING_TESTS=thorough")


def tries(some: int) -> int:
    """Of what a property deserves: a third in a usual run, ten times as much in a thorough one."""
    return 10 * some if THOROUGH else max(some // 3, 10)
