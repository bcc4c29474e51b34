"""`sparing quarantine`: list quarantined rows, and publish them again after correction."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from sparing.cli.console import ConfOption, MasterOption, say, spark_session, step
from sparing.cli.files import check_outputs, write_text
from sparing.model.counted import counted
from sparing.model.errors import SparingError

MOST = 20  # rows shown
WIDTH = 200  # characters shown per row

quarantine = typer.Typer(
    help="""List quarantined rows, and publish them again after correction.

    Example: sparing quarantine list toronto.yaml
    """,
    no_args_is_help=True,
)
FileArgument = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False)
ReasonOption = typer.Option([], "--reason", help="Only rows with this reason; repeatable.")
PublisherOption = typer.Option(None, "--publisher", help="Only rows of this publisher.")


@quarantine.command("list")
def list_(
    file: Path = FileArgument,
    *,
    reason: list[str] = ReasonOption,
    publisher: str | None = PublisherOption,
    json_out: Path | None = typer.Option(
        None, "--json", help="Also write all rows to a file as JSON lines, for correction.", metavar="OUT"
    ),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Show the rows in quarantine with their reasons.

    Example: sparing quarantine list toronto.yaml --reason "wrong type" --json rows.jsonl
    """
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    check_outputs(json_out)
    with spark_session(master, conf) as spark, step("Reading the quarantine"):
        from sparing.spark.io.quarantine import quarantined_rows

        quarantined = quarantined_rows(spark, deployment, reason, publisher)
    if json_out is not None:
        write_text(json_out, "".join(json.dumps(asdict(row)) + "\n" for row in quarantined))
    by_reason = Counter[str]()
    for row in quarantined:
        by_reason[row.reason] += row.rows
    say(f"{counted(by_reason.total(), 'row')} in quarantine.")
    for name, rows in by_reason.most_common():
        say(f"  {rows:>8,}  {name}")
    for row in quarantined[:MOST]:
        times = f", {row.rows} times" if row.rows > 1 else ""
        say(f"{row.id}  micro-batch {row.batch}, {row.reason}{times}{', published again' if row.published else ''}")
        say(f"    {row.row[:WIDTH]}")
        say(f"    {row.detail}")
    if len(quarantined) > MOST:
        say(f"There are {len(quarantined) - MOST:,} more: --json lists all.")


@quarantine.command()
def publish(
    file: Path = FileArgument,
    *,
    reason: list[str] = ReasonOption,
    publisher: str | None = PublisherOption,
    rows: Path | None = typer.Option(
        None, "--rows", help="Corrected rows: JSON lines as written by list --json, or plain rows.", metavar="ROWS"
    ),
    again: bool = typer.Option(False, "--again", help="Also publish rows that were published again before."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Publish quarantined rows again: the selected rows unchanged, or corrected rows from a file.

    All rows are added to the source, or none: rows that would go to quarantine again are rejected with the reason. A
    late row is late again if the watermark of the stream has passed it.

    Example: sparing quarantine publish toronto.yaml --reason "unknown publisher"

    Example: sparing quarantine publish toronto.yaml --rows rows.jsonl
    """
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    chosen = None if rows is None else _read(rows)
    with spark_session(master, conf) as spark:
        from sparing.spark.io.quarantine import publish as add
        from sparing.spark.io.quarantine import quarantined_rows

        known = {row.id: row for row in quarantined_rows(spark, deployment, reason, publisher)}
        if chosen is None:
            chosen = [(row.id, row.row) for row in known.values() for _ in range(row.rows)]
        fresh = [(id_, row) for id_, row in chosen if again or id_ not in known or not known[id_].published]
        with step(f"Publishing {counted(len(fresh), 'row')}"):
            where = add(spark, deployment, [row for _, row in fresh], [id_ for id_, _ in fresh if id_ in known])
    say(f"{counted(len(fresh), 'row')} published into {where}.")
    if len(fresh) < len(chosen):
        say(f"{counted(len(chosen) - len(fresh), 'row')} skipped, published before: --again publishes them.")


def _read(path: Path) -> list[tuple[str, str]]:
    """Return the rows of a file with their ids in quarantine ("" for plain rows)."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SparingError(f"{path} cannot be read: {error}.") from None
    corrected = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry: Any = json.loads(line)
        except (ValueError, RecursionError):
            raise SparingError(f"{path}, line {number} is not JSON: write one row per line.") from None
        if isinstance(entry, dict) and "row" in entry and "reason" in entry:
            row = entry["row"]
            times = entry.get("rows", 1)
            text = row if isinstance(row, str) else json.dumps(row)
            corrected += [(str(entry.get("id", "")), text)] * (times if isinstance(times, int) else 1)
        else:
            corrected.append(("", line))
    return corrected
