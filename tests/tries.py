"""On how many examples a property is tried: few in a usual run, since each run draws others; many in a thorough one.

`SPARING_TESTS=thorough` asks for the latter.
"""

import os
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

THOROUGH = os.environ.get("SPARING_TESTS") == "thorough"
thorough_only = pytest.mark.skipif(not THOROUGH, reason="takes long: SPARING_TESTS=thorough")


def usually(some: Sequence[Any], cases: Iterable[Any]) -> list[Any]:
    """Cases for `parametrize`, of which a usual run tries some and a thorough one all."""
    return [
        case if case in some else pytest.param(*(case if isinstance(case, tuple) else [case]), marks=thorough_only)
        for case in cases
    ]


def tries(some: int) -> int:
    """Of what a property deserves: a quarter in a usual run, ten times as much in a thorough one."""
    return 10 * some if THOROUGH else max(some // 4, 10)
