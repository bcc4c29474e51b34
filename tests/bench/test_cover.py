"""The covering benchmark measures what it says, and finds out if engines disagree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sparing.bench.covering import Settings, cover
from sparing.bench.covering import measure as measuring
from sparing.bench.covering.engines import as_frame, by_numpy, by_sparing, by_spark
from sparing.bench.covering.figures import CHANGES, WHOLE
from sparing.bench.covering.settings import made_up
from sparing.model.errors import SparingError

SMALL = Settings(boxes=(300,), dimensions=(1, 2), k=3, changes=20, repeat=1)


def test_everything_is_measured_and_told() -> None:
    told: list[str] = []
    figures = cover(None, SMALL, told.append)
    assert told == ["300 boxes in 1 dimensions", "300 boxes in 2 dimensions"]
    assert [(f.boxes, f.dimensions, f.spark) for f in figures.whole] == [(300, 1, None), (300, 2, None)]
    assert all(f.numpy is not None and 0 < f.kept < 300 for f in figures.whole)
    assert all(len(change.add) == len(change.remove) == 3 for change in figures.changes)
    text = figures.markdown().splitlines()
    assert text[0] == f"| {' | '.join(WHOLE)} |"
    assert f"| {' | '.join(CHANGES)} |" in text
    assert figures.json()["settings"]["k"] == 3
    assert [table.row_count for table in figures.tables()] == [2, 2]


def test_peers_stay_out_of_what_would_take_too_long() -> None:
    figures = cover(None, replace(SMALL, dimensions=(1,), peers=100), lambda _: None)
    assert figures.whole[0].numpy is None


def test_engines_that_disagree_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "by_numpy", lambda low, _high, _k: np.ones(len(low), bool))
    with pytest.raises(SparingError, match="NumPy keeps 300 boxes"):
        cover(None, SMALL, lambda _: None)


def test_settings_without_sense_are_refused() -> None:
    with pytest.raises(SparingError, match="above zero"):
        Settings(boxes=(0,))


@pytest.mark.spark
def test_the_join_keeps_the_same(spark) -> None:
    low, high = made_up(SMALL, 400, 2)
    frame = as_frame(spark, low, high)
    ours = by_sparing(low, high, 3)
    assert np.array_equal(by_spark(frame, 2, 3), ours)
    assert np.array_equal(by_numpy(low, high, 3), ours)
    frame.unpersist()
