"""The study as the command line runs it: cells as Spark tasks, files, tables, JSON."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from sparing.study.topk import grid
from sparing.study.topk.measure import measure
from sparing.study.topk.row import from_csv

TINY = grid.Scale(
    "small",
    drawn=100,
    trees=1,
    low_k=(1, 2),
    subscriptions=(100,),
    selectivities=(1, 5),
    widths=((0.3, 0.6),),
    fair=(50,),
    populations=1,
    publications=100,
    timed=50,
    grown=(50,),
)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(grid.SCALES, "small", TINY)
    cells = [cell for cell in TINY.cells() if cell.subscriptions < 1000]  # without those of Figures 5(a), (b), (d)
    monkeypatch.setattr(grid.Scale, "cells", lambda _: cells)
    return cells


@pytest.mark.spark
@pytest.mark.parametrize("as_json", [False, True])
def test_the_command_writes_the_page_and_the_table(spark, tiny, monkeypatch, tmp_path, as_json):
    @contextmanager
    def running(*_):
        yield spark

    monkeypatch.setattr("sparing.cli.study.spark_session", running)
    arguments = ["study", "topk", "--out", str(tmp_path), *(["--json"] if as_json else [])]
    result = CliRunner().invoke(build(), arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    rows = list(from_csv((tmp_path / "topk.csv").read_text()))
    assert "Figure 8" in (tmp_path / "topk.html").read_text()
    by_hand = [row for cell in tiny for row in measure(cell)]
    # All but times are the same wherever they are measured.
    assert [row for row in rows if "micro" not in row.what] == [row for row in by_hand if "micro" not in row.what]
    if as_json:
        told = json.loads(result.stdout)
        assert told["scale"] == "small"
        assert len(told["rows"]) == len(rows)
        assert told["comparisons"][0]["printed"] == "1.47%"
    else:
        assert "What the paper prints, and ours" in result.stdout
        assert "AncestorFairK, one parent" in result.stdout


def test_an_unknown_study_is_one_sentence():
    result = CliRunner().invoke(build(), ["study", "nothing"])
    assert isinstance(result.exception, SparingError)
    assert str(result.exception) == "There is no study 'nothing': choose from mna, topk, matchmaker, mefa, caeva, all."
