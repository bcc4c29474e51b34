"""The README's first deployment does what the README says, on the command line and from Python."""

from contextlib import contextmanager

import pytest
import typer
from typer.testing import CliRunner

from sparing.cli import build
from sparing.flow.links import POLICIES
from tests.docs.pages import blocks, only, table, text_of

PAGE = "README.md"
REPLAY = "sparing replay cars.yaml --decision adock,subscriber-edge"


@pytest.fixture
def cars(tmp_path):
    """The folder that a reader has after copying the example."""
    (tmp_path / "cars.yaml").write_text(only(PAGE, "yaml"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "traffic.json").write_text(only(PAGE, "json"))
    return tmp_path


def figures(text):
    """The rows of a bill: label and numbers, however they are laid out."""
    rows = [line.rsplit(maxsplit=2) for line in text.splitlines() if line.strip() and "─" not in line]
    return [tuple(part.strip() for part in row) for row in rows]


def test_the_table_of_commands_has_them_all():
    named = {row["command"].strip("`").split()[1] for row in table(PAGE, "command", "what it does")}
    assert named == set(typer.main.get_command(build()).commands)


def test_the_replay_is_the_one_on_the_page():
    assert REPLAY in text_of(PAGE)
    assert set(REPLAY.rsplit(maxsplit=1)[-1].split(",")) <= set(POLICIES)


@pytest.mark.spark
def test_the_replay_prints_the_bill(cars, spark, monkeypatch):
    @contextmanager
    def running(*_):
        yield spark

    monkeypatch.setattr("sparing.cli.replay.spark_session", running)
    arguments = [*REPLAY.replace("cars.yaml", str(cars / "cars.yaml")).split()[1:]]
    result = CliRunner().invoke(build(), arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    printed = figures(result.stdout)
    for row in figures(blocks(PAGE, "text")[1].text):
        assert row in printed
    kinds = spark.read.parquet(str(cars / "out" / "replay" / "notifications")).groupBy("kind").count().collect()
    assert {row["kind"]: row["count"] for row in kinds} == {"event": 1, "window": 2}
    (row,) = spark.read.parquet(str(cars / "out" / "replay" / "quarantine")).collect()
    assert row["reason"] == "outside the advertisement"


@pytest.mark.spark
def test_the_python_example_runs(cars, spark, capsys):
    example = blocks(PAGE, "python")[0].text
    for path in ("cars.yaml", "data/"):  # Spark's own working folder is another one
        assert f'"{path}"' in example
        example = example.replace(f'"{path}"', repr(str(cars / path)))
    names = {"spark": spark}
    exec(compile(example, PAGE, "exec"), names)
    delivered = names["delivered"]
    assert delivered.notifications.count() == 3
    bill = delivered.bill.where("kind IN ('publication', 'result')").collect()
    assert sum(row["messages"] for row in bill) == 6
    assert delivered.quarantine.count() == 1
    assert "outside the advertisement" in capsys.readouterr().out
    delivered.forget()


def test_the_index_does_what_its_comments_say(capsys):
    names = {}
    example = blocks(PAGE, "python")[1].text.replace("index.match(batch)", "found = index.match(batch)")
    exec(compile(example, PAGE, "exec"), names)
    assert sorted(names["found"].to_pylist(), key=str) == [
        {"event": 0, "subscription": "acme"},
        {"event": 0, "subscription": "cheap"},
    ]
    assert "price is 30.0D" in capsys.readouterr().out
    assert names["index"].match(names["batch"]).ids == ["acme", "init"]
