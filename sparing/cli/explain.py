"""`sparing explain`: why a notification was sent, or why not."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from sparing.cli.console import ConfOption, MasterOption, clock, micros, say, spark_session, step
from sparing.cli.explain_choice import print_choice
from sparing.cli.explain_event import print_event
from sparing.model.counted import counted
from sparing.model.errors import SparingError

if TYPE_CHECKING:
    from sparing.flow.windows.explain import Decision
    from sparing.spark.tools.explain import NotificationExplanation, PublicationCounts

MOST = 8  # publications listed per link


def explain(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    *,
    subscription: str | None = typer.Option(None, "--subscription", help="A subscription's id.", metavar="ID"),
    publication: str | None = typer.Option(None, "--publication", help="A publication's id.", metavar="ID"),
    event: str | None = typer.Option(None, "--event", help="The key of a merged event.", metavar="KEY"),
    at: str | None = typer.Option(
        None, "--at", help="A time in the window, e.g. 2026-01-01T08:00:05Z (the last window).", metavar="TIME"
    ),
    decision: str | None = typer.Option(
        None, "--decision", help="A link policy to use instead of the file's.", metavar="A"
    ),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
    master: str = MasterOption,
    conf: list[str] = ConfOption,
) -> None:
    """Explain a window, a publication or a merged event: routes, decisions of links and their reasons.

    With --subscription, explain a window of the subscription: the routes of its publications and the decision of each
    link. For a plain subscription, show the publications in the second after TIME that it received.

    With --publication, explain the recipients of a publication: matching subscriptions, the k best, and the choice of
    each broker; with --subscription as well, why this subscription does or does not receive it.

    With --event, show the course of a merged event: reports, redundant values, the coordinator and all notifications;
    of several events with the key the one at TIME, or the last.

    Example: sparing explain toronto.yaml --subscription flow --at 2026-01-01T08:00:05Z

    Example: sparing explain offers.yaml --publication bike --subscription d1

    Example: sparing explain incidents.yaml --event "401 km 3" --subscription alarm
    """
    from sparing.deployment.deployment import Deployment

    if subscription is None and publication is None and event is None:
        raise SparingError("Nothing to explain: add --subscription ID, --publication ID or --event KEY.")
    if event is not None and (publication is not None or decision is not None):
        raise SparingError("--event can be combined with --subscription and --at only: remove the other options.")
    if publication is not None and (at is not None or decision is not None):
        raise SparingError("--at and --decision apply to windows: remove them, or remove --publication.")
    time = None if at is None else micros(at)
    deployment = Deployment.read(file)
    deployment.needed_source()
    with spark_session(master, conf, deployment) as spark:
        from sparing.spark.tools.explain import explain as run
        from sparing.spark.tools.explain_choice import explain_choice
        from sparing.spark.tools.explain_event import explain_event

        if event is not None:
            with step(f"Replaying the events of {deployment.name}"):
                history = explain_event(spark, deployment, event, subscription, time)
            print_event(history, subscription, as_json)
        elif publication is not None:
            with step(f"Looking for {publication} in the source of {deployment.name}"):
                choice = explain_choice(spark, deployment, publication, subscription)
            print_choice(choice, as_json)
        elif subscription is not None:
            with step(f"Replaying {deployment.name}"):
                explained = run(spark, deployment, subscription, time, decision)
            if as_json:
                typer.echo(json.dumps(_json(explained), indent=1))
            else:
                _print_explained(explained)


def _json(explained: NotificationExplanation) -> dict[str, object]:
    return {
        "subscription": explained.subscription.id,
        "subscriber": explained.subscription.subscriber,
        "broker": explained.broker,
        "start": explained.start,
        "end": explained.end,
        "seen": asdict(explained.seen),
        "walked": None if explained.walked is None else asdict(explained.walked),
    }


def _print_explained(explained: NotificationExplanation) -> None:
    seen = explained.seen
    who = f"{explained.subscription.id}, for {explained.subscription.subscriber} at {explained.broker}"
    say(f"{who}: {clock(explained.start)} to {clock(explained.end)}", "bold")
    published = f"{counted(seen.published, 'publication')} on {explained.subscription.query.topic}"
    say(f"{published}, {counted(seen.matched, 'of them matches', 'of them match')}{ranked(seen)}.")
    for constraint, times in seen.failed.items():
        say(f"  {constraint} fails for {times:,}")
    for count, route in seen.origins.values():
        say(
            f"  {count:,} arrived via {' > '.join(route)}"
            if len(route) > 1
            else f"  {counted(count, 'was', 'were')} published at {route[0]} itself"
        )
    if explained.walked is None:
        received = sum(count for count, _ in seen.origins.values())
        say(
            "A plain subscription: each publication is delivered at once."
            if received
            else "It received no publication."
        )
        return
    decided = {(decision.source, decision.target) for decision in explained.walked.decisions}
    if any(link not in decided for _, route in seen.origins.values() for link in pairwise(route)):
        say("Links not listed below forward at once, because subscriptions beyond them need single publications.")
    for decision in explained.walked.decisions:
        say()
        _print_decision(decision)
    say()
    if explained.walked.payload is None:
        say("No publication arrived for this window, so there is no notification.")
        return
    notified = explained.walked.told
    assert notified is not None or not explained.walked.decisions
    when = "" if notified is None else f"at {clock(notified)} "
    say(f"{explained.subscription.subscriber} is notified {when}{explained.walked.payload}")


def ranked(seen: PublicationCounts) -> str:
    """Return the number of publications with top-k delivery, and for how many the subscription was among the k best."""
    if not seen.ranked:
        return ""
    with_top_k = (
        "" if seen.ranked == seen.matched else f", {counted(seen.ranked, 'of these has', 'of these have')} top_k"
    )
    return f"{with_top_k}; it was among the k best for {seen.chosen:,}"


def _print_decision(decision: Decision) -> None:
    held = []
    if decision.publications:
        held.append(counted(len(decision.publications), "publication"))
    if decision.results:
        held.append(f"{counted(decision.results, 'partial result')} of {decision.inside:,}")
    what = "aggregated into one result" if decision.aggregated else f"forwarded: {counted(decision.sent, 'message')}"
    link = f"{decision.source} > {decision.target} at {clock(decision.time)}"
    say(f"{link}: {' and '.join(held)}, {what}", "bold")
    say(f"  because {decision.why}")
    for publication in decision.publications[:MOST]:
        beyond = counted(publication.degree, "window")
        degree = f", in {beyond} beyond" if publication.degree else ""
        say(f"  {publication.id} by {publication.publisher} at {clock(publication.time)}{degree}")
    if len(decision.publications) > MOST:
        say(f"  and {len(decision.publications) - MOST:,} more")
