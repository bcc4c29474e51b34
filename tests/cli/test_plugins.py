"""Commands of other distributions, and their absence."""

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint, EntryPoints

import pytest
import typer
from typer.testing import CliRunner

from sparing.cli import build, plugins
from sparing.model.errors import SparingError
from tests.docs.pages import ROOT


@pytest.fixture
def alone(monkeypatch):
    """No plug-in is installed."""
    monkeypatch.setattr(plugins, "entry_points", lambda **_: EntryPoints())


def test_help_without_the_laboratory_lists_the_commands_of_sparing_only(alone):
    output = CliRunner().invoke(build(), ["--help"], env={"COLUMNS": "200"}).output
    assert "generate" in output
    assert "bench" not in output
    assert "study" not in output


@pytest.mark.parametrize("command", ["study", "bench"])
def test_a_command_of_the_missing_laboratory_says_what_to_install(alone, command):
    result = CliRunner().invoke(build(), [command, "match"])
    assert isinstance(result.exception, SparingError)
    assert "pip install sparing-lab" in str(result.exception)


def test_an_unknown_command_is_rejected(alone):
    assert CliRunner().invoke(build(), ["benches"]).exit_code == 2


def test_plug_ins_do_not_replace_commands(monkeypatch):
    entry = EntryPoint("run", "nowhere:app", plugins.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda **_: EntryPoints([entry]))
    group = typer.main.get_command(build())
    assert group.list_commands(None).count("run") == 1
    assert group.get_command(None, "run") is group.commands["run"]


def test_commands_of_sparing_do_not_import_the_laboratory():
    program = """if True:
        import sys
        from sparing.cli import main
        sys.argv = ["sparing", "plan", "--help"]
        try:
            main()
        finally:
            assert not [name for name in sys.modules if name.startswith("sparing_lab")]
    """
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, timeout=120)


def test_the_wheel_does_not_contain_the_laboratory():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["sparing"]
    assert not {path.name for path in (ROOT / "sparing").iterdir()} & {"study", "bench"}
    needed = " ".join(project["project"]["dependencies"])
    assert not [name for name in ("duckdb", "polars", "networkx", "sparing-lab") if name in needed]
