"""`sparing explain`: why a notification arrived, or why not."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, micros, say, spark_session, step
from sparing.cli.explain_choice import tell_choice
from sparing.cli.explain_event import tell_event
from sparing.model.counted import counted
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.flow.windows.explain import Decision
    from sparing.spark.tools.explain import NotificationExplanation, PublicationCounts

MOST = 8  # publications that are listed on a link


def explain(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    subscription: str | None = typer.Option(None, "--subscription", help="A subscription's id.", metavar="ID"),
    publication: str | None = typer.Option(None, "--publication", help="A publication's id.", metavar="ID"),
    event: str | None = typer.Option(None, "--event", help="The key of a merged event.", metavar="KEY"),
    at: str | None = typer.Option(
        None, "--at", help="A moment in the window, e.g. 2026-01-01T08:00:05Z (the last window).", metavar="TIME"
    ),
    decision: str | None = typer.Option(None, "--decision", help="Another link policy than the file's.", metavar="A"),
    as_json: bool = typer.Option(False, "--json", help="Print it as JSON."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Explain a window, a publication or a merged event: what came from where, what was decided, and why.

    With --subscription, it is a window of that one: where its publications came from, and what each link decided.
    For a plain subscription, say which of the publications made in the second after TIME it got.

    With --publication, explain who gets a publication: who matches it, who is among the k best, and what brokers picked
    on the way; with --subscription as well, why that one does or does not get it.

    With --event, tell the story of a merged event: what was reported where, what was redundant, who coordinated, and
    who was told what and when; of several events with that key the one at TIME, or the last.

    Example: sparing explain toronto.yaml --subscription flow --at 2026-01-01T08:00:05Z

    Example: sparing explain offers.yaml --publication bike --subscription d1

    Example: sparing explain incidents.yaml --event "401 km 3" --subscription alarm
    """
    from sparing.deployment.deployment import Deployment

    if subscription is None and publication is None and event is None:
        raise SparingError("Say what to explain: --subscription ID, --publication ID or --event KEY.")
    if event is not None and (publication is not None or decision is not None):
        raise SparingError("--event goes with --subscription and --at only: leave the others out.")
    if publication is not None and (at is not None or decision is not None):
        raise SparingError("--at and --decision are for windows: leave them out with --publication.")
    time = None if at is None else micros(at)
    deployment = Deployment.read(file)
    deployment.needed_source()
    with spark_session(master, conf) as spark:
        from sparing.spark.tools.explain import explain as run
        from sparing.spark.tools.explain_choice import explain_choice
        from sparing.spark.tools.explain_event import explain_event

        if event is not None:
            with step(f"Replaying the events of {deployment.name}"):
                story = explain_event(spark, deployment, event, subscription, time)
            tell_event(story, subscription, as_json)
        elif publication is not None:
            with step(f"Looking for {publication} in the source of {deployment.name}"):
                choice = explain_choice(spark, deployment, publication, subscription)
            tell_choice(choice, as_json)
        elif subscription is not None:
            with step(f"Replaying {deployment.name}"):
                found = run(spark, deployment, subscription, time, decision)
            if as_json:
                typer.echo(json.dumps(_json(found), indent=1))
            else:
                _tell(found)


def _json(found: NotificationExplanation) -> dict[str, object]:
    return {
        "subscription": found.subscription.id,
        "subscriber": found.subscription.subscriber,
        "broker": found.broker,
        "start": found.start,
        "end": found.end,
        "seen": asdict(found.seen),
        "walked": None if found.walked is None else asdict(found.walked),
    }


def _tell(found: NotificationExplanation) -> None:
    seen = found.seen
    who = f"{found.subscription.id}, for {found.subscription.subscriber} at {found.broker}"
    say(f"{who}: {clock(found.start)} to {clock(found.end)}", "bold")
    published = f"{counted(seen.published, 'publication')} on {found.subscription.query.topic}"
    say(f"{published}, {counted(seen.matched, 'of them matches', 'of them match')}{ranked(seen)}.")
    for constraint, times in seen.failed.items():
        say(f"  {constraint} fails for {times:,}")
    for count, way in seen.origins.values():
        say(
            f"  {count:,} came by {' > '.join(way)}"
            if len(way) > 1
            else f"  {counted(count, 'was', 'were')} published at {way[0]} itself"
        )
    if found.walked is None:
        got = sum(count for count, _ in seen.origins.values())
        say("It is plain: what it gets is sent at once, as it is." if got else "So it got nothing.")
        return
    named = {(decision.source, decision.target) for decision in found.walked.decisions}
    if any(link not in named for _, way in seen.origins.values() for link in pairwise(way)):
        say("Links that are not named below were crossed at once: subscriptions beyond them want single publications.")
    for decision in found.walked.decisions:
        say()
        _tell_decision(decision)
    say()
    if found.walked.payload is None:
        say("No publication arrived for this window, so there is no notification.")
        return
    told = found.walked.told
    assert told is not None or not found.walked.decisions
    say(f"{found.subscription.subscriber} is told {'' if told is None else f'at {clock(told)} '}{found.walked.payload}")


def ranked(seen: PublicationCounts) -> str:
    """For how many publications the subscription was among the k best, if there were any for the k best only."""
    if not seen.ranked:
        return ""
    some = (
        ""
        if seen.ranked == seen.matched
        else f", {counted(seen.ranked, 'of these is', 'of these are')} for the k best only"
    )
    return f"{some}; it was among the k best for {seen.chosen:,}"


def _tell_decision(decision: Decision) -> None:
    waiting = []
    if decision.publications:
        waiting.append(counted(len(decision.publications), "publication"))
    if decision.results:
        waiting.append(f"{counted(decision.results, 'partial result')} of {decision.inside:,}")
    what = "aggregated into one result" if decision.aggregated else f"forwarded: {counted(decision.sent, 'message')}"
    link = f"{decision.source} > {decision.target} at {clock(decision.time)}"
    say(f"{link}: {' and '.join(waiting)}, {what}", "bold")
    say(f"  because {decision.why}")
    for publication in decision.publications[:MOST]:
        beyond = counted(publication.degree, "window")
        degree = f", in {beyond} beyond" if publication.degree else ""
        say(f"  {publication.id} by {publication.publisher} at {clock(publication.time)}{degree}")
    if len(decision.publications) > MOST:
        say(f"  and {len(decision.publications) - MOST:,} more")
