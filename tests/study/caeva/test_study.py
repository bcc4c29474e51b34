"""The study as the command line runs it: cells as Spark tasks, files, tables."""

from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.study.caeva import grid
from sparing.study.caeva.measure import measure
from sparing.study.caeva.row import from_csv

TINY = tuple(grid.Point(grid.Kind.FIGURE_3, brokers=9, publishers=count) for count in (2, 3))


@pytest.mark.spark
def test_the_command_writes_the_page_and_the_table(spark, monkeypatch, tmp_path):
    @contextmanager
    def running(*_):
        yield spark

    cells = [grid.Cell(point, 3, 0) for point in TINY]
    monkeypatch.setattr(grid.Scale, "cells", lambda _: cells)
    monkeypatch.setattr("sparing.cli.study.spark_session", running)
    result = CliRunner().invoke(build(), ["study", "caeva", "--out", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    rows = list(from_csv((tmp_path / "caeva.csv").read_text()))
    assert rows == [row for cell in cells for row in measure(cell)]
    assert "Figure 4" in (tmp_path / "caeva.html").read_text()
    assert "What the paper prints, and ours" in result.stdout
