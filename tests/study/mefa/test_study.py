"""The study as the command line runs it: cells as Spark tasks, files, tables, a user's own edge list."""

import re
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from sparing.study.mefa import grid
from sparing.study.mefa.facebook import facebook_tree
from sparing.study.mefa.measure import measure
from sparing.study.mefa.row import from_csv

EDGES = "# mine\n5 1\n5 2\n5 3\n1 4\n1 6\n1 7\n"


@pytest.mark.spark
def test_the_command_writes_the_page_and_the_table(spark, monkeypatch, tmp_path):
    @contextmanager
    def running(*_):
        yield spark

    tiny = grid.Scale("small", samples=1, small_samples=1, trees=((46, 20),), averages=(35,))
    monkeypatch.setitem(grid.SCALES, "small", tiny)
    monkeypatch.setattr(grid, "USUAL_TREE", (46, 20))
    monkeypatch.setattr("sparing.cli.study.spark_session", running)
    (tmp_path / "mine.txt").write_text(EDGES)
    asked = ["study", "mefa", "--out", str(tmp_path), "--edges", str(tmp_path / "mine.txt")]
    result = CliRunner().invoke(build(), asked, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.exception
    rows = list(from_csv((tmp_path / "mefa.csv").read_text()))
    cells = tiny.cells(facebook_tree(tmp_path / "mine.txt"))
    assert rows == [row for cell in cells for row in measure(cell)]
    assert {(row.nodes, row.subscribers) for row in rows if row.kind == "facebook"} == {(7, 5)}
    assert "DO and DS trees" in (tmp_path / "mefa.html").read_text()
    assert "What the slides say, and ours" in result.stdout
    assert "5 of 7" in result.stdout


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("topk", EDGES, "The study topk takes no edge list: --edges is for mefa."), ("mefa", "1\n", "Line 1 of .*")],
)
def test_a_wrong_edge_list_is_one_sentence(tmp_path, name, text, said):
    (tmp_path / "mine.txt").write_text(text)
    result = CliRunner().invoke(build(), ["study", name, "--edges", str(tmp_path / "mine.txt"), "--out", str(tmp_path)])
    assert isinstance(result.exception, SparingError)
    assert re.match(said, str(result.exception))
