"""`sparing bench`: benchmarks against peers in the same run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from sparing.cli.console import err, out, spark_session
from sparing.cli.replay import write_json
from sparing.model.errors import SparingError

NAMES = ("pipeline", "match", "stage")
PIPELINE, MATCH = "pipeline and stage only", "match only"


def bench(
    name: str = typer.Argument(..., help=f"Which one: {', '.join(NAMES)}.", metavar="NAME", show_default=False),
    subscriptions: str | None = typer.Option(
        None,
        "--subscriptions",
        help="Numbers of subscriptions (pipeline 500,5000; match 1000,10000,100000,1000000; stage 5000,50000).",
        metavar="N,...",
    ),
    repeat: int = typer.Option(3, "--repeat", help="Times that each measurement is made; the medians count."),
    json_file: Path | None = typer.Option(None, "--json", help="Write the figures to a file as JSON.", metavar="OUT"),
    publications: int | None = typer.Option(
        None,
        "--publications",
        help="Publications in the trace (pipeline 200000, stage 131072).",
        rich_help_panel=PIPELINE,
    ),
    master: str | None = typer.Option(
        None,
        "--master",
        help="The Spark master, e.g. local[2] (pipeline local[*], stage local[1]).",
        rich_help_panel=PIPELINE,
    ),
    conf: list[str] = typer.Option(
        [],
        "--conf",
        help="A Spark setting; may be given several times.",
        metavar="KEY=VALUE",
        rich_help_panel=PIPELINE,
    ),
    shapes: str | None = typer.Option(
        None,
        "--shapes",
        help="Workloads: a stock, b traffic, c uniform, d skewed (all).",
        metavar="A,...",
        rich_help_panel=MATCH,
    ),
    engines: str | None = typer.Option(
        None,
        "--engines",
        help="What to measure: sparing,numpy,duckdb,polars,spark (all).",
        metavar="E,...",
        rich_help_panel=MATCH,
    ),
    seconds: float | None = typer.Option(
        None,
        "--seconds",
        help="About how long each measurement takes (5); little time puts Spark at a disadvantage.",
        rich_help_panel=MATCH,
    ),
    small: bool | None = typer.Option(
        None,
        "--small",
        help="Measure small batches, inserts and removes as well.",
        show_default=False,
        rich_help_panel=MATCH,
    ),
    plot: Path | None = typer.Option(
        None, "--plot", help="Plot the figures to a file, e.g. match.svg.", metavar="OUT", rich_help_panel=MATCH
    ),
    markdown: Path | None = typer.Option(
        None, "--markdown", help="Write the figures to a file as Markdown.", metavar="OUT", rich_help_panel=MATCH
    ),
) -> None:
    """Measure Sparing and what people would use instead, side by side.

    Example: sparing bench match --subscriptions 1000,10000 --shapes a,b --json match.json
    """
    if name not in NAMES:
        raise SparingError(f"There is no benchmark {name!r}: choose from {', '.join(NAMES)}.")
    sizes = None if subscriptions is None else _numbers(subscriptions)
    for path in (json_file, plot, markdown):
        if path is not None and not path.absolute().parent.is_dir():
            raise SparingError(f"{path} cannot be written: there is no folder {path.parent}.")
    for_pipeline = {"publications": publications, "master": master, "conf": conf or None}
    for_match = {"shapes": shapes, "engines": engines, "seconds": seconds, "small": small, "plot": plot}
    for_match["markdown"] = markdown
    others, owner = (for_pipeline, "pipeline and stage") if name == "match" else (for_match, "match")
    for option, value in others.items():
        if value is not None:
            raise SparingError(f"The option --{option} is for {owner} only: leave it out for {name}.")
    if name == "pipeline":
        size = 200_000 if publications is None else publications
        _pipeline(sizes or (500, 5000), size, repeat, master or "local[*]", conf, json_file)
    elif name == "stage":
        _stage(sizes, publications, repeat, master or "local[1]", conf, json_file)
    else:
        given = {"subscriptions": sizes, "shapes": _names(shapes), "engines": _names(engines), "seconds": seconds}
        known = {key: value for key, value in given.items() if value is not None}
        _match(known, repeat, bool(small), json_file, markdown, plot)


def _pipeline(
    sizes: tuple[int, ...], publications: int, repeat: int, master: str, conf: Sequence[str], json_file: Path | None
) -> None:
    with spark_session(master, conf) as spark:
        from sparing.bench.pipeline import Settings, pipeline

        figures = pipeline(spark, Settings(sizes, publications, repeat), _tell)
    if json_file is not None:
        write_json(json_file, figures.json())
    out.print(figures.table())
    out.print(figures.stages_table())


def _stage(
    sizes: tuple[int, ...] | None,
    publications: int | None,
    repeat: int,
    master: str,
    conf: Sequence[str],
    json_file: Path | None,
) -> None:
    with spark_session(master, conf) as spark:
        from sparing.bench.stage import Settings, stage

        settings = Settings(repeat=repeat)
        if sizes is not None:
            settings = replace(settings, subscriptions=sizes)
        if publications is not None:
            settings = replace(settings, publications=publications)
        figures = stage(spark, settings, _tell)
    if json_file is not None:
        write_json(json_file, figures.json())
    out.print(figures.table())


def _match(
    given: dict[str, Any], repeat: int, small: bool, json_file: Path | None, markdown: Path | None, plot: Path | None
) -> None:
    from sparing.bench.matching import Settings, match, must_have
    from sparing.bench.matching import small as measure_small

    if plot is not None:
        must_have("matplotlib", "plot the figures")
    settings = Settings(repeat=repeat, **given)
    figures = match(settings, _tell)
    if small:
        figures = replace(figures, small=measure_small(settings, _tell))
    if json_file is not None:  # first of all: it holds everything, and was long in the making
        write_json(json_file, figures.json())
    if markdown is not None:
        try:
            markdown.write_text(figures.markdown(), encoding="utf-8")
        except OSError as error:
            raise SparingError(f"{markdown} cannot be written: {error.strerror}.") from None
    if plot is not None:
        figures.plot(plot)
    out.print(figures.table())
    out.print(figures.index_table())
    if small:
        out.print(figures.small_table())
    if figures.targets():
        out.print(figures.targets_table())


def _tell(what: str) -> None:
    err.print(f"[dim]{what}[/]", highlight=False)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SparingError(f"--subscriptions {text!r} is not a list of whole numbers such as 500,5000.") from None


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(part.strip() for part in text.split(",") if part.strip())
