"""`sparing explain`: why a notification arrived, or why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, counted, out, spark_session, step
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.flow.explain import Decision
    from sparing.spark.explain import Explained

Line = Callable[..., None]
MOST = 8  # publications that are listed on a link


def explain(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    subscription: str = typer.Option(..., "--subscription", help="The subscription's id.", metavar="ID"),
    at: str | None = typer.Option(
        None, "--at", help="A moment in the window, e.g. 2026-01-01T08:00:05Z (the last window).", metavar="TIME"
    ),
    decision: str | None = typer.Option(None, "--decision", help="Another link policy than the file's.", metavar="A"),
    as_json: bool = typer.Option(False, "--json", help="Print it as JSON."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Explain one window of a subscription: where its publications came from, what each link decided, and why.

    For a plain subscription, say which of the publications made in the second after TIME it got.

    Example: sparing explain toronto.yaml --subscription flow --at 2026-01-01T08:00:05Z
    """
    from sparing.deployment.deployment import Deployment

    deployment = Deployment.read(file)
    deployment.needed_source()
    moment = None if at is None else _moment(at)
    with spark_session(master, conf) as spark:
        from sparing.spark.explain import explain as run

        with step(f"Replaying {deployment.name}"):
            found = run(spark, deployment, subscription, moment, decision)
    if as_json:
        typer.echo(json.dumps(_json(found), indent=1))
    else:
        _tell(found)


def _moment(text: str) -> int:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise SparingError(f"--at {text!r} is not a time: write it as 2026-01-01T08:00:05Z.") from None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return round((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)


def _time(micros: int) -> str:
    text = datetime.fromtimestamp(micros / 1_000_000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text.replace(".000", "")


def _json(found: Explained) -> dict[str, object]:
    return {
        "subscription": found.subscription.id,
        "subscriber": found.subscription.subscriber,
        "broker": found.broker,
        "start": found.start,
        "end": found.end,
        "seen": asdict(found.seen),
        "walked": None if found.walked is None else asdict(found.walked),
    }


def _tell(found: Explained) -> None:
    def line(text: str, style: str = "") -> None:
        out.print(text, style=style, highlight=False, markup=False, soft_wrap=True)

    seen = found.seen
    who = f"{found.subscription.id}, for {found.subscription.subscriber} at {found.broker}"
    line(f"{who}: {_time(found.start)} to {_time(found.end)}", "bold")
    topic = found.subscription.query.topic
    line(f"{counted(seen.published, 'publication', 'publications')} on {topic}, {seen.matched:,} of them match.")
    for constraint, times in seen.failed.items():
        line(f"  {constraint} fails for {times:,}")
    for count, way in seen.origins.values():
        line(
            f"  {count:,} came by {' > '.join(way)}"
            if len(way) > 1
            else f"  {count:,} were published at {way[0]} itself"
        )
    if found.walked is None:
        line("It is plain: what matches is sent at once, as it is." if seen.matched else "So it got nothing.")
        return
    named = {(decision.source, decision.target) for decision in found.walked.decisions}
    if any(link not in named for _, way in seen.origins.values() for link in pairwise(way)):
        line("Links that are not named below were crossed at once: subscriptions beyond them want single publications.")
    for decision in found.walked.decisions:
        out.print()
        _tell_decision(decision, line)
    out.print()
    if found.walked.payload is None:
        line("No publication arrived for this window, so there is no notification.")
        return
    told = found.walked.told
    assert told is not None or not found.walked.decisions
    line(
        f"{found.subscription.subscriber} is told {'' if told is None else f'at {_time(told)} '}{found.walked.payload}"
    )


def _tell_decision(decision: Decision, line: Line) -> None:
    waiting = []
    if decision.publications:
        waiting.append(counted(len(decision.publications), "publication", "publications"))
    if decision.results:
        waiting.append(f"{counted(decision.results, 'partial result', 'partial results')} of {decision.inside:,}")
    what = "aggregated into one result" if decision.aggregated else f"forwarded: {decision.sent:,} messages"
    link = f"{decision.source} > {decision.target} at {_time(decision.time)}"
    line(f"{link}: {' and '.join(waiting)}, {what}", "bold")
    line(f"  because {decision.why}")
    for publication in decision.publications[:MOST]:
        beyond = counted(publication.degree, "window", "windows")
        degree = f", in {beyond} beyond" if publication.degree else ""
        line(f"  {publication.id} by {publication.publisher} at {_time(publication.time)}{degree}")
    if len(decision.publications) > MOST:
        line(f"  and {len(decision.publications) - MOST:,} more")
