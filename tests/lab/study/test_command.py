"""The studies as the command line runs them: cells as Spark tasks, files, tables, JSON, an earlier run's files."""

import json
import re
from contextlib import contextmanager

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from sparing_lab.commands.study import NAMES
from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.verdicts import Verdict
from tests.lab.study.studies import made_up, module, report_of

EDGES = "# mine\n5 1\n5 2\n5 3\n1 4\n1 6\n1 7\n"


def run(*arguments):
    return CliRunner().invoke(build(), ["study", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.mark.spark
def test_cells_are_measured_on_spark(spark, monkeypatch, tmp_path):
    @contextmanager
    def running(*_):
        yield spark

    study, grid = module("matchmaker", "study").STUDY, module("matchmaker", "grid")
    tiny = grid.MatchmakerScale("small", samples=2, counts=(5, 10))
    monkeypatch.setitem(grid.SCALES, "small", tiny)
    monkeypatch.setattr("sparing_lab.commands.study.spark_session", running)
    result = run("matchmaker", "--out", tmp_path)
    assert result.exit_code == 0, result.exception
    rows = study.row.from_csv((tmp_path / "matchmaker.csv").read_text())
    assert rows == [row for cell in tiny.cells() for row in study.measure(cell)]
    assert "Figure 13" in (tmp_path / "matchmaker.html").read_text()
    assert "Claims and measurements" in result.stdout
    assert "ties by chance" in result.stdout


@pytest.fixture
def here(monkeypatch):
    """Cells are measured in this process, and nothing is drawn."""

    @contextmanager
    def running(*_):
        yield None

    def run_cells(_, work, cells, tell):
        tell(len(cells))
        return [work(cell) for cell in cells]

    monkeypatch.setattr("sparing_lab.commands.study.spark_session", running)
    monkeypatch.setattr("sparing_lab.commands.cells.run_cells", run_cells)
    monkeypatch.setattr("sparing_lab.study.exhibits.svg", lambda *_: "<svg></svg>")


def test_an_edge_list_replaces_the_real_case(here, monkeypatch, tmp_path):
    grid, study = module("mefa", "grid"), module("mefa", "study").STUDY
    tiny = grid.MefaScale("small", samples=1, small_samples=1, trees=((46, 20),), averages=(35,))
    monkeypatch.setitem(grid.SCALES, "small", tiny)
    monkeypatch.setattr(grid.MefaScale, "points", [])
    (tmp_path / "mine.txt").write_text(EDGES)
    result = run("mefa", "--out", tmp_path, "--edges", tmp_path / "mine.txt")
    assert result.exit_code == 0, result.exception
    rows = study.row.from_csv((tmp_path / "mefa.csv").read_text())
    assert rows == [row for cell in tiny.cells(facebook_tree(tmp_path / "mine.txt")) for row in study.measure(cell)]
    assert {(row.point.nodes, row.point.subscribers) for row in rows} == {(7, 5)}
    assert "5 of 7" in result.stdout


def test_json_has_rows_and_verdicts(here, monkeypatch, tmp_path):
    grid, study = module("caeva", "grid"), module("caeva", "study").STUDY
    cells = [
        grid.CaevaSample(grid.CaevaPoint(grid.CaevaExperiment.FIGURE_3, brokers=9, publishers=count), 3, 0)
        for count in (2, 3)
    ]
    monkeypatch.setattr(grid.CaevaScale, "cells", lambda _: cells)
    result = run("caeva", "--out", tmp_path, "--json")
    assert result.exit_code == 0, result.exception
    told = json.loads(result.stdout)
    rows = study.row.from_csv((tmp_path / "caeva.csv").read_text())
    assert rows == [row for cell in cells for row in study.measure(cell)]
    assert told["scale"] == "small"
    assert list(map(study.row.of, told["rows"])) == rows
    assert told["comparisons"][0]["printed"] == "up to 80%"
    assert {one["verdict"] for one in told["comparisons"]} <= set(Verdict)


def test_pages_of_all_studies_are_written_from_an_earlier_run(monkeypatch, tmp_path):
    for name in NAMES:
        found = made_up(name)
        report_of(monkeypatch, name, [])  # makes the scale of the made-up measurements the small one
        (tmp_path / f"{name}.csv").write_text(module(name, "study").STUDY.row.to_csv(found.rows))
    result = run("all", "--from", tmp_path, "--out", tmp_path / "out", "--markdown", tmp_path / "all.md")
    assert result.exit_code == 0, result.exception
    assert {path.name for path in (tmp_path / "out").iterdir()} == {f"{name}.html" for name in (*NAMES, "all")}
    page, text = (tmp_path / "out" / "all.html").read_text(), (tmp_path / "all.md").read_text()
    for name in NAMES:
        assert f'<h1 id="{name}">' in page
        assert f"\n## {name}\n" in text
    assert f"sparing study all --scale small --markdown {tmp_path / 'all.md'}\n" in text
    assert "Claims by paper and verdict" in result.stdout


def test_each_study_of_an_earlier_run_has_its_own_scale(here, monkeypatch, tmp_path):
    asked = {}
    for name in NAMES:
        report_of(monkeypatch, name, [])
        study = module(name, "study").STUDY
        monkeypatch.setitem(study.__dict__, "cells", lambda scale, name=name: asked.setdefault(name, scale) and [])
    result = run("all", "--paper", "topk", "--out", tmp_path, "--markdown", tmp_path / "all.md")
    assert result.exit_code == 0, result.exception
    assert asked == dict.fromkeys(NAMES, "small") | {"topk": "paper"}
    assert "sparing study all --scale small --paper topk --markdown" in (tmp_path / "all.md").read_text()
    assert "Scale paper: 15 sets" in (tmp_path / "all.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "There is no study 'nothing': choose from mna, topk, matchmaker, mefa, caeva, all."),
        (["topk", "--edges", "mine.txt"], "The study topk takes no edge list: --edges is for mefa."),
        (["mefa", "--edges", "mine.txt"], "Line 1 of .*"),
        (["topk", "--markdown", "x.md"], "--paper and --markdown are for all studies together: sparing study all."),
        (["all", "--paper", "bat"], "There is no study 'bat' to measure at the paper's scale: it is mna, .*"),
        (["all", "--markdown", "no/x.md"], "no/x.md cannot be written: the folder no does not exist."),
        (["topk", "--out", "topk.csv"], "topk.csv cannot be written: File exists."),
        (["mna", "--out", "taken"], "taken/mna.html cannot be written: it is a folder."),
        (["mna", "--from", "."], "mna.csv cannot be read: No such file or directory. Run sparing study mna first."),
        (["topk", "--from", "."], "topk.csv is not what sparing study topk writes: run it again."),
    ],
)
def test_invalid_arguments_are_rejected_in_one_sentence(monkeypatch, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.txt").write_text("1\n")
    (tmp_path / "topk.csv").write_text("a,b\n1,2\n")
    (tmp_path / "taken" / "mna.html").mkdir(parents=True)
    result = run(*arguments)
    assert isinstance(result.exception, SparingError)
    assert re.fullmatch(said, str(result.exception))
