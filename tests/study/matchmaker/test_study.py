"""The study as the command line runs it: cells as Spark tasks, files, tables."""

from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.study.matchmaker import grid
from sparing.study.matchmaker.measure import measure
from sparing.study.matchmaker.row import from_csv


@pytest.mark.spark
def test_the_command_writes_the_page_and_the_table(spark, monkeypatch, tmp_path):
    @contextmanager
    def running(*_):
        yield spark

    tiny = grid.Scale("small", samples=2, counts=(5, 10))
    monkeypatch.setitem(grid.SCALES, "small", tiny)
    monkeypatch.setattr("sparing.cli.study.spark_session", running)
    result = CliRunner().invoke(build(), ["study", "matchmaker", "--out", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    rows = list(from_csv((tmp_path / "matchmaker.csv").read_text()))
    assert rows == [row for cell in tiny.cells() for row in measure(cell)]
    assert "Figure 13" in (tmp_path / "matchmaker.html").read_text()
    assert "What the paper prints, and ours" in result.stdout
    assert "ties by chance" in result.stdout
