"""`sparing replay`: a recorded trace as a batch, under one or several link policies, bills side by side."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import ConfOption, MasterOption, out, say, spark_session, step, told
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.spark.run import Replayed, Suppressed


def replay(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    decision: str = typer.Option(
        "", "--decision", help="Link policies to compare, e.g. adock,wad,static.", metavar="A,B,..."
    ),
    events: str = typer.Option(
        "", "--events", help="Ways of merging events to compare, e.g. caeva,agele,siena.", metavar="A,B,..."
    ),
    json_file: Path | None = typer.Option(None, "--json", help="Write the bills to a file as JSON.", metavar="OUT"),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Replay a deployment's source as one batch and print the bill; the first policy's results go to the sink.

    Beside the bill stands the least that any policy could have sent, on every link; for merged topics, also what would
    have been sent if nobody merged.

    Example: sparing replay toronto.yaml --decision adock,wad,static,subscriber-edge --json bills.json

    Example: sparing replay incidents.yaml --events caeva,agele,siena
    """
    from sparing.control.merging.policy import Events
    from sparing.deployment.deployment import Deployment
    from sparing.flow.links import NAIVE, POLICIES

    deployment = Deployment.read(file)
    policies = [name.strip() for name in decision.split(",") if name.strip()] or [deployment.policy.decision]
    for name in policies:
        if name not in POLICIES:
            raise SparingError(f"{name!r} is not a link policy: use some of {', '.join(POLICIES)}.")
    ways = [name.strip() for name in events.split(",") if name.strip()]
    for name in ways:
        if name not in list(Events):
            raise SparingError(f"{name!r} is not a way of merging events: use some of {', '.join(Events)}.")
    if ways and len(policies) > 1:
        raise SparingError("Several link policies and --events: compare one or the other.")
    cases: dict[str, tuple[str, str | None]] = {name: (name, None) for name in policies}
    if ways:
        cases = {name: (policies[0], name) for name in ways}
    deployment.needed_source()
    with spark_session(master, conf) as spark:
        from sparing.report.tables import bills_table, links_table, suppressed_table
        from sparing.spark import sinks
        from sparing.spark.run import replay as run_batch

        runs: dict[str, Replayed] = {}
        least: dict[tuple[str, str], int] | None = None
        for at, (name, (policy, way)) in enumerate(cases.items()):
            changed = deployment.policy if way is None else dataclasses.replace(deployment.policy, events=way)
            with step(f"Replaying {deployment.name} under {name}"):
                case = dataclasses.replace(deployment, policy=changed)
                runs[name] = run_batch(spark, case, policy, bound=least is None and not ways)
            least = runs[name].least if least is None else least
            if at == 0 and deployment.sink is not None:
                with step("Writing the results"):
                    counts = sinks.write(runs[name].delivered, deployment.sink, None)
            runs[name].delivered.forget()
        bills = {name: run.bill for name, run in runs.items()}
        seconds = {name: run.seconds for name, run in runs.items()}
        naive = next((name for name in (NAIVE, Events.SIENA.value) if name in bills and len(bills) > 1), None)
        out.print(bills_table(bills, naive, least, seconds))
        out.print(links_table(bills, least=least))
        first = next(iter(runs.values())).merged
        if first is not None:
            out.print(suppressed_table(first.siena, first.taken))
        if deployment.sink is not None:
            where = sinks.place(deployment.sink, replay=True)
            say(f"{told(counts)}" + (f"; the tables are in {where}." if where else "."))
        if json_file is not None:
            write_json(json_file, {name: bill_json(run, least) for name, run in runs.items()})


def bill_json(run: Replayed, least: Mapping[tuple[str, str], int] | None) -> dict[str, Any]:
    """A bill for programs: totals by kind, the least possible by link, and every entry."""
    entries = [
        {"source": k.source, "target": k.target, "kind": k.kind.value, "bucket": k.bucket, "messages": messages}
        for k, messages in sorted(run.bill.items(), key=lambda entry: (*entry[0][:3], entry[0].bucket or 0))
    ]
    possible = None if least is None else {f"{source}>{target}": n for (source, target), n in sorted(least.items())}
    return {
        "by_kind": run.bill.by_kind(),
        "between_brokers": run.bill.between_brokers(),
        "least_possible": None if least is None else sum(least.values()),
        "least_possible_by_link": possible,
        "cpu_seconds": run.seconds,
        "merged_topics": None if run.merged is None else merged_json(run.merged),
        "entries": entries,
    }


def merged_json(found: Suppressed) -> list[dict[str, Any]]:
    """What merged topics took over each link, and what they would have taken if nobody merged."""
    links = sorted(found.siena.keys() | found.taken.keys())
    return [
        {"source": link[0], "target": link[1], "siena": found.siena.get(link, 0), **found.taken.get(link, {})}
        for link in links
    ]


def write_json(path: Path, what: Any) -> None:
    """Write JSON, or say why not."""
    write_text(path, json.dumps(what, indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write text, or say why not."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SparingError(f"{path} cannot be written: {error.strerror}.") from None
