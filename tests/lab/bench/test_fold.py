"""The benchmark of folding measures what it says, and finds out if MEFA saves less than it should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.control.folding.problem import Folds
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Run
from sparing_lab.bench.fold import measure as measuring
from sparing_lab.bench.fold.benchmark import THIN, WIDE, BesidePrinted, Fold, FoldCase, Folding, growth, targets
from sparing_lab.bench.fold.problems import made_up

SMALL = Fold((20, 60), (1, 2), brokers=10, peers=20, printed=(8,), instances=2, repeat=1)


def test_all_cases_are_measured_with_progress() -> None:
    told: list[str] = []
    results = SMALL.measure(Run(told.append))
    assert told[0] == "20 subscriptions, 1-dimensional, wide"
    assert len(told) == 8 + 4
    assert [(f.dimensions, f.ranges, f.subscriptions) for f in results["whole"]] == [
        (d, ranges, n) for d in (1, 2) for ranges in (WIDE, THIN) for n in (20, 60)
    ]
    assert all((f.seconds["SPA"] is None) == (f.cost["AA"] is None) == (f.subscriptions > 20) for f in results["whole"])
    assert all((f.benefit["MEFA"] or 0) >= f.possible / 2 for f in results["whole"])
    assert [len(table.rows) for table in SMALL.tables(results)] == [8, 4, 4, 4, 0]


def test_cases_are_deterministic() -> None:
    case = FoldCase(30, 2, THIN)
    one, two, other = made_up(SMALL, case), made_up(SMALL, case), made_up(SMALL, case, 1)
    assert np.array_equal(one.low, two.low)
    assert not np.array_equal(one.low, other.low)
    assert (one.low < one.high).all()


def test_a_too_small_saving_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = {"MEFA": lambda problem, _: Folds(np.arange(len(problem)), 0, 0.0)}
    monkeypatch.setattr(measuring, "METHODS", measuring.METHODS | nothing)
    with pytest.raises(SparingError, match=r"^MEFA saves less than it should on 20 subscriptions"):
        SMALL.measure(Run())


def test_invalid_settings_are_rejected() -> None:
    with pytest.raises(SparingError, match="2 or more"):
        Fold(subscriptions=(1,))
    with pytest.raises(SparingError, match="above zero"):
        Fold(dimensions=(0,))
    with pytest.raises(SparingError, match="share"):
        Fold(share=0)


def test_results_are_compared_with_the_goal() -> None:
    none = {"SPA": None, "AA": None}
    whole = [
        Folding(
            10_000,
            1,
            WIDE,
            50,
            5,
            {"MEFA": 0.2, "SPA": 0.5, "AA": 1.0},
            {"MEFA": 9.0, "SPA": 5.0, "AA": 200.0},
            {"MEFA": 25, "SPA": 26, "AA": 40},
        ),
        Folding(100_000, 1, WIDE, 80, 7, {"MEFA": 20.0, **none}, {"MEFA": 8.0, **none}, {"MEFA": 40, **none}),
    ]
    costs = {"printed": 10.0, "MEFA": 11.0, "SPA": 15.0, "AA": 30.0}
    beside = [BesidePrinted(50, 1, WIDE, 3, 1.5, costs)]
    results = {"whole": whole, "beside": beside, "growth": growth(whole), "targets": targets(whole)}
    assert [(target.goal, target.found, target.verdict) for target in targets(whole)] == [(10.0, 20.0, "missed")]
    bench = Fold(dimensions=(1,))
    text = bench.markdown(results)
    assert "| wide | 1 | 10,000 | 5 | 50% | 0.2 | 0.5 | 1 |" in text
    assert "| wide | 1 | 100,000 | 7 | 50% | 20 | - | - |" in text
    assert "| wide | 1 | 10,000 | 9 | 5 | 200 |" in text
    assert "| wide | 1 | 10,000 to 100,000 | 2.00 |" in text
    assert "| wide | 1 | 50 | 3 | 1.5 | 1.1 | 1.5 | 3 |" in text
    assert bench.json(results)["beside"][0]["ratios"]["MEFA"] == pytest.approx(1.1)


def test_the_command_writes_its_results(tmp_path: Path) -> None:
    files = ["--json", str(tmp_path / "found.json"), "--markdown", str(tmp_path / "found.md")]
    sizes = ["--subscriptions", "20", "--dimensions", "1", "--brokers", "5", "--printed", "6", "--repeat", "1"]
    result = CliRunner().invoke(build(), ["bench", "fold", *sizes, *files], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    assert "Seconds of CPU time; 5 brokers" in result.output
    assert json.loads((tmp_path / "found.json").read_text())["whole"][0]["subscriptions"] == 20
    assert (tmp_path / "found.md").read_text().startswith("| ranges | dimensions | subscriptions | clusters |")
