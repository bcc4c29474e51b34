"""The command line: help, user errors, exit status."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from threading import Event

import pytest
import yaml
from typer.testing import CliRunner

from sparing.cli import build, main
from sparing.cli.console import interruptible
from sparing.cli.replay import bill_json
from sparing.deployment.deployment import Deployment
from sparing.spark.run import replay
from tests.conftest import SHORT_LIVED
from tests.messages import missing, says
from tests.spark import files, world
from tests.tries import thorough_only

COMMANDS = ("demo", "run", "replay", "plan", "explain", "inspect", "repair", "quarantine", "generate", "bench", "study")
BENCHMARKS = (
    "pipeline",
    "match",
    "stage",
    "decide",
    "cover",
    "matchmaker",
    "fold",
    "events",
    "restart",
    "faults",
    "savings",
)


def sparing(*arguments: str) -> subprocess.CompletedProcess:
    """The command as a process of its own: what reaches the terminal, and the exit status."""
    command = [sys.executable, "-c", "from sparing.cli import main; main()", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={"COLUMNS": "200", **_environment()}
    )


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if key != "COLUMNS"}


def told_for(arguments: list[str], monkeypatch, capsys) -> str:
    """What a command that fails says on standard error; it runs in this process, so no traceback can hide."""
    monkeypatch.setattr(sys, "argv", ["sparing", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    return capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    result = CliRunner().invoke(build(), [command, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert f"Example: sparing {command}" in result.output


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_has_help_with_an_example(name):
    result = CliRunner().invoke(build(), ["bench", name, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    assert f"Example: sparing bench {name}" in result.output


def test_without_a_name_the_benchmarks_are_listed():
    output = CliRunner().invoke(build(), ["bench"], env={"COLUMNS": "200"}).output
    assert "Usage" in output
    assert all(name in output for name in BENCHMARKS)


def test_an_option_of_another_benchmark_is_rejected():
    result = CliRunner().invoke(build(), ["bench", "match", "--master", "local[2]"])
    assert result.exit_code == 2
    assert "No such option: --master" in result.output


def test_without_arguments_the_commands_are_listed():
    output = CliRunner().invoke(build(), [], env={"COLUMNS": "200"}).output
    assert all(command in output for command in COMMANDS)


MISTAKES = {
    "no such file": (["replay", "nowhere.yaml"], "nowhere.yaml"),
    "no such policy": (
        ["replay", "{file}", "--decision", "oracle"],
        "oracle adock patience wad wad-live bat static publisher-edge",
    ),
    "a misspelt policy": (
        ["replay", "{file}", "--decision", "wad,adok"],
        "adok adock",
    ),
    "no source": (
        ["replay", "{file}"],
        "world source format path",
    ),
    "no such benchmark": (
        ["bench", "speed"],
        f"speed {' '.join(BENCHMARKS)}",
    ),
    "sizes that are no numbers": (
        ["bench", "pipeline", "--subscriptions", "many"],
        "many",
    ),
    "nothing to explain": (
        ["explain", "{file}"],
        "--subscription --publication --event",
    ),
    "a publication has no window": (
        ["explain", "{file}", "--publication", "p", "--at", "2026-01-01"],
        "--at --decision --publication",
    ),
    "no such way of merging": (
        ["replay", "{file}", "--events", "caeva,sienna"],
        "sienna siena",
    ),
    "two comparisons at once": (
        ["replay", "{file}", "--events", "caeva,siena", "--decision", "adock,wad"],
        "--events",
    ),
    "an event is no publication": (
        ["explain", "{file}", "--event", "k", "--publication", "p"],
        "--event --subscription --at",
    ),
    "an event has no link policy": (
        ["explain", "{file}", "--event", "k", "--decision", "wad"],
        "--event --subscription --at",
    ),
    "an event at no time": (
        ["explain", "{file}", "--event", "k", "--at", "noon"],
        "--at noon 2026-01-01T08:00:05Z",
    ),
    "a time before all times": (
        ["plan", "{file}", "--at", "0001-01-01T00:00:00+14:00"],
        "--at 0001-01-01T00:00:00+14:00 1 9999 UTC",
    ),
    "a time after all times": (
        ["explain", "{file}", "--subscription", "s", "--at", "9999-12-31T23:59:59-14:00"],
        "--at 9999-12-31T23:59:59-14:00 1 9999 UTC",
    ),
    "a page in place of a folder": (
        ["replay", "{source}", "--report", "{here}"],
        "{here} folder",
    ),
    "a plan in place of a folder": (
        ["plan", "{file}", "--json", "{here}"],
        "{here} folder",
    ),
    "a checkpoint told in no folder": (
        ["inspect", "{folder}", "--json", "{folder}/no/state.json"],
        "{folder}/no/state.json {folder}/no",
    ),
    "a city below a file": (["demo", "--folder", "{file}/city"], "{file}/city"),
    "no time": (["plan", "{file}", "--at", "noon"], "--at noon 2026-01-01T08:00:05Z"),
    "a setting without a value": (
        ["demo", "--folder", "{folder}", "--conf", "spark.ui.port"],
        "spark.ui.port KEY=VALUE",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_user_error_is_one_message_with_exit_status_1(mistake, tmp_path, monkeypatch, capsys):
    arguments, parts = MISTAKES[mistake]
    file = tmp_path / "deployment.yaml"
    file.write_text(yaml.safe_dump(world.description([])))
    source = tmp_path / "source.yaml"
    source.write_text(yaml.safe_dump(world.description([]) | {"source": {"format": "json", "path": "data"}}))
    names = {"file": file, "source": source, "folder": tmp_path / "city", "here": tmp_path}
    told = told_for([argument.format(**names) for argument in arguments], monkeypatch, capsys)
    before, message = told.split("Error: ")
    assert "Spark" not in before, "it is not even started"
    assert missing(message, parts.format(**names)) == []


def test_a_user_error_has_no_traceback_in_the_terminal():
    told = sparing("replay", "nowhere.yaml")
    assert told.returncode == 1
    assert told.stdout == ""
    (line,) = told.stderr.splitlines()
    assert line.startswith("Error: nowhere.yaml: ")


def test_the_demo_does_not_replace_other_files(tmp_path, monkeypatch, capsys):
    (tmp_path / "letters.txt").write_text("dear")
    told = told_for(["demo", "--folder", str(tmp_path)], monkeypatch, capsys)
    assert says(told, f"{tmp_path} --folder")
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_missing_java_is_one_message(tmp_path):
    command = [sys.executable, "-c", "from sparing.cli import main; main()", "demo", "--folder", str(tmp_path / "city")]
    told = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": str(tmp_path), "COLUMNS": "200"}
    )
    assert told.returncode == 1
    assert says(told.stderr, "Java 17")
    assert "Traceback" not in told.stderr


@thorough_only
@pytest.mark.spark
def test_worker_processes_give_the_same_bill(spark, tmp_path):
    """`local-cluster` has a worker of its own, to which plan and code must really travel."""
    files.write_trace(tmp_path / "data", world.publications(3, 200), files=2)
    path = files.write_deployment(tmp_path, world.subscriptions(3, 12))
    bill = tmp_path / "bill.json"
    lived = [f"--conf={key}={value}" for key, value in SHORT_LIVED.items()]
    told = sparing("replay", str(path), "--master", "local-cluster[1,1,1024]", "--json", str(bill), *lived)
    assert told.returncode == 0, told.stderr
    found = json.loads(bill.read_text())["adock"]
    ours = replay(spark, Deployment.read(path), bound=True)
    ours.delivered.forget()
    expected = bill_json(ours, ours.least, None)
    assert min(found.pop("cpu_seconds"), expected.pop("cpu_seconds")) > 0  # not the same in any two runs
    assert found == expected
    assert found["by_kind"].keys() == {
        *("advertisement", "subscription", "channel", "coordination"),
        *("publication", "result", "notification"),
    }
    assert found["between_brokers"] == found["by_kind"]["publication"] + found["by_kind"]["result"]
    assert 0 < found["least_possible"] <= found["between_brokers"]


def test_ctrl_c_requests_a_graceful_stop():
    before = signal.getsignal(signal.SIGINT)
    stop = Event()
    with interruptible(stop):
        assert not stop.is_set()
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
