"""`sparing bench`: benchmarks against peers in the same run, a command for each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

import typer
from typer.core import TyperGroup

from sparing.cli.console import ConfOption, MasterOption, err, out, spark_session
from sparing.cli.files import check_outputs, write_json, write_text
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from rich.table import Table


class Benchmarks(TyperGroup):
    """Says which benchmarks there are if somebody asks for another."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The benchmark of a name."""
        if args[0] not in self.commands:
            raise SparingError(f"There is no benchmark {args[0]!r}: choose from {', '.join(self.commands)}.")
        return super().resolve_command(ctx, args)


bench = typer.Typer(
    cls=Benchmarks,
    no_args_is_help=True,
    help="""Measure Sparing and what people would use instead, side by side.

    Example: sparing bench match --subscriptions 1000,10000 --shapes a,b --json match.json
    """,
)


def _subscriptions(default: str) -> Any:
    return typer.Option(default, "--subscriptions", help="Numbers of subscriptions to try.", metavar="N,...")


RepeatOption = typer.Option(3, "--repeat", min=1, help="Times that each measurement is made; the medians count.")
JsonOption = typer.Option(None, "--json", help="Write the figures to a file as JSON.", metavar="OUT")
MarkdownOption = typer.Option(None, "--markdown", help="Write the figures to a file as Markdown.", metavar="OUT")


@bench.command()
def pipeline(
    subscriptions: str = _subscriptions("500,5000"),
    publications: int = typer.Option(200_000, "--publications", min=1, help="Publications in the trace."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """The whole pipeline beside plain Spark SQL, batch and streaming.

    Example: sparing bench pipeline --subscriptions 500 --publications 50000 --master local[2]
    """
    sizes = _numbers(subscriptions)
    check_outputs(json_file)
    with spark_session(master, conf) as spark:
        from sparing_lab.bench.pipeline import Settings, pipeline

        figures = pipeline(spark, Settings(sizes, publications, repeat), _tell)
    _show(figures, json_file)


@bench.command()
def match(
    subscriptions: str = _subscriptions("1000,10000,100000,1000000"),
    shapes: str | None = typer.Option(
        None, "--shapes", help="Workloads: a stock, b traffic, c uniform, d skewed (all).", metavar="A,..."
    ),
    engines: str | None = typer.Option(
        None, "--engines", help="What to measure: sparing,numpy,duckdb,polars,spark (all).", metavar="E,..."
    ),
    seconds: float = typer.Option(
        5.0, "--seconds", help="About how long each measurement takes; little time puts Spark at a disadvantage."
    ),
    small: bool = typer.Option(False, "--small", help="Measure small batches, inserts and removes as well."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    plot: Path | None = typer.Option(None, "--plot", help="Plot the figures to a file, e.g. match.svg.", metavar="OUT"),
) -> None:
    """The matching index beside NumPy, DuckDB, Polars and Spark SQL.

    Example: sparing bench match --subscriptions 1000,10000 --shapes a,b --json match.json
    """
    sizes = _numbers(subscriptions)
    check_outputs(json_file, markdown, plot)
    from sparing.report.plots import need_matplotlib
    from sparing_lab.bench.matching import Settings, match
    from sparing_lab.bench.matching import small as measure_small

    if plot is not None:
        need_matplotlib()
    settings = Settings(subscriptions=sizes, seconds=seconds, repeat=repeat)
    if shapes is not None:
        settings = replace(settings, shapes=_names(shapes))
    if engines is not None:
        settings = replace(settings, engines=_names(engines))
    figures = match(settings, _tell)
    if small:
        figures = replace(figures, small=measure_small(settings, _tell))
    _show(figures, json_file, markdown)
    if plot is not None:
        figures.plot(plot)


@bench.command()
def stage(
    subscriptions: str = _subscriptions("5000,50000"),
    publications: int = typer.Option(131_072, "--publications", min=1, help="Publications in the trace."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    master: str = typer.Option("local[1]", "--master", help="The Spark master; the figures are meant for one core."),
    conf: list[str] = ConfOption,
) -> None:
    """Where the time of the matching stage goes, beside the index by itself.

    Example: sparing bench stage --subscriptions 5000 --repeat 5
    """
    sizes = _numbers(subscriptions)
    check_outputs(json_file)
    with spark_session(master, conf) as spark:
        from sparing_lab.bench.stage import Settings, stage

        figures = stage(spark, Settings(sizes, publications, repeat), _tell)
    _show(figures, json_file)


@bench.command()
def decide(
    subscriptions: str = _subscriptions("90,360,1000,5000"),
    ratios: str = typer.Option(
        "1,2,6", "--ratios", help="How many times as long as its slide a window is.", metavar="R,..."
    ),
    rate: float = typer.Option(1860, "--rate", help="Publications per second of event time."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
) -> None:
    """ADOCK's decisions beside other policies', and beside two matchings for every decision.

    Traces are 60 seconds long, and shorter (down to 20) with many subscriptions.

    Example: sparing bench decide --subscriptions 90,1000 --ratios 2 --repeat 5
    """
    sizes, windows = _numbers(subscriptions), _ratios(ratios)
    check_outputs(json_file, markdown)
    from sparing_lab.bench.deciding import Settings, decide

    figures = decide(Settings(sizes, windows, rate, repeat), _tell)
    _show(figures, json_file, markdown)


@bench.command()
def cover(
    boxes: str = typer.Option("50000,500000", "--boxes", help="Numbers of boxes to try.", metavar="N,..."),
    dimensions: str = typer.Option("1,2,3", "--dimensions", help="Numbers of dimensions to try.", metavar="D,..."),
    k: int = typer.Option(10, "--k", min=1, help="How many better boxes make one unnecessary."),
    peers: int = typer.Option(50_000, "--peers", help="NumPy and Spark SQL take part up to so many boxes."),
    spark: bool = typer.Option(True, "--spark/--no-spark", help="Measure the join in Spark SQL as well."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Covering beside NumPy and a join in Spark SQL, for whole tables and for boxes that come and go.

    Example: sparing bench cover --boxes 5000,50000 --dimensions 2 --no-spark
    """
    from sparing_lab.bench.covering import Settings
    from sparing_lab.bench.covering import cover as measure

    settings = Settings(_numbers(boxes, "boxes"), _numbers(dimensions, "dimensions"), k, peers, repeat=repeat)
    check_outputs(json_file, markdown)
    if spark:
        with spark_session(master, conf) as session:
            figures = measure(session, settings, _tell)
    else:
        figures = measure(None, settings, _tell)
    _show(figures, json_file, markdown)


@bench.command()
def matchmaker(
    links: str = typer.Option(
        "100,1000,10000,100000", "--links", help="Numbers of directed links to try.", metavar="N,..."
    ),
    publishers: int = typer.Option(20, "--publishers", min=1, help="Brokers that publish, each with its tree."),
    subscribers: float = typer.Option(0.5, "--subscribers", help="The share of brokers that subscribe."),
    peers: int = typer.Option(10_000, "--peers", help="networkx takes part up to so many links."),
    sample: int = typer.Option(200, "--sample", min=1, help="How many of the flows of Figure 6 are run."),
    instances: int = typer.Option(100, "--instances", help="Overlays made up to see how many of them need no flow."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
) -> None:
    """The matchmaker beside the paper's algorithm, SciPy, OR-tools and networkx, as far as they are installed.

    Example: sparing bench matchmaker --links 100,1000 --publishers 10
    """
    from sparing_lab.bench.matchmaker import Settings
    from sparing_lab.bench.matchmaker import matchmaker as measure

    settings = Settings(_numbers(links, "links"), publishers, subscribers, peers, sample, instances, repeat)
    check_outputs(json_file, markdown)
    figures = measure(settings, _tell)
    _show(figures, json_file, markdown)


@bench.command()
def fold(
    subscriptions: str = _subscriptions("1000,10000,100000"),
    dimensions: str = typer.Option("1,2", "--dimensions", help="Numbers of dimensions to try.", metavar="D,..."),
    brokers: int = typer.Option(100, "--brokers", min=2, help="Brokers of the tree."),
    share: float = typer.Option(0.5, "--share", help="The share of the possible benefit that is asked for."),
    most_boxes: int = typer.Option(10_000, "--most-boxes", help="Most subscriptions in several dimensions."),
    peers: int = typer.Option(10_000, "--peers", help="SPA and AA take part up to so many subscriptions."),
    printed: str = typer.Option(
        "50,100", "--printed", help="Numbers of subscriptions for MEFA as printed.", metavar="N,..."
    ),
    instances: int = typer.Option(3, "--instances", min=1, help="Problems for each of these numbers."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
) -> None:
    """Folding subscriptions by MEFA beside SPA and AA, and beside MEFA as printed where that runs.

    Example: sparing bench fold --subscriptions 1000,10000 --dimensions 1
    """
    from sparing_lab.bench.fold import Settings
    from sparing_lab.bench.fold import fold as measure

    sizes, axes, small = _numbers(subscriptions), _numbers(dimensions, "dimensions"), _numbers(printed, "printed")
    settings = Settings(sizes, axes, brokers, share, most_boxes, peers, small, instances, repeat)
    check_outputs(json_file, markdown)
    figures = measure(settings, _tell)
    _show(figures, json_file, markdown)


@bench.command()
def events(
    events_: str = typer.Option("1000,10000", "--events", help="Numbers of events to try on Spark.", metavar="N,..."),
    in_flight: str = typer.Option(
        "100,1000,10000", "--in-flight", help="Numbers of events under way at the same time.", metavar="N,..."
    ),
    reports: int = typer.Option(10, "--reports", min=1, help="Reports of each event, on average."),
    subscriptions: int = typer.Option(60, "--subscriptions", min=1, help="Subscriptions to the topic."),
    lanes: str = typer.Option("1,4", "--lanes", help="Numbers of lanes to try.", metavar="N,..."),
    repeat: int = RepeatOption,
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Merging events on Spark beside a plain Spark SQL job that only groups reports; growth with events in flight.

    Example: sparing bench events --events 1000 --in-flight 100,1000 --lanes 4 --repeat 5
    """
    sizes, flights, parts = _numbers(events_, "events"), _numbers(in_flight, "in-flight"), _numbers(lanes, "lanes")
    check_outputs(json_file, markdown)
    with spark_session(master, conf) as spark:
        from sparing_lab.bench.events import Settings
        from sparing_lab.bench.events import events as measure

        figures = measure(spark, Settings(sizes, flights, reports, subscriptions, parts, repeat), _tell)
    _show(figures, json_file, markdown)


@bench.command()
def restart(
    publications: int = typer.Option(30_000, "--publications", min=1, help="Publications in the trace."),
    subscriptions: int = typer.Option(200, "--subscriptions", min=1, help="Subscriptions to it."),
    repeat: int = typer.Option(3, "--repeat", min=1, help="How often a stream is killed."),
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """A stream that is killed and started again: how soon it goes on, and whether its results are the same.

    Example: sparing bench restart --repeat 1 --master local[2]
    """
    check_outputs(json_file, markdown)
    from sparing_lab.bench.restart import Settings
    from sparing_lab.bench.restart import restart as measure

    figures = measure(Settings(publications, subscriptions, repeat, master, tuple(conf)), _tell)
    _show(figures, json_file, markdown)


@bench.command()
def faults(
    kills: int = typer.Option(5, "--kills", min=0, help="How many kills there are."),
    damages: int = typer.Option(10, "--damages", min=0, max=40, help="How many files are damaged, one at a time."),
    disks: bool = typer.Option(True, help="Also full and read-only disks."),
    rows: bool = typer.Option(True, help="Also hostile rows."),
    seed: int = typer.Option(0, "--seed", help="The same seed does the same faults."),
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """The fault matrix: kills, damaged files, bad disks and hostile rows, and whether the results are the same.

    Example: sparing bench faults --master local[2]

    Example: sparing bench faults --kills 100 --damages 40 --markdown faults.md
    """
    check_outputs(json_file, markdown)
    from sparing_lab.bench.faults import Settings
    from sparing_lab.bench.faults import faults as measure

    settings = Settings(kills, damages, disks, rows, seed, master, tuple(conf))
    figures = measure(settings, partial(spark_session, master, conf), _tell)
    _show(figures, json_file, markdown)
    if not figures.kept:
        raise SparingError("Not all promises were kept: see NOT KEPT in the table.")


@bench.command()
def savings(
    workloads: str | None = typer.Option(None, "--workloads", help="Workloads to try (all).", metavar="W,..."),
    json_file: Path | None = JsonOption,
    markdown: Path | None = MarkdownOption,
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """What each technique saves: workloads with all of them, with all but one, with one alone, and with none.

    Example: sparing bench savings --workloads city,alerts --json savings.json
    """
    from sparing_lab.bench.savings.cases import CASES

    names = tuple(CASES) if workloads is None else _names(workloads)
    if unknown := [name for name in names if name not in CASES]:
        raise SparingError(f"There is no workload {unknown[0]!r} to leave techniques out of: it is {', '.join(CASES)}.")
    check_outputs(json_file, markdown)
    with spark_session(master, conf) as spark:
        from sparing_lab.bench.savings import savings as measure

        figures = measure(spark, {name: CASES[name] for name in names}, _tell)
    _show(figures, json_file, markdown)


class _Figures(Protocol):
    """What a benchmark measured."""

    def json(self) -> dict[str, Any]: ...
    def tables(self) -> list[Table]: ...


class _Written(_Figures, Protocol):
    """What can also stand in documentation."""

    def markdown(self) -> str: ...


@overload
def _show(figures: _Figures, json_file: Path | None) -> None: ...
@overload
def _show(figures: _Written, json_file: Path | None, markdown: Path | None) -> None: ...
def _show(figures: Any, json_file: Path | None, markdown: Path | None = None) -> None:
    """Figures as tables, and in files for programs and documentation; these first, for they were long in the making."""
    if json_file is not None:
        write_json(json_file, figures.json())
    if markdown is not None:
        write_text(markdown, figures.markdown())
    for table in figures.tables():
        out.print(table)


def _tell(what: str) -> None:
    err.print(what, style="dim", markup=False, highlight=False)


def _numbers(text: str, option: str = "subscriptions") -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise SparingError(f"--{option} {text!r} is not a list of whole numbers such as 500,5000.") from None


def _ratios(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise SparingError(f"--ratios {text!r} is not a list of numbers such as 1,1.5,6.") from None


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
