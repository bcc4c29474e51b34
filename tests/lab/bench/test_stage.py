"""The bench of the matching stage."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.stage.benchmark import STEPS, Stage

pytestmark = pytest.mark.spark


def test_every_step_is_measured(spark):
    told = []
    bench = Stage((20,), 2_000, 1)
    results = bench.measure(Run(told.append, lambda: nullcontext(spark)))
    (found,) = results["microseconds"]
    assert found.subscriptions == 20
    assert found.pairs > 0
    assert found.index > 0
    assert tuple(found.steps) == STEPS
    assert found.kept > 0
    assert told == [f"20 subscriptions: {found.kept:.0%} of the index's own speed"]
    assert all(step in bench.markdown(results) for step in STEPS)
