import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sparing.cli import build
from sparing.deployment.deployment import Deployment
from sparing.model.errors import SparingError
from tests.messages import missing, says

SMALL = ["--rate", "20", "--duration", "20", "--subscriptions", "12"]


def run(*arguments: str | Path):
    return CliRunner().invoke(build(), ["generate", *map(str, arguments)])


def refusal(*arguments: str | Path):
    """The sentence in which a command is refused, and all that it said."""
    result = run(*arguments)
    assert isinstance(result.exception, SparingError)
    return str(result.exception), result


@pytest.mark.parametrize("workload", ["stock", "traffic", "incidents", "boxes", "alerts", "city"])
def test_the_output_names_the_next_command(workload, tmp_path):
    result = run(workload, tmp_path / "out", *SMALL)
    assert result.exit_code == 0, result.output
    assert says(result.stdout, "400 8")
    assert says(result.stdout, "12 subscriptions")
    assert f"sparing replay {tmp_path / 'out' / 'deployment.yaml'}" in result.stdout
    assert len(Deployment.read(tmp_path / "out" / "deployment.yaml").subscriptions) == 12


def test_all_options_reach_the_workload(tmp_path):
    common = [
        "--seed",
        "3",
        "--start",
        "2026-05-01T08:00:00-04:00",
        "--ratio",
        "1:1",
        "--sliding",
        "1",
        "--columns",
        "1",
    ]
    common += ["--window", "20", "--slide", "2.5", "--missing", "0.1", "--disorder", "12", "--bad", "0.05"]
    own = ["--dimensions", "3", "--constrained", "1", "--width", "0.1:0.2", "--files", "2", "--json"]
    result = run("boxes", tmp_path, *SMALL, *common, *own)
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert (said["publications"], said["subscriptions"], sum(said["bad"].values())) == (400, 12, 20)
    assert len(said["parts"]) == 2
    assert 0.1 < said["selectivity"] < 0.2
    text = (tmp_path / "deployment.yaml").read_text()
    assert text.count("window(ts, '20 seconds', '2500 milliseconds')") == 6
    assert text.count("SELECT x1") == 6
    assert "x3: double" in text
    assert "watermark: 13 seconds" in text
    assert '"ts":"2026-05-01T12:00:0' in Path(said["parts"][0]).read_text()


def test_incidents_have_their_own_options(tmp_path):
    result = run("incidents", tmp_path, *SMALL, "--reports", "2", "--span", "5", "--cycles", "1", "--format", "parquet")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "deployment.yaml").read_text().count("EVERY '30 seconds'") == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["stock", "--rate", "0"], "0"),
        (["stock", "--ratio", "1-2"], "1-2"),
        (["stock", "--ratio", "0:0"], "0:0"),
        (["stock", "--selectivity", "0.9"], "0.9"),
        (["stock", "--start", "noon"], "--start noon 2026-01-01T08:00:05Z"),
        (["stock", "--start", "0001-01-01T00:00:00+14:00"], "0001-01-01T00:00:00+14:00 1 9999 UTC"),
        (["stock", "--dimensions", "3"], "--dimensions boxes"),
        (["stock", "--bad", "0.1", "--format", "parquet"], "JSON"),
        (["stock", "--files", "0"], "0 1"),
        (["boxes", "--width", "wide"], "wide"),
        (["boxes", "--width", "0.6:0.3"], "0.6:0.3"),
        (["boxes", "--dimensions", "0"], "0 1"),
        (["boxes", "--constrained", "3"], "3"),
        (["boxes", "--top-k", "0"], "0"),
        (["stock", "--top-k", "3"], "--top-k boxes"),
        (["alerts", "--devices", "0"], "devices 0"),
        (["alerts", "--churn", "2"], "2 0 1"),
        (["alerts", "--selectivity", "0.1"], "devices"),
        (["incidents", "--reports", "0.5"], "0.5 1"),
        (["incidents", "--span", "0"], "0"),
        (["incidents", "--cycles", "2"], "2 0 1"),
        (["incidents", "--selectivity", "0.9"], "0.9"),
    ],
)
def test_invalid_options_are_rejected_in_one_sentence(arguments, message, tmp_path):
    workload, *options = arguments
    said, result = refusal(workload, tmp_path / "out", *options)
    assert missing(said, message) == []
    assert said.endswith(".")
    assert "\n" not in said
    assert result.stdout == ""


def test_a_folder_in_use_needs_force(tmp_path):
    (tmp_path / "mine").write_text("keep")
    assert missing(refusal("boxes", tmp_path, *SMALL)[0], f"{tmp_path} --force") == []
    assert run("boxes", tmp_path, *SMALL, "--force").exit_code == 0
    assert (tmp_path / "mine").read_text() == "keep"
    assert missing(refusal("boxes", tmp_path / "mine", *SMALL)[0], str(tmp_path / "mine")) == []
    below = tmp_path / "mine" / "out"
    assert missing(refusal("boxes", below, *SMALL)[0], str(below)) == []


def test_help_shows_an_example():
    assert "Example: sparing generate stock" in run("--help").stdout
