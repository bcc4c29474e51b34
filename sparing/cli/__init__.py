"""The command line: `build` lists the commands, one file each.

`console` and `files` are shared by commands, `plugins` finds commands of other distributions, `reference` generates
docs/cli.md.
"""

from __future__ import annotations

import sys

import typer

from sparing.cli.console import say_error
from sparing.cli.plugins import Commands
from sparing.model.errors import SparingError


def build() -> typer.Typer:
    """Return the application with its commands; plug-ins add theirs."""
    from sparing.cli.demo import demo
    from sparing.cli.explain import explain
    from sparing.cli.generate import generate
    from sparing.cli.inspect import inspect
    from sparing.cli.plan import plan
    from sparing.cli.quarantine import quarantine
    from sparing.cli.repair import repair
    from sparing.cli.replay import replay
    from sparing.cli.run import run

    app = typer.Typer(
        cls=Commands,
        help="Content-based publish/subscribe on Apache Spark with as few messages as possible.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",  # reflows paragraphs
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in (demo, run, replay, plan, explain, inspect, repair, generate):
        app.command()(command)
    app.add_typer(quarantine, name="quarantine")

    @app.callback(invoke_without_command=True)
    def options(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
        if version:
            from sparing import __version__

            typer.echo(f"sparing {__version__}")
            raise typer.Exit

    return app


def main() -> None:
    """Run the command line; user errors are printed as one sentence, without a traceback."""
    try:
        build()()
    except SparingError as error:
        say_error(error)
        sys.exit(1)
    except KeyboardInterrupt:
        say_error("stopped")
        sys.exit(130)
