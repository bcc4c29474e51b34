"""`sparing plan`: the plan of the control plane, without Spark and without publications."""

from __future__ import annotations

from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sparing.cli.console import clock, micros, out, say, say_more, step
from sparing.cli.files import check_outputs, write_json, write_text
from sparing.model.counted import counted

if TYPE_CHECKING:
    from sparing.control.plan import Plan
    from sparing.control.summary.fold_summary import FoldingSummary
    from sparing.control.summary.mark_summary import MarkingSummary
    from sparing.control.summary.plan_summary import CoveredCount, Summary
    from sparing.control.trees.attachment import AttachmentReason
    from sparing.model.overlay import Overlay

MOST = 10  # rows of a table
MOST_LINKS = 400


def plan(
    file: Path = typer.Argument(..., help="The deployment file.", metavar="FILE", show_default=False),
    json_file: Path | None = typer.Option(
        None, "--json", help="Write the complete plan to a file as JSON.", metavar="OUT"
    ),
    at: str | None = typer.Option(
        None,
        "--at",
        help="Use the subscriptions in force at this time, e.g. 2026-01-01T08:00:05Z (before the first change).",
        metavar="TIME",
    ),
    plot: Path | None = typer.Option(
        None, "--plot", help="Draw the overlay with its markings, as an SVG picture.", metavar="OUT"
    ),
    changes: bool = typer.Option(
        False, "--changes", help="Count the messages of joining and leaving subscriptions, which can take long."
    ),
) -> None:
    """Show the plan of the control plane: where advertisements and subscriptions meet, routing tables, messages.

    Needs neither Spark nor a source.

    Example: sparing plan offers.yaml --at 2026-01-01T08:00:00Z --plot plan.svg --json plan.json
    """
    from sparing.deployment.deployment import Deployment
    from sparing.deployment.planning import plan_of

    time = None if at is None else micros(at)
    check_outputs(json_file, plot)
    with step(f"Planning {file.name}"):
        from sparing.control.summary.plan_summary import summary_of

        deployment = Deployment.read(file)
        planned = plan_of(deployment)
        summary = summary_of(planned, time, patient=changes)
    if json_file is not None:
        write_json(json_file, plan_json(deployment.name, planned, summary, time))
    if plot is not None:
        write_text(plot, _picture(deployment.overlay, planned, summary, time))
    _print_plan(deployment.name, planned, summary, time)


def _print_plan(name: str, plan: Plan, summary: Summary, time: int | None) -> None:
    from sparing.report.plan import brokers_table, control_links_table, messages_table, offer_lines

    when = "before the first change" if time is None else f"at {clock(time)}"
    in_force = "" if summary.in_force == summary.subscriptions else f", {summary.in_force:,} of them in force {when}"
    parts = (
        counted(len(plan.routes.brokers), "broker"),
        counted(len({ad.publisher for ad in plan.advertisements}), "publisher"),
        counted(summary.subscriptions, "subscription"),
    )
    trees, policy = "shared tree" if plan.shared else "tree per source", plan.policy
    say(f"{name}: {', '.join(parts)}{in_force}; {trees}, matchmaker {policy.matchmaker}, covering {policy.covering}.")
    _print_attachments(summary)
    for marking in summary.markings:
        _print_marking(marking)
    _print_merges(plan, summary)
    out.print(brokers_table(summary.brokers[:MOST]))
    fewer = "with fewer subscriptions"
    say_more(len(summary.brokers), MOST, f"broker {fewer}", f"brokers {fewer}")
    if summary.offers:
        say("Advertisements and the subscriptions sent towards them", "bold italic")
        for offer in summary.offers[:MOST]:
            heading, *lines = offer_lines(offer)
            say(f"\n  {heading}")
            for line in lines:
                say(f"    {line}")
        say()
        fewer = "with fewer subscriptions known at their brokers"
        say_more(len(summary.offers), MOST, f"advertisement {fewer}", f"advertisements {fewer}")
    if sum(offer.messages.with_covering for offer in summary.offers) > summary.subscription_messages.with_covering:
        say("  A subscription sent for several advertisements crosses a link once, so the total is smaller.")
    busy = [link for link in summary.links if link.messages]
    _print_folding(plan, summary, time)
    out.print(messages_table(summary))
    say(f"  {saved(summary.subscription_messages)}")
    _print_changes(summary, time)
    if busy:
        say()
        out.print(control_links_table(busy[:MOST], folds=bool(summary.foldings)))
        say_more(len(busy), MOST, "link with fewer messages", "links with fewer messages")


def _picture(overlay: Overlay, plan: Plan, summary: Summary, time: int | None) -> str:
    from sparing.report.marking_map import marking_svg

    names, in_force = plan.routes.brokers, plan.in_force(time)
    published = {topic: {names[b]: n for b, n in counts.items()} for topic, counts in plan.published.items()}
    subscribed = {
        topic: dict(zip(names, plan.subscribed(topic, in_force).tolist(), strict=True)) for topic in plan.topics
    }
    return marking_svg(overlay, summary.markings, published, subscribed)


def saved(sent: CoveredCount) -> str:
    """Return a sentence about the savings of covering."""
    if not sent.without_covering:
        return "No subscription is sent to a neighbour."
    if not sent.saved:
        return "Covering saves no message."
    return f"Covering saves {counted(sent.saved, 'message')} about subscriptions, {sent.saved_percent}%."


def _print_marking(marking: MarkingSummary) -> None:
    from sparing.report.plan import against_broadcasts, marking_table, meeting_lines

    say(f"Where advertisements and subscriptions meet: {marking.topic}", "bold italic")
    say(f"  {against_broadcasts(marking)}")
    for line in meeting_lines(marking.meetings[:MOST]):
        say(f"  {line}")
    say_more(len(marking.meetings), MOST, "meeting broker", "meeting brokers")
    if marking.links:
        out.print(marking_table(marking.links[:MOST_LINKS]))
        say_more(len(marking.links), MOST_LINKS, "link")


def _print_merges(plan: Plan, summary: Summary) -> None:
    from sparing.report.plan import merge_lines

    for merge in summary.merges:
        say(f"Merged events: {merge.topic}", "bold italic")
        for line in merge_lines(merge, plan.policy):
            say(f"  {line}")


def _print_attachments(summary: Summary) -> None:
    from sparing.report.plan import attachment_line

    if summary.attached:
        say("Attachments with several candidate brokers", "bold italic")
        for reason in summary.attached[:MOST]:
            say(f"  {attachment_line(reason)}.")
        say_more(len(summary.attached), MOST, "attachment")


def _print_folding(plan: Plan, summary: Summary, time: int | None) -> None:
    from sparing.report.plan import clusters_table, folding_line

    if summary.foldings and time is not None:
        say("Folded anew for the subscriptions in force then; a running stream may have other clusters.", "dim")
    for folding in summary.foldings:
        say(f"Folding: {folding.topic}", "bold italic")
        say(f"  {folding_line(folding, plan.policy.folding)}")
        if folding.clusters:
            out.print(clusters_table(folding.clusters[:MOST]))
            say_more(len(folding.clusters), MOST, "cluster that saves less", "clusters that save less")


def _print_changes(summary: Summary, time: int | None) -> None:
    changing, messages = summary.changes.subscriptions, summary.changes.messages
    if not changing:
        return
    who = counted(changing, "subscription joins or leaves", "subscriptions join or leave")
    when = " later" if time is None else ""
    if messages is None:
        say(f"  {who}{when}: --changes counts the messages, which can take long.")
    else:
        say(f"  {who}{when}: {counted(messages, 'more message')}.")


def _attached_json(reason: AttachmentReason) -> dict[str, Any]:
    hops_by_broker = {broker: None if hops == inf else hops for broker, hops in reason.alternatives.items()}
    return asdict(reason) | {
        "alternatives": hops_by_broker,
        "hops_more": None if reason.hops_more == inf else reason.hops_more,
    }


def _folding_json(folding: FoldingSummary) -> dict[str, Any]:
    clusters = [asdict(cluster) | {"risk": cluster.risk} for cluster in folding.clusters]
    return asdict(folding) | {"clusters": clusters}


def plan_json(name: str, plan: Plan, summary: Summary, time: int | None) -> dict[str, Any]:
    """Return the plan as JSON."""
    return {
        "deployment": name,
        "covering": plan.policy.covering.value,
        "matchmaker": plan.policy.matchmaker.value,
        "tree": plan.policy.tree.value,
        "at": None if time is None else clock(time),
        "subscriptions": summary.subscriptions,
        "in_force": summary.in_force,
        "brokers": [asdict(broker) | {"holds": asdict(broker.holds)} for broker in summary.brokers],
        "advertisements": [asdict(offer) for offer in summary.offers],
        "messages": {
            "advertisement": summary.advertised,
            "subscription": asdict(summary.subscribed),
            "channel": asdict(summary.channels),
            "coordination": summary.coordination,
            "saved_percent": summary.subscription_messages.saved_percent,
        },
        "markings": [asdict(marking) for marking in summary.markings],
        "links": [asdict(link) for link in summary.links],
        "changes": asdict(summary.changes),
        "folding": {
            "method": plan.policy.folding.value,
            "saved": summary.folded_subscriptions + summary.folded_channels,
            "topics": [_folding_json(folding) for folding in summary.foldings],
        },
        "merging": {"events": plan.policy.events.value, "topics": [asdict(merge) for merge in summary.merges]},
        "attached": [_attached_json(reason) for reason in summary.attached],
    }
