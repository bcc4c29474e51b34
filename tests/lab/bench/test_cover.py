"""The covering benchmark measures what it says, and finds out if engines disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.control.covering.incremental import IncrementalCover
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.covering import measure as measuring
from sparing_lab.bench.covering.benchmark import BoxChange, Cover, Covering, Seconds
from sparing_lab.bench.covering.boxes import made_up
from sparing_lab.bench.covering.engines import as_frame, by_numpy, by_sparing, by_spark
from tests.tries import thorough_only

SMALL = Cover(boxes=(300,), dimensions=(1, 2), k=3, changes=20, repeat=1, spark=False)


def test_all_cases_are_measured_with_progress() -> None:
    told: list[str] = []
    results = SMALL.measure(Run(told.append))
    assert told == ["300 boxes in 1 dimension", "300 boxes in 2 dimensions"]
    assert [(f.boxes, f.dimensions, f.spark) for f in results["whole"]] == [(300, 1, None), (300, 2, None)]
    assert all(f.numpy is not None and 0 < f.kept < 300 for f in results["whole"])
    assert all(0 < change.add.mean <= change.add.worst for change in results["changes"])
    assert [len(table.rows) for table in SMALL.tables(results)] == [2, 2, 0]


def test_peers_are_skipped_where_they_would_take_too_long() -> None:
    results = replace(SMALL, dimensions=(1,), peers=100).measure(Run())
    assert results["whole"][0].numpy is None


def test_disagreeing_engines_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "by_numpy", lambda low, _high, _k: np.ones(len(low), bool))
    with pytest.raises(SparingError, match="NumPy keeps 300 boxes"):
        SMALL.measure(Run())


def test_invalid_settings_are_rejected() -> None:
    with pytest.raises(SparingError, match="above zero"):
        Cover(boxes=(0,))


@thorough_only
@pytest.mark.spark
def test_the_join_keeps_the_same_boxes(spark) -> None:
    low, high = made_up(1, 400, 2)
    frame = as_frame(spark, low, high)
    ours = by_sparing(low, high, 3)
    assert np.array_equal(by_spark(frame, 2, 3), ours)
    assert np.array_equal(by_numpy(low, high, 3), ours)
    frame.unpersist()


def test_numpy_keeps_the_same_boxes_of_many() -> None:
    """More than one stretch, and equal boxes among them."""
    low, high = made_up(1, 700, 2)
    low, high = np.concatenate([low, low[:50]]), np.concatenate([high, high[:50]])
    for k in (1, 3, 10):
        ours = by_sparing(low, high, k)
        assert 64 < ours.sum() < 750
        assert np.array_equal(by_numpy(low, high, k), ours)


def test_an_incremental_cover_that_goes_wrong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IncrementalCover, "forwarded", property(lambda _: {"00000000"}))
    with pytest.raises(SparingError, match=r"^The incremental cover went wrong with 300 boxes in 1 dimension"):
        SMALL.measure(Run())


def test_results_are_compared_with_the_goals() -> None:
    whole = [Covering(50_000, 1, 1200, 0.05, 0.019, 0.5, 60.0), Covering(500_000, 2, 40_000, 2.0, 1.7, None, None)]
    changed = [
        BoxChange(50_000, 1, 1.5, Seconds(2e-5, 1e-4, 1e-3), Seconds(2e-3, 0.01, 0.02), Seconds(3e-3, 0.01, 0.02))
    ]
    targets = Cover().targets(whole, changed)
    results = {"whole": whole, "changes": changed, "targets": targets}
    assert [(target.goal, target.verdict) for target in targets] == [
        (0.02, "met"),
        (1.6, "missed"),
        (0.001, "met"),
        (0.001, "missed"),
    ]
    text = Cover().markdown(results)
    assert "| 50,000 | 1 | 1,200 | 0.05 | 0.019 | 0.5 (10x) | 60 (1,200x) |" in text
    assert "| 500,000 | 2 | 40,000 | 2 | 1.7 | - | - |" in text
    assert "| 50,000 | 1 | 20 / 100 / 1,000 | 2,000 / 10,000 / 20,000 | 3,000 / 10,000 / 20,000 |" in text
    found = Cover().json(results)
    assert found["whole"][0]["ratios"] == {"numpy": 10.0, "spark": 1200.0}
    assert found["changes"][0]["add"] == {"mean": 2e-5, "high": 1e-4, "worst": 1e-3}
    assert Cover(k=5).targets(whole, changed) == []


def test_the_command_writes_its_results(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "cover.json"), "--markdown", str(tmp_path / "cover.md")]
    sizes = ["--boxes", "200", "--dimensions", "1", "--k", "2", "--repeat", "1", "--no-spark"]
    result = CliRunner().invoke(build(), ["bench", "cover", *sizes, *files], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert "Microseconds for a box that comes or goes" in result.output
    assert json.loads((tmp_path / "cover.json").read_text())["whole"][0]["boxes"] == 200
    assert (tmp_path / "cover.md").read_text().startswith("| boxes | dimensions | kept | Sparing |")
