"""`sparing bench`: benchmarks against peers in the same run."""

from __future__ import annotations

from pathlib import Path

import typer

from sparing.cli.console import ConfOption, MasterOption, err, out, spark_session
from sparing.model.errors import SparingError

NAMES = ("pipeline",)


def bench(
    name: str = typer.Argument(..., help=f"Which one: {', '.join(NAMES)}.", metavar="NAME", show_default=False),
    subscriptions: str = typer.Option("500,5000", "--subscriptions", help="Numbers of subscriptions.", metavar="N,..."),
    publications: int = typer.Option(200_000, "--publications", help="Publications in the trace."),
    repeat: int = typer.Option(3, "--repeat", help="Times that each measurement is made; the medians count."),
    json_file: Path | None = typer.Option(None, "--json", help="Write the figures to a file as JSON.", metavar="OUT"),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Measure Sparing and what people would use instead, side by side.

    Example: sparing bench pipeline --subscriptions 500,5000 --repeat 3
    """
    if name not in NAMES:
        raise SparingError(f"There is no benchmark {name!r}: choose from {', '.join(NAMES)}.")
    try:
        sizes = [int(part) for part in subscriptions.split(",")]
    except ValueError:
        raise SparingError(
            f"--subscriptions {subscriptions!r} is not a list of whole numbers such as 500,5000."
        ) from None
    with spark_session(master, conf) as spark:
        from sparing.bench.pipeline import Settings, pipeline

        def tell(what: str) -> None:
            err.print(f"[dim]{what}[/]", highlight=False)

        figures = pipeline(spark, Settings(tuple(sizes), publications, repeat), tell)
    out.print(figures.table())
    out.print(figures.stages_table())
    if json_file is not None:
        from sparing.cli.replay import write_json

        write_json(json_file, figures.json())
