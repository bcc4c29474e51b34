"""`sparing plan`: what the control plane worked out, without Spark and without any data."""

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
    json_file: Path | None = typer.Option(None, "--json", help="Write all of it to a file as JSON.", metavar="OUT"),
    at: str | None = typer.Option(
        None,
        "--at",
        help="With the subscriptions in force then, e.g. 2026-01-01T08:00:05Z (before the first change).",
        metavar="TIME",
    ),
    plot: Path | None = typer.Option(
        None, "--plot", help="Draw the overlay with its markings, as an SVG picture.", metavar="OUT"
    ),
    changes: bool = typer.Option(
        False, "--changes", help="Count the messages of subscriptions that come and go, even if that takes long."
    ),
) -> None:
    """Show what the control plane worked out: where advertisements and subscriptions meet, and who knows what.

    Needs neither Spark nor a source: nothing is published.

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
        found = summary_of(planned, time, patient=changes)
    if json_file is not None:
        write_json(json_file, plan_json(deployment.name, planned, found, time))
    if plot is not None:
        write_text(plot, _picture(deployment.overlay, planned, found, time))
    _tell(deployment.name, planned, found, time)


def _tell(name: str, plan: Plan, found: Summary, time: int | None) -> None:
    from sparing.report.plan import brokers_table, control_links_table, messages_table, offer_lines

    when = "before the first change" if time is None else f"at {clock(time)}"
    in_force = "" if found.in_force == found.subscriptions else f", {found.in_force:,} of them in force {when}"
    parts = (
        counted(len(plan.routes.brokers), "broker"),
        counted(len({ad.publisher for ad in plan.advertisements}), "publisher"),
        counted(found.subscriptions, "subscription"),
    )
    trees, policy = "shared tree" if plan.shared else "tree per source", plan.policy
    say(f"{name}: {', '.join(parts)}{in_force}; {trees}, matchmaker {policy.matchmaker}, covering {policy.covering}.")
    _tell_attachments(found)
    for marking in found.markings:
        _tell_marking(marking)
    _tell_merges(plan, found)
    out.print(brokers_table(found.brokers[:MOST]))
    less = "fewer subscriptions"
    say_more(len(found.brokers), MOST, f"broker, which holds {less}", f"brokers, which hold {less}")
    if found.offers:
        say("What is advertised, and how far subscriptions are told of", "bold italic")
        for offer in found.offers[:MOST]:
            heading, *lines = offer_lines(offer)
            say(f"\n  {heading}")
            for line in lines:
                say(f"    {line}")
        say()
        fewer = "with fewer subscriptions known at their brokers"
        say_more(len(found.offers), MOST, f"advertisement {fewer}", f"advertisements {fewer}")
    if sum(offer.messages.with_covering for offer in found.offers) > found.subscription_messages.with_covering:
        say("  What crosses a link for several advertisements crosses it once, so there are fewer messages in all.")
    busy = [link for link in found.links if link.messages]
    _tell_folding(plan, found, time)
    out.print(messages_table(found))
    say(f"  {saved(found.subscription_messages)}")
    _tell_changes(found, time)
    if busy:
        say()
        out.print(control_links_table(busy[:MOST], folds=bool(found.foldings)))
        say_more(len(busy), MOST, "link, which carries less", "links, which carry less")


def _picture(overlay: Overlay, plan: Plan, found: Summary, time: int | None) -> str:
    from sparing.report.marking_map import marking_svg

    names, in_force = plan.routes.brokers, plan.in_force(time)
    published = {topic: {names[b]: n for b, n in counts.items()} for topic, counts in plan.published.items()}
    subscribed = {
        topic: dict(zip(names, plan.subscribed(topic, in_force).tolist(), strict=True)) for topic in plan.topics
    }
    return marking_svg(overlay, found.markings, published, subscribed)


def saved(told: CoveredCount) -> str:
    """What covering saved, in a sentence."""
    if not told.without_covering:
        return "No subscription has to be told to a neighbour."
    if not told.saved:
        return "Covering saves nothing here."
    return f"Covering saves {counted(told.saved, 'message')} about subscriptions, {told.saved_percent}%."


def _tell_marking(marking: MarkingSummary) -> None:
    from sparing.report.plan import against_broadcasts, marking_table, meeting_lines

    say(f"Where advertisements and subscriptions meet: {marking.topic}", "bold italic")
    say(f"  {against_broadcasts(marking)}")
    for line in meeting_lines(marking.meetings[:MOST]):
        say(f"  {line}")
    say_more(len(marking.meetings), MOST, "broker where they meet", "brokers where they meet")
    if marking.links:
        out.print(marking_table(marking.links[:MOST_LINKS]))
        say_more(len(marking.links), MOST_LINKS, "link")


def _tell_merges(plan: Plan, found: Summary) -> None:
    from sparing.report.plan import merge_lines

    for merge in found.merges:
        say(f"Who merges events: {merge.topic}", "bold italic")
        for line in merge_lines(merge, plan.policy):
            say(f"  {line}")


def _tell_attachments(found: Summary) -> None:
    from sparing.report.plan import attachment_line

    if found.attached:
        say("Who could hang at several brokers", "bold italic")
        for reason in found.attached[:MOST]:
            say(f"  {attachment_line(reason)}.")
        say_more(len(found.attached), MOST, "that had a choice", "that had a choice")


def _tell_folding(plan: Plan, found: Summary, time: int | None) -> None:
    from sparing.report.plan import clusters_table, folding_line

    if found.foldings and time is not None:
        say("Folded afresh for those in force then; a plan under way gets there step by step, and may differ.", "dim")
    for folding in found.foldings:
        say(f"What is folded: {folding.topic}", "bold italic")
        say(f"  {folding_line(folding, plan.policy.folding)}")
        if folding.clusters:
            out.print(clusters_table(folding.clusters[:MOST]))
            say_more(len(folding.clusters), MOST, "cluster, which saves less", "clusters, which save less")


def _tell_changes(found: Summary, time: int | None) -> None:
    changing, messages = found.changes.subscriptions, found.changes.messages
    if not changing:
        return
    who = f"{counted(changing, 'subscription comes', 'subscriptions come')} and {'goes' if changing == 1 else 'go'}"
    when = " later" if time is None else ""
    if messages is None:
        say(f"  {who}{when}: to count the messages takes a while, --changes does it.")
    else:
        say(f"  {who}{when}: {counted(messages, 'more message')}.")


def _attached_json(reason: AttachmentReason) -> dict[str, Any]:
    far = {broker: None if hops == inf else hops for broker, hops in reason.alternatives.items()}
    return asdict(reason) | {"alternatives": far, "hops_more": None if reason.hops_more == inf else reason.hops_more}


def _folding_json(folding: FoldingSummary) -> dict[str, Any]:
    clusters = [asdict(cluster) | {"risk": cluster.risk} for cluster in folding.clusters]
    return asdict(folding) | {"clusters": clusters}


def plan_json(name: str, plan: Plan, found: Summary, time: int | None) -> dict[str, Any]:
    """A plan for programs."""
    return {
        "deployment": name,
        "covering": plan.policy.covering.value,
        "matchmaker": plan.policy.matchmaker.value,
        "tree": plan.policy.tree.value,
        "at": None if time is None else clock(time),
        "subscriptions": found.subscriptions,
        "in_force": found.in_force,
        "brokers": [asdict(broker) | {"holds": asdict(broker.holds)} for broker in found.brokers],
        "advertisements": [asdict(offer) for offer in found.offers],
        "messages": {
            "advertisement": found.advertised,
            "subscription": asdict(found.subscribed),
            "channel": asdict(found.channels),
            "coordination": found.coordination,
            "saved_percent": found.subscription_messages.saved_percent,
        },
        "markings": [asdict(marking) for marking in found.markings],
        "links": [asdict(link) for link in found.links],
        "changes": asdict(found.changes),
        "folding": {
            "method": plan.policy.folding.value,
            "saved": found.folded_subscriptions + found.folded_channels,
            "topics": [_folding_json(folding) for folding in found.foldings],
        },
        "merging": {"events": plan.policy.events.value, "topics": [asdict(merge) for merge in found.merges]},
        "attached": [_attached_json(reason) for reason in found.attached],
    }
