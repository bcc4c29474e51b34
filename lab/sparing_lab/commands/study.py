"""`sparing study`: a paper's tables and figures, measured again on Spark, beside the numbers that it prints."""

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
    from rich.table import Table

    from sparing_lab.study.study import Shown, Study, Titled

NAMES = ("mna", "topk", "matchmaker", "mefa", "caeva")  # each is a package of `sparing_lab.study` with a module `study`
ALL = "all"
EDGES = "mefa"  # the study that can take a user's edge list
NUMBERS = 20  # characters; longer cells are sentences, which may be folded


class Size(StrEnum):
    """How much is measured."""

    SMALL = "small"
    PAPER = "paper"


app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command()
def study(
    name: str = typer.Argument(
        ..., help=f"Which one: {', '.join(NAMES)}, or {ALL}.", metavar="NAME", show_default=False
    ),
    scale: Size = typer.Option(
        Size.SMALL, "--scale", help="A few points and short traces (a minute or two), or all that the paper measured."
    ),
    paper: list[str] = typer.Option(
        [], "--paper", help="For all: a study to measure at the paper's scale anyway; may be repeated.", metavar="NAME"
    ),
    folder: Path = typer.Option(Path("out/study"), "--out", help="Where to put the page and the table.", metavar="DIR"),
    measured: Path | None = typer.Option(
        None, "--from", help="Take NAME.csv of an earlier run from here instead of measuring.", metavar="DIR"
    ),
    markdown: Path | None = typer.Option(
        None, "--markdown", help="For all: also write claims and verdicts to this file.", metavar="FILE"
    ),
    edges: Path | None = typer.Option(
        None, "--edges", help="For mefa: an edge list of SNAP to take the real case's tree from.", metavar="FILE"
    ),
    json_: bool = typer.Option(False, "--json", help="Print everything as JSON instead of tables."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Measure a paper's experiments again: every experiment is a Spark task.

    Writes NAME.html, with all tables and figures, and what the paper says beside what was found, with a verdict for
    each claim; and NAME.csv with every measurement. For all, all.html has everything on one page.

    Example: sparing study topk --scale small --out studies
    """
    from sparing_lab.study.report import page

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
    found: dict[str, Shown] = {}
    told: dict[str, dict[str, Any]] = {}
    for one, rows in _measured(studies, scales, measured, master, conf):
        with step("Drawing the figures"):
            found[one.name] = one.show(scales[one.name].value, rows)
        texts = {} if measured else {folder / f"{one.name}.csv": one.row.to_csv(rows)}
        texts[folder / f"{one.name}.html"] = page(found[one.name])
        for path, text in texts.items():
            write_text(path, text)
        files = [str(path) for path in texts]
        if not json_:
            _print(found[one.name], files)
        told[one.name] = {"scale": scales[one.name].value, "files": files} | _flat(found[one.name], rows)
    if name == ALL:
        _tell_all(found, folder, markdown, _command(scale, paper, markdown), quiet=json_)
    if json_:
        say(json.dumps(told if name == ALL else told[name], indent=1))


def _study(name: str, edges: Path | None) -> Study:
    module = import_module(f"sparing_lab.study.{name}.study")
    found: Study = module.on_edges(edges) if edges and name == EDGES else module.STUDY
    return found


def _measured(
    studies: Sequence[Study], scales: Mapping[str, Size], folder: Path | None, master: str, conf: list[str]
) -> Iterator[tuple[Study, list[Any]]]:
    """Every study with its rows: measured on Spark one after the other, or read from an earlier run's folder."""
    if folder is not None:
        for study in studies:
            yield study, _read(study, folder / f"{study.name}.csv")
        return
    from sparing_lab.commands.cells import run_cells

    with spark_session(master, conf) as spark:
        for study in studies:
            cells = study.cells(scales[study.name].value)
            with _measuring(len(cells)) as tell:
                rows = [row for some in run_cells(spark, study.measure, cells, tell) for row in some]
            yield study, rows


def _read(study: Study, path: Path) -> list[Any]:
    try:
        return list(study.row.from_csv(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SparingError(f"{path} cannot be read: {error.strerror}. Run sparing study {study.name} first.") from None
    except (KeyError, TypeError, ValueError):
        raise SparingError(f"{path} is not what sparing study {study.name} writes: run it again.") from None


def _flat(shown: Shown, rows: list[Any]) -> dict[str, Any]:
    """What came of a study, for programs."""
    return {"comparisons": [claim.flat() for claim in shown.claims], "rows": [row.flat() for row in rows]}


def _print(shown: Shown, files: Sequence[str]) -> None:
    from sparing_lab.study.exhibits import short_table
    from sparing_lab.study.report import CLAIMS_TITLE, tally_sentence
    from sparing_lab.study.study import Titled

    for titled in (Titled(CLAIMS_TITLE, short_table(shown.claims), left=5), *shown.tables):
        out.print(_table(titled))
    for sentence in (tally_sentence(shown), *shown.sentences):
        say(sentence)
    say(f"Page and measurements: {', '.join(files)}.")


def _tell_all(found: Mapping[str, Shown], folder: Path, markdown: Path | None, command: str, quiet: bool) -> None:
    """What is said of all studies together."""
    from sparing_lab.study import markdown as marked
    from sparing_lab.study.report import page_of_all, summary
    from sparing_lab.study.study import Titled

    write_text(folder / f"{ALL}.html", page_of_all(found))
    if markdown is not None:
        write_text(markdown, marked.markdown(found, command))
    if not quiet:
        out.print(_table(Titled("Claims by paper, and what came of them", summary(found))))
        say(f"Everything on one page: {folder / f'{ALL}.html'}.")


def _command(scale: Size, paper: Sequence[str], markdown: Path | None) -> str:
    """The command that measures the same again."""
    words = ["sparing", "study", ALL, "--scale", scale.value]
    for name in paper:
        words += ["--paper", name]
    return " ".join([*words, *(["--markdown", str(markdown)] if markdown else [])])


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
                err.print(f"{done:,} of {counted(total, 'experiment')}", highlight=False)

    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Measuring", total=total)
        yield tell
    seconds = time.perf_counter() - begun
    err.print(f"[green]✓[/] Measured {counted(total, 'experiment')} [dim]({seconds:.1f} s)[/]", highlight=False)


def _table(titled: Titled) -> Table:
    from sparing.report.tables import figures_table

    return figures_table(titled.title, *titled.table, titled.left, whole=NUMBERS)
