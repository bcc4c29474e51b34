"""`sparing bench`: benchmarks against peers in the same run, a command for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import partial
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperGroup

from sparing.cli.console import err, out, spark_session
from sparing.cli.files import check_outputs, write_json, write_text
from sparing.model.errors import SparingError
from sparing_lab.bench.benchmark import Benchmark, Run

BENCHMARKS = {
    "pipeline": "pipeline.benchmark:Pipeline",
    "match": "matching.benchmark:Match",
    "stage": "stage.benchmark:Stage",
    "decide": "deciding.benchmark:Decide",
    "cover": "covering.benchmark:Cover",
    "matchmaker": "matchmaker.benchmark:Matchmaker",
    "fold": "fold.benchmark:Fold",
    "events": "events.benchmark:Events",
    "restart": "restart:Restart",
    "faults": "faults.benchmark:Faults",
    "savings": "savings.benchmark:Savings",
}
NUMBERS = 10  # characters; columns of longer cells may be folded
FILES = {
    "json": typer.Option(None, "--json", help="Write the results to a file as JSON.", metavar="OUT"),
    "markdown": typer.Option(None, "--markdown", help="Write the results to a file as Markdown.", metavar="OUT"),
}
LISTS = {int: "whole numbers such as 500,5000", float: "numbers such as 1,1.5,6"}


def benchmark(name: str) -> type[Benchmark]:
    """The benchmark of a name."""
    module, _, kind = BENCHMARKS[name].partition(":")
    found: type[Benchmark] = getattr(import_module(f"sparing_lab.bench.{module}"), kind)
    return found


class Benchmarks(TyperGroup):
    """Imports a benchmark on first use, and lists all names for an unknown one."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """All names."""
        return list(BENCHMARKS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """The command of a benchmark."""
        if cmd_name not in BENCHMARKS:
            raise SparingError(f"There is no benchmark {cmd_name!r}: choose from {', '.join(BENCHMARKS)}.")
        made = typer.Typer(add_completion=False, rich_markup_mode="markdown")
        made.command(cmd_name)(command(benchmark(cmd_name)))
        found = typer.main.get_command(made)
        found.name = cmd_name
        return found


app = typer.Typer(cls=Benchmarks, no_args_is_help=True, rich_markup_mode="markdown")


@app.callback()
def bench() -> None:
    """Measure Sparing and what people would use instead, side by side.

    Example: sparing bench match --subscriptions 1000,10000 --shapes a,b --json match.json
    """


def command(kind: type[Benchmark]) -> Callable[..., None]:
    """A command whose options are the fields of a benchmark, and files for its results."""
    types = get_type_hints(kind)
    options = {one.name: one for one in fields(kind)}

    def run(**given: Any) -> None:
        json_file, markdown = (given.pop(name) for name in FILES)
        made = kind(**{name: _read(options[name], types[name], value) for name, value in given.items()})
        check_outputs(json_file, markdown, *(value for value in given.values() if isinstance(value, Path)))
        spark = partial(spark_session, given.get("master", ""), given.get("conf", ()))
        results = made.measure(Run(tell, spark))
        if json_file is not None:  # files first: the results were long in the making
            write_json(json_file, made.json(results))
        if markdown is not None:
            write_text(markdown, made.markdown(results))
        show(made, results)
        made.conclude(results)

    hints = {name: _type(one, types[name]) for name, one in options.items()} | dict.fromkeys(FILES, Path | None)
    defaults = {name: _option(one, types[name]) for name, one in options.items()} | FILES
    parameters = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hint) for name, hint in hints.items()
    ]
    run.__doc__, run.__annotations__ = kind.__doc__, hints
    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return run


def show(made: Benchmark, results: Any) -> None:
    """Results as tables in the terminal."""
    from sparing.report.tables import figures_table

    for table in made.tables(results):
        if table.rows:
            names = tuple(table.columns)
            out.print(figures_table(table.title, names, table.cells(), table.words, NUMBERS, table.caption))


def tell(what: str) -> None:
    """A line of progress."""
    err.print(what, style="dim", markup=False, highlight=False)


def _is_list(one: Field[Any], kind: Any) -> bool:
    return get_origin(kind) is tuple and not one.metadata.get("repeated")


def _type(one: Field[Any], kind: Any) -> Any:
    """The type of an option: lists are texts with commas."""
    if one.metadata.get("repeated"):
        return list[str]
    return str if _is_list(one, kind) else kind


def _option(one: Field[Any], kind: Any) -> Any:
    look = {name: value for name, value in one.metadata.items() if name != "repeated"}
    assert one.default is not MISSING
    default = one.default
    if _is_list(one, kind):
        default = ",".join(f"{value:g}" if isinstance(value, float) else str(value) for value in default)
        look = {"metavar": "N,..."} | look
    elif one.metadata.get("repeated"):
        default = list(default)
    names = [] if kind is bool else [f"--{one.name.replace('_', '-')}"]
    return typer.Option(default, *names, **look)


def _read(one: Field[Any], kind: Any, value: Any) -> Any:
    """The value of a field from that of its option."""
    if not _is_list(one, kind):
        return tuple(value) if isinstance(value, list) else value
    if not value and not one.default:
        return ()
    (part, *_) = get_args(kind)
    words = [word.strip() for word in value.split(",")]
    if part is str:
        return tuple(word for word in words if word)
    try:
        return tuple(part(word) for word in words)
    except ValueError:
        option = one.name.replace("_", "-")
        raise SparingError(f"--{option} {value!r} is not a list of {LISTS[part]}.") from None
