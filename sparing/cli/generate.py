"""`sparing generate`: write a seeded workload with its deployment file."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparing.cli.console import err, moment
from sparing.cli.files import writing
from sparing.model.counted import counted
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.workloads.files import WrittenWorkload
    from sparing.workloads.workload import Workload


class WorkloadKind(StrEnum):
    """The workloads that can be generated."""

    STOCK = "stock"
    TRAFFIC = "traffic"
    INCIDENTS = "incidents"
    BOXES = "boxes"
    ALERTS = "alerts"
    CITY = "city"


class Format(StrEnum):
    """The formats of a trace."""

    JSON = "json"
    PARQUET = "parquet"


SIZE, SUBSCRIPTIONS, ERRORS, ONE_ONLY, OUTPUT = (
    "Size",
    "Subscriptions",
    "Disorder and errors",
    "Options of one workload",
    "Output",
)


def _option(name: str, panel: str, help_text: str, metavar: str | None = None) -> Any:
    return typer.Option(name, rich_help_panel=panel, help=help_text, metavar=metavar)


def generate(
    workload: Annotated[
        WorkloadKind, typer.Argument(help="stock, traffic, incidents, boxes, alerts, or the demo's city.")
    ],
    out: Annotated[Path, typer.Argument(help="The output folder.", metavar="OUT")],
    *,
    seed: Annotated[int, _option("--seed", SIZE, "The same seed gives the same files.")] = 0,
    rate: Annotated[
        float | None, _option("--rate", SIZE, "Publications per second of event time (stock 1000).")
    ] = None,
    duration: Annotated[float | None, _option("--duration", SIZE, "Seconds of event time (100).")] = None,
    start: Annotated[
        str | None, _option("--start", SIZE, "The time of the first publication, e.g. 2026-01-01T00:00:00Z.", "TIME")
    ] = None,
    subscriptions: Annotated[
        int | None, _option("--subscriptions", SUBSCRIPTIONS, "The number of subscriptions (90).")
    ] = None,
    ratio: Annotated[
        str | None, _option("--ratio", SUBSCRIPTIONS, "Ratio of aggregate to plain subscriptions (1:2).", "A:P")
    ] = None,
    sliding: Annotated[
        float | None,
        _option("--sliding", SUBSCRIPTIONS, "Share of sliding windows among aggregate subscriptions (0.5).", "SHARE"),
    ] = None,
    window: Annotated[
        float | None, _option("--window", SUBSCRIPTIONS, "Length of the windows (10).", "SECONDS")
    ] = None,
    slide: Annotated[
        float | None, _option("--slide", SUBSCRIPTIONS, "Slide of the sliding windows (5).", "SECONDS")
    ] = None,
    staggered: Annotated[
        bool, _option("--staggered", SUBSCRIPTIONS, "Each subscription has its own window start.")
    ] = False,
    columns: Annotated[
        float | None, _option("--columns", SUBSCRIPTIONS, "Share of plain subscriptions with a column list.", "SHARE")
    ] = None,
    selectivity: Annotated[
        float | None,
        _option(
            "--selectivity",
            SUBSCRIPTIONS,
            "Average share of publications that match a subscription (stock 0.02).",
            "SHARE",
        ),
    ] = None,
    missing: Annotated[float | None, _option("--missing", ERRORS, "Share of missing values.", "SHARE")] = None,
    disorder: Annotated[
        float | None, _option("--disorder", ERRORS, "The maximum delay of a publication.", "SECONDS")
    ] = None,
    bad: Annotated[
        float | None, _option("--bad", ERRORS, "Additional bad rows per publication (JSON only).", "SHARE")
    ] = None,
    dimensions: Annotated[int | None, _option("--dimensions", ONE_ONLY, "boxes: number of fields (2).")] = None,
    width: Annotated[
        str | None, _option("--width", ONE_ONLY, "boxes: minimum and maximum width of a range (0.3:0.6).", "LOW:HIGH")
    ] = None,
    constrained: Annotated[
        int | None, _option("--constrained", ONE_ONLY, "boxes: constrained fields per subscription (all).")
    ] = None,
    reports: Annotated[
        float | None, _option("--reports", ONE_ONLY, "incidents: average number of reports per incident (5).")
    ] = None,
    span: Annotated[
        float | None, _option("--span", ONE_ONLY, "incidents: time span of the reports of an incident (30).", "SECONDS")
    ] = None,
    cycles: Annotated[
        float | None,
        _option("--cycles", ONE_ONLY, "incidents: share of plain subscriptions with a cycle (1).", "SHARE"),
    ] = None,
    top_k: Annotated[int | None, _option("--top-k", ONE_ONLY, "boxes: the top_k of the publishers (all).")] = None,
    devices: Annotated[int | None, _option("--devices", ONE_ONLY, "alerts: number of publishers (150).")] = None,
    churn: Annotated[
        float | None, _option("--churn", ONE_ONLY, "alerts: share of subscriptions that join and leave (0).", "SHARE")
    ] = None,
    format_: Annotated[Format, _option("--format", OUTPUT, "The format of the trace.")] = Format.JSON,
    files: Annotated[int, _option("--files", OUTPUT, "The number of part files.")] = 8,
    force: Annotated[bool, typer.Option("--force", rich_help_panel=OUTPUT, help="Replace a workload in OUT.")] = False,
    json_: Annotated[bool, typer.Option("--json", rich_help_panel=OUTPUT, help="Print a summary as JSON.")] = False,
) -> None:
    """Write a seeded workload: publications, subscriptions, and a deployment file that is ready to run.

    Defaults depend on the workload.

    Example: sparing generate stock quotes --rate 2000 --subscriptions 450 --seed 7
    """
    common = {
        "rate": rate,
        "duration": duration,
        "start": start,
        "subscriptions": subscriptions,
        "aggregate": ratio,
        "sliding": sliding,
        "window": window,
        "slide": slide,
        "staggered": staggered or None,
        "columns": columns,
        "selectivity": selectivity,
        "missing": missing,
        "disorder": disorder,
        "bad": bad,
    }
    specific: dict[WorkloadKind, dict[str, Any]] = {
        WorkloadKind.BOXES: {"dimensions": dimensions, "width": width, "constrained": constrained, "top_k": top_k},
        WorkloadKind.INCIDENTS: {"reports": reports, "span": span, "cycles": cycles},
        WorkloadKind.ALERTS: {"devices": devices, "churn": churn},
    }
    generated = _generate(workload, seed, _given(common), {kind: _given(options) for kind, options in specific.items()})
    written = _write(generated, out, format_, files, force)
    typer.echo(_as_json(written) if json_ else _as_text(written, out))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _generate(
    kind: WorkloadKind, seed: int, common: dict[str, Any], own: dict[WorkloadKind, dict[str, Any]]
) -> Workload:
    from dataclasses import replace
    from importlib import import_module

    from sparing.workloads.settings import parse_ratio

    for other, options in own.items():
        if options and other is not kind:
            raise SparingError(
                f"The option --{next(iter(options)).replace('_', '-')} is for {other} only: remove it for {kind}."
            )
    if "aggregate" in common:
        common["aggregate"] = parse_ratio(common["aggregate"])
    if "start" in common:
        common["start"] = moment(common["start"], "--start")
    options = own.get(kind, {})
    if "width" in options:
        options["width"] = _width(options["width"])
    module = import_module(f"sparing.workloads.{kind}")
    generated: Workload = getattr(module, kind)(replace(module.DEFAULTS, seed=seed, **common), **options)
    return generated


def _width(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(":"))
    except ValueError:
        raise SparingError(f"{text!r} is not a range of widths: write it as LOW:HIGH, e.g. 0.3:0.6.") from None
    return low, high


def _write(generated: Workload, out: Path, format_: Format, files: int, force: bool) -> WrittenWorkload:
    from rich.progress import Progress

    from sparing.workloads.files import write

    with writing(out), Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Writing", total=generated.size)
        return write(generated, out, format_.value, files, replace=force, progress=lambda rows: bar.advance(task, rows))


def _as_text(written: WrittenWorkload, out: Path) -> str:
    bad = ", ".join(f"{count} {fault}" for fault, count in written.bad.items())
    publications = f"{counted(written.publications, 'publication')} in {counted(len(written.parts), 'file')}"
    lines = [
        f"{publications}, {written.bytes / 1e6:.1f} MB",
        *([f"{counted(sum(written.bad.values()), 'additional bad row')}: {bad}"] if bad else []),
        f"{counted(written.subscriptions, 'subscription')}, each matching {written.selectivity:.3%} of them on average",
        f"in {out}",
        "",
        f"Next: sparing replay {written.deployment}",
    ]
    return "\n".join(lines)


def _as_json(written: WrittenWorkload) -> str:
    return json.dumps(
        {
            "deployment": str(written.deployment),
            "parts": [str(part) for part in written.parts],
            "publications": written.publications,
            "bad": dict(written.bad),
            "subscriptions": written.subscriptions,
            "selectivity": written.selectivity,
            "bytes": written.bytes,
        },
        indent=2,
    )
