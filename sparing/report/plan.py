"""A plan's summary as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from rich.table import Table

from sparing.control.summary.fold_summary import Cluster, FoldingSummary
from sparing.control.summary.mark_summary import MarkedLink, MarkingSummary, Meeting
from sparing.control.summary.merge_summary import MergeSummary
from sparing.control.summary.plan_summary import BrokerSummary, LinkSummary, OfferSummary, Summary
from sparing.control.trees.attachment import SIMILARITY, AttachmentReason, nearest
from sparing.deployment.values import duration_text
from sparing.model.counted import counted
from sparing.model.policy import Policy
from sparing.report.amounts import shortened
from sparing.report.tables import new_table

LONGEST = 100  # shown characters of a condition


def _table(title: str, first: str, numbers: Sequence[str]) -> Table:
    table = new_table(title)
    table.add_column(first, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", style="dim" if name.startswith("without") else "")
    return table


def brokers_table(brokers: Sequence[BrokerSummary]) -> Table:
    """Return the table of subscriptions known to and sent by brokers."""
    numbers = ("own", "received", "known", "without covering", "sent", "without covering")
    table = _table("Subscriptions at brokers", "broker", numbers)
    for broker in brokers:
        row = [broker.own, broker.told_by_neighbours.with_covering]
        for counts in (broker.holds, broker.told_to_neighbours):
            row += [counts.with_covering, counts.without_covering]
        table.add_row(broker.broker, *[f"{number:,}" for number in row])
    return table


MOST_NAMES = 3  # in a cell of a table
MOST_SHARES = 8  # listed brokers of an advertisement


def merge_lines(merge: MergeSummary, policy: Policy) -> list[str]:
    """Return lines about the aggregators of a merged topic and its cycles."""
    brokers = f"{counted(merge.brokers, 'broker')}, the center is {merge.center}"
    lines = [f"{brokers}; the event key is {', '.join(merge.key)}"]
    if not policy.merges:
        return [*lines, "no merging: every report travels to every broker with a subscription that may match"]
    lines.append(f"possible coordinators: {', '.join(merge.active)}")
    placement = policy.places
    for hops, level in enumerate(merge.levels, 1):
        if not isinstance(placement, int) or placement == hops:
            who = shortened(level, MOST_SHARES)
            lines.append(
                f"{'may merge' if not isinstance(placement, int) else 'merge'}, {counted(hops, 'hop')} away: {who}"
            )
    cycle = f"notifications at most every {duration_text(merge.cycle)}" if merge.cycle else "all notifications at once"
    at_once = (
        f"; {counted(merge.at_once, 'subscription is', 'subscriptions are')} notified at once"
        if merge.at_once and merge.cycle
        else ""
    )
    return [*lines, cycle + at_once]


def offer_lines(offer: OfferSummary) -> list[str]:
    """Return lines about an advertisement: top-k, covering, messages; the first line is a heading."""
    others = f" and {len(offer.publishers) - 1:,} more" if len(offer.publishers) > 1 else ""
    where = "" if offer.where == "true" else f" where {_cut(offer.where)}"
    lines = [f"{offer.publishers[0]}{others} at {offer.broker}: {offer.topic}{where}"]
    if offer.top_k is not None:
        lines.append(f"to {offer.top_k:,} of the matching subscriptions: {offer.rank}")
    technique = "no covering" if offer.technique == "none" else offer.technique
    lines.append(technique if offer.remark is None else f"{technique}: {offer.remark}")
    known, sent = offer.known.with_covering, offer.messages
    lines.append(
        f"{offer.matching:,} can match, {known:,} of them known at {offer.broker}: "
        + counted(sent.with_covering, "message")
        + (f" instead of {sent.without_covering:,}" if sent.saved else "")
    )
    shares = [f"{share.broker} {share.holds:,}/{share.forwards:,}" for share in offer.brokers]
    if shares:
        lines.append(f"held/forwarded: {shortened(shares, MOST_SHARES)}")
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def messages_table(summary: Summary) -> Table:
    """Return the table of control messages by kind."""
    folds = bool(summary.foldings)
    table = _table(
        "Messages of the control plane", "", (*(["with folding"] if folds else []), "with covering", "without covering")
    )
    advertised, subscribed, channels = summary.advertised, summary.subscribed, summary.channels
    rows: dict[str, tuple[int, ...]] = {
        "advertisement": (advertised, advertised),
        "subscription": (subscribed.with_covering, subscribed.without_covering),
        "channel": (channels.with_covering, channels.without_covering),
        "coordination": (summary.coordination, summary.coordination),
    }
    if folds:
        saved = {"subscription": summary.folded_subscriptions, "channel": summary.folded_channels}
        rows = {kind: (numbers[0] - saved.get(kind, 0), *numbers) for kind, numbers in rows.items()}
    for kind, numbers in rows.items():
        table.add_row(kind, *[f"{number:,}" for number in numbers])
    table.add_section()
    totals = [sum(column) for column in zip(*rows.values(), strict=True)]
    table.add_row("total", *[f"{number:,}" for number in totals], style="bold")
    return table


def marking_table(links: Sequence[MarkedLink]) -> Table:
    """Return the table of links with sigma, tau, eta (the notation of the matchmaker paper) and marking."""
    table = _table("", "link", ("sigma", "tau", "eta"))
    table.add_column("mark")
    weighted = any(link.weight != 1 for link in links)
    if weighted:
        table.add_column("weight", justify="right")
    for link in links:
        row = [f"{link.sigma:,}", f"{link.tau:,}", f"{link.eta:+,}" if link.eta else "0", f"{link.mark}-link"]
        table.add_row(f"{link.source}>{link.target}", *row, *([f"{link.weight:,}"] if weighted else []))
    return table


def meeting_lines(meetings: Sequence[Meeting]) -> list[str]:
    """Return a line for each broker where advertisements and subscriptions meet."""
    return [
        f"at {meeting.broker}: advertisements from {shortened(meeting.publishers, MOST_SHARES)}, "
        f"subscriptions from {shortened(meeting.subscribers, MOST_SHARES)}"
        for meeting in meetings
    ]


def against_broadcasts(marking: MarkingSummary) -> str:
    """Return a sentence that compares the descriptors of a marking with both broadcasts."""
    best = min(marking.publish_everywhere, marking.subscribe_everywhere)
    saved = f" ({100 * (best - marking.cost) / best:.0f}% less than the cheaper one)" if marking.cost < best else ""
    return (
        f"{counted(marking.cost, 'content descriptor crosses', 'content descriptors cross')} links, before covering; "
        f"{marking.publish_everywhere:,} would if all links were p-links, "
        f"{marking.subscribe_everywhere:,} if all were s-links{saved}."
    )


def control_links_table(links: Sequence[LinkSummary], folds: bool = False) -> Table:
    """Return the table of control messages by link; with `folds`, also the messages that folding saves."""
    numbers = ["advertisement", "subscription", "channel", "coordination"]
    table = _table("Messages by link", "link", [*numbers, *(["folded away"] if folds else [])])
    for link in links:
        row = [link.advertisements, link.subscriptions.with_covering, link.channels.with_covering, link.coordination]
        row += [-link.folded_away] if folds else []
        table.add_row(f"{link.source}>{link.target}", *[f"{number:,}" for number in row])
    return table


def folding_line(folding: FoldingSummary, method: str) -> str:
    """Return a sentence about the savings and the risk of folding a topic."""
    alone = f" {counted(folding.alone, 'subscription')} cannot be folded." if folding.alone else ""
    return (
        f"{method} saves {folding.saved:,} of the {counted(folding.possible, 'entry', 'entries')} on links that can be "
        f"saved; the target is {folding.target:,}. "
        f"The risk is {_amount(folding.cost)}, unique range times delay, in a space of {_amount(folding.space)}.{alone}"
    )


def clusters_table(clusters: Sequence[Cluster]) -> Table:
    """Return the table of folded clusters."""
    table = _table("", "cluster", ())
    table.add_column("folded at")
    for name in ("entries saved", "unique range", "delay", "risk"):
        table.add_column(name, justify="right")
    for cluster in clusters:
        table.add_row(
            shortened(cluster.subscriptions, MOST_NAMES),
            shortened(cluster.brokers, MOST_NAMES),
            f"{cluster.saved:,}",
            _amount(cluster.unique_range),
            f"{cluster.delay:,}",
            _amount(cluster.risk),
        )
    return table


def attachment_line(reason: AttachmentReason) -> str:
    """Return a line about the broker of a subscriber or edge broker, and the reason."""
    others = {broker: far for broker, far in reason.alternatives.items() if broker != reason.broker}
    if reason.by == SIMILARITY:
        return (
            f"{reason.kind} {reason.who} at {reason.broker}, by similarity: unique range falls there by "
            f"{_amount(reason.range_saved)}, for {_hops(reason.hops_more)} more than at {nearest(others)}"
        )
    far = ", ".join(f"{broker} {_hops(far)}" for broker, far in sorted(others.items()))
    return (
        f"{reason.kind} {reason.who} at {reason.broker}, by distance: {_hops(reason.alternatives[reason.broker])} "
        f"to publishers that match; {far}"
    )


def _hops(number: float) -> str:
    if number == inf:
        return "no path"
    return f"{_amount(number)} {'hop' if number == 1 else 'hops'}"


def _amount(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e15 else f"{number:,.4g}"
