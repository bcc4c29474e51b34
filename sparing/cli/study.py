"""`sparing study`: a paper's tables and figures, measured again on Spark, beside the numbers that it prints."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, err, out, say, spark_session, step
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.table import Table

NAMES = ("mna",)
ALL = "all"
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
    json_: bool = typer.Option(False, "--json", help="Print everything as JSON instead of tables."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Measure a paper's experiments again: every experiment is a Spark task.

    Writes NAME.html, with all tables and figures beside the numbers that the paper prints, and NAME.csv with every
    measurement.

    Example: sparing study mna --scale small --out studies
    """
    from sparing.report.plots import need_matplotlib

    if name not in (*NAMES, ALL):
        raise SparingError(f"There is no study {name!r}: choose from {', '.join((*NAMES, ALL))}.")
    need_matplotlib()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SparingError(f"{folder} cannot be made a folder: {error.strerror}.") from None
    with spark_session(master, conf) as spark:
        _mna(spark, scale, folder, json_)


def _mna(spark: SparkSession, size: Size, folder: Path, as_json: bool) -> None:
    from sparing.spark.cells import run_cells
    from sparing.study.mna.figures import SUMMARY_TITLE, TABLE_I_TITLE, summary, table_i
    from sparing.study.mna.grid import SCALES
    from sparing.study.mna.measure import measure
    from sparing.study.mna.page import comparison_table, page, to_gain
    from sparing.study.mna.printed import comparisons
    from sparing.study.mna.results import Results
    from sparing.study.mna.row import to_csv

    scale = SCALES[size.value]
    cells = scale.cells()
    with _measuring(len(cells)) as tell:
        results = Results(scale, [row for rows in run_cells(spark, measure, cells, tell) for row in rows])
    found = comparisons(results)
    files = {folder / "mna.csv": to_csv(results.rows)}
    with step("Drawing the figures"):
        files[folder / "mna.html"] = page(results)
    for path, text in files.items():
        _write(path, text)
    if as_json:
        whole = {
            "scale": scale.name,
            "files": [str(path) for path in files],
            "comparisons": [vars(comparison) for comparison in found],
            "rows": [row.flat() for row in results.rows],
        }
        say(json.dumps(whole, indent=1))
        return
    out.print(_table("What the paper prints, and ours", *comparison_table(found), left=2))
    out.print(_table(TABLE_I_TITLE, *table_i(results)))
    out.print(_table(SUMMARY_TITLE, *summary(results)))
    for sentence in to_gain(results):
        say(sentence)
    say(f"Page and measurements: {', '.join(map(str, files))}.")


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


def _table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for at, name in enumerate(names):
        longest = max((len(row[at]) for row in rows), default=0)
        kept = longest if longest <= WORDS else None  # numbers are not cut, and sentences are folded
        table.add_column(name, justify="left" if at < left else "right", min_width=kept)
    for row in rows:
        table.add_row(*row)
    return table


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror}.") from None
