"""`sparing study`: a paper's tables and figures, measured again on Spark, beside the numbers that it prints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, err, out, say, spark_session, step
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.table import Table

    from sparing.study.study import Shown, Study, Titled

NAMES = ("mna", "topk", "matchmaker", "mefa", "caeva")  # each is a package of `sparing.study` with a module `study`
ALL = "all"
EDGES = "mefa"  # the study that can take a user's edge list
WORDS = 20  # characters, from which on a cell may be folded


class Size(StrEnum):
    """How much is measured."""

    SMALL = "small"
    PAPER = "paper"


def study(
    name: str = typer.Argument(
        ..., help=f"Which one: {', '.join(NAMES)}, or {ALL}.", metavar="NAME", show_default=False
    ),
    scale: Size = typer.Option(
        Size.SMALL, "--scale", help="A few points and short traces (a minute or two), or all that the paper measured."
    ),
    folder: Path = typer.Option(Path("out/study"), "--out", help="Where to put the page and the table.", metavar="DIR"),
    edges: Path | None = typer.Option(
        None, "--edges", help="For mefa: an edge list of SNAP to take the real case's tree from.", metavar="FILE"
    ),
    json_: bool = typer.Option(False, "--json", help="Print everything as JSON instead of tables."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Measure a paper's experiments again: every experiment is a Spark task.

    Writes NAME.html, with all tables and figures beside the numbers that the paper prints, and NAME.csv with every
    measurement.

    Example: sparing study topk --scale small --out studies
    """
    from sparing.report.plots import need_matplotlib

    if name not in (*NAMES, ALL):
        raise SparingError(f"There is no study {name!r}: choose from {', '.join((*NAMES, ALL))}.")
    if edges and name not in (EDGES, ALL):
        raise SparingError(f"The study {name} takes no edge list: --edges is for {EDGES}.")
    need_matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SparingError(f"{folder} cannot be made a folder: {error.strerror}.") from None
    studies = [_study(one, edges) for one in (NAMES if name == ALL else (name,))]
    with spark_session(master, conf) as spark:
        told = {one.name: _run(spark, one, scale, folder, quiet=json_) for one in studies}
    if json_:
        say(json.dumps(told if name == ALL else told[name], indent=1))


def _study(name: str, edges: Path | None) -> Study:
    module = import_module(f"sparing.study.{name}.study")
    found: Study = module.on_edges(edges) if edges and name == EDGES else module.STUDY
    return found


def _run(spark: SparkSession, study: Study, scale: Size, folder: Path, quiet: bool) -> dict[str, Any]:
    """Measure a study, write its files, print its tables unless that is left to JSON, and give what is in that."""
    from sparing.spark.cells import run_cells

    cells = study.cells(scale.value)
    with _measuring(len(cells)) as tell:
        rows = [row for some in run_cells(spark, study.measure, cells, tell) for row in some]
    with step("Drawing the figures"):
        shown = study.show(scale.value, rows)
    paths = []
    for ending, text in shown.files.items():
        paths.append(folder / f"{study.name}.{ending}")
        _write(paths[-1], text)
    files = [str(path) for path in paths]
    if not quiet:
        _print(shown)
        say(f"Page and measurements: {', '.join(files)}.")
    return {"scale": scale.value, "files": files, **shown.json}


def _print(shown: Shown) -> None:
    for titled in shown.tables:
        out.print(_table(titled))
    for sentence in shown.sentences:
        say(sentence)


@contextmanager
def _measuring(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal, lines elsewhere; then how long it took."""
    from rich.progress import Progress

    begun = time.perf_counter()
    told = 0

    def tell(done: int) -> None:
        nonlocal told
        if done > told:
            told = done
            bar.update(task, completed=done)
            if not err.is_terminal:
                err.print(f"{done} of {total} experiments", highlight=False)

    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Measuring", total=total)
        yield tell
    seconds = time.perf_counter() - begun
    err.print(f"[green]✓[/] Measured {total} experiments [dim]({seconds:.1f} s)[/]", highlight=False)


def _table(titled: Titled) -> Table:
    from rich import box
    from rich.table import Table

    names, rows = titled.table
    table = Table(box=box.SIMPLE_HEAD, title=titled.title, title_justify="left", title_style="bold")
    for at, name in enumerate(names):
        longest = max((len(row[at]) for row in rows), default=0)
        kept = longest if longest <= WORDS else None  # numbers are not cut, and sentences are folded
        table.add_column(name, justify="left" if at < titled.left else "right", min_width=kept)
    for row in rows:
        table.add_row(*row)
    return table


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror}.") from None
