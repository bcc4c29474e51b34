"""The bench of the matching stage."""

from __future__ import annotations

import json

import pytest
from rich.console import Console

from sparing_lab.bench.stage import STEPS, Settings, stage

pytestmark = pytest.mark.spark


def test_every_step_is_told(spark):
    told = []
    figures = stage(spark, Settings((20,), 2_000, 1), told.append)
    (figure,) = figures.figures
    assert figure.subscriptions == 20
    assert figure.pairs > 0
    assert figure.index > 0
    assert tuple(figure.steps) == STEPS
    assert figure.matching > 0
    assert told == [f"20 subscriptions: {figure.kept:.0%} of the index's own speed"]
    assert json.loads(json.dumps(figures.json()))["microseconds"][0]["kept"] == figure.kept
    console = Console(width=120, record=True)
    console.print(*figures.tables())
    text = console.export_text()
    assert all(step in text for step in STEPS)
