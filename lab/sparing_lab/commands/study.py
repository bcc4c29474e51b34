"""`sparing study`: measure a paper's tables and figures again on Spark and compare with the printed numbers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, err, out, say, spark_session, step
from sparing.cli.files import check_outputs, write_text, writing
from sparing.model.counted import counted
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing_lab.study.exhibits import Table
    from sparing_lab.study.study import Study, StudyReport

NAMES = ("mna", "topk", "matchmaker", "mefa", "caeva")  # each is a package of `sparing_lab.study` with a module `study`
ALL = "all"
EDGES = "mefa"  # the study that can take a user's edge list
NUMBERS = 20  # characters; longer cells are sentences, which may be folded


class Size(StrEnum):
    """The scale of a study."""

    SMALL = "small"
    PAPER = "paper"


app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command()
def study(
    name: str = typer.Argument(
        ..., help=f"Which one: {', '.join(NAMES)}, or {ALL}.", metavar="NAME", show_default=False
    ),
    scale: Size = typer.Option(
        Size.SMALL, "--scale", help="A few points and short traces (a minute or two), or the paper's whole grid."
    ),
    paper: list[str] = typer.Option(
        [], "--paper", help="For all: a study to measure at the paper's scale; may be repeated.", metavar="NAME"
    ),
    folder: Path = typer.Option(Path("out/study"), "--out", help="Folder for the page and the table.", metavar="DIR"),
    measured: Path | None = typer.Option(
        None, "--from", help="Read NAME.csv of an earlier run from here instead of measuring.", metavar="DIR"
    ),
    markdown: Path | None = typer.Option(
        None, "--markdown", help="For all: also write claims and verdicts to this file.", metavar="FILE"
    ),
    edges: Path | None = typer.Option(
        None, "--edges", help="For mefa: an edge list in SNAP's format for the tree of the real case.", metavar="FILE"
    ),
    json_: bool = typer.Option(False, "--json", help="Print everything as JSON instead of tables."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Measure a paper's experiments again: every experiment is a Spark task.

    Writes NAME.html with all tables and figures, and with a verdict for each claim of the paper, and NAME.csv with
    every measurement. For all, all.html has everything on one page.

    Example: sparing study topk --scale small --out studies
    """
    from sparing_lab.study.markdown import markdown as markdown_page
    from sparing_lab.study.report import page, page_of_all

    if name not in (*NAMES, ALL):
        raise SparingError(f"There is no study {name!r}: choose from {', '.join((*NAMES, ALL))}.")
    if edges and name not in (EDGES, ALL):
        raise SparingError(f"The study {name} takes no edge list: --edges is for {EDGES}.")
    if name != ALL and (paper or markdown):
        raise SparingError(f"--paper and --markdown are for all studies together: sparing study {ALL}.")
    if unknown := [one for one in paper if one not in NAMES]:
        raise SparingError(
            f"There is no study {unknown[0]!r} to measure at the paper's scale: it is {', '.join(NAMES)}."
        )
    check_outputs(markdown)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    names = NAMES if name == ALL else (name,)
    check_outputs(folder / f"{name}.html", *(folder / f"{one}.{kind}" for one in names for kind in ("csv", "html")))
    studies = [_study(one, edges) for one in names]
    scales = {one.name: Size.PAPER if one.name in paper else scale for one in studies}
    reports: dict[str, StudyReport] = {}
    records: dict[str, dict[str, Any]] = {}
    for one, rows in _measured(studies, scales, measured, master, conf):
        report = reports[one.name] = one.report(scales[one.name].value, rows)
        texts = {} if measured else {folder / f"{one.name}.csv": one.row.to_csv(rows)}
        with step("Drawing the figures"):
            texts[folder / f"{one.name}.html"] = page(report)
        for path, text in texts.items():
            write_text(path, text)
        files = [str(path) for path in texts]
        if not json_:
            _print(report, files)
        records[one.name] = {"scale": scales[one.name].value, "files": files} | _flat(report, rows)
    if name == ALL:
        write_text(folder / f"{ALL}.html", page_of_all(reports))
        if markdown is not None:
            write_text(markdown, markdown_page(reports, _command(scale, paper, markdown)))
        if not json_:
            _print_all(reports, folder / f"{ALL}.html")
    if json_:
        say(json.dumps(records if name == ALL else records[name], indent=1))


def _study(name: str, edges: Path | None) -> Study:
    module = import_module(f"sparing_lab.study.{name}.study")
    study: Study = module.on_edges(edges) if edges and name == EDGES else module.STUDY
    return study


def _measured(
    studies: Sequence[Study], scales: Mapping[str, Size], folder: Path | None, master: str, conf: list[str]
) -> Iterator[tuple[Study, list[Any]]]:
    """Yield every study with its rows, measured on Spark or read from the folder of an earlier run."""
    if folder is not None:
        for study in studies:
            yield study, _read(study, folder / f"{study.name}.csv")
        return
    from sparing_lab.commands.cells import run_cells

    with spark_session(master, conf) as spark:
        for study in studies:
            cells = study.cells(scales[study.name].value)
            with _measuring(len(cells)) as progress:
                rows = [row for batch in run_cells(spark, study.measure, cells, progress) for row in batch]
            yield study, rows


def _read(study: Study, path: Path) -> list[Any]:
    try:
        return list(study.row.from_csv(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SparingError(f"{path} cannot be read: {error.strerror}. Run sparing study {study.name} first.") from None
    except (KeyError, TypeError, ValueError):
        raise SparingError(f"{path} is not what sparing study {study.name} writes: run it again.") from None


def _flat(report: StudyReport, rows: list[Any]) -> dict[str, Any]:
    """Return claims and rows as JSON objects."""
    return {"comparisons": [claim.flat() for claim in report.claims], "rows": [row.flat() for row in rows]}


def _print(report: StudyReport, files: Sequence[str]) -> None:
    from sparing_lab.study.exhibits import short_table
    from sparing_lab.study.report import CLAIMS_TITLE, tally_sentence

    _print_table(CLAIMS_TITLE, short_table(report.claims), left=5)
    for exhibit in report.tables:
        _print_table(exhibit.title, exhibit.brief or exhibit.table, exhibit.left)
    for sentence in (tally_sentence(report), *report.findings):
        say(sentence)
    say(f"Page and measurements: {', '.join(files)}.")


def _print_all(reports: Mapping[str, StudyReport], page: Path) -> None:
    from sparing_lab.study.report import summary

    _print_table("Claims by paper and verdict", summary(reports))
    say(f"Everything on one page: {page}.")


def _print_table(title: str, table: Table, left: int = 1) -> None:
    from sparing.report.tables import figures_table

    out.print(figures_table(title, *table, left, unbroken=NUMBERS))


def _command(scale: Size, paper: Sequence[str], markdown: Path | None) -> str:
    """Return the command that repeats the measurement."""
    words = ["sparing", "study", ALL, "--scale", scale.value]
    for name in paper:
        words += ["--paper", name]
    return " ".join([*words, *(["--markdown", str(markdown)] if markdown else [])])


@contextmanager
def _measuring(total: int) -> Iterator[Callable[[int], None]]:
    """Show progress as a bar on a terminal and as lines elsewhere, then the time taken."""
    from rich.progress import Progress

    begun = time.perf_counter()
    shown = 0

    def progress(done: int) -> None:
        nonlocal shown
        if done > shown:
            shown = done
            bar.update(task, completed=done)
            if not err.is_terminal:
                err.print(f"{done:,} of {counted(total, 'experiment')}", highlight=False)

    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Measuring", total=total)
        yield progress
    seconds = time.perf_counter() - begun
    err.print(f"[green]✓[/] Measured {counted(total, 'experiment')} [dim]({seconds:.1f} s)[/]", highlight=False)
