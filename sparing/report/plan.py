"""A plan's summary as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from sparing.control.summary import (
    BrokerSummary,
    LinkSummary,
    MarkedLink,
    MarkingSummary,
    Meeting,
    OfferSummary,
    Summary,
)

LONGEST = 100  # characters of a condition that are shown


def _table(title: str, first: str, numbers: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column(first, no_wrap=True)
    for name in numbers:
        table.add_column(name, justify="right", style="dim" if name.startswith("without") else "")
    return table


def brokers_table(brokers: Sequence[BrokerSummary]) -> Table:
    """How many subscriptions brokers know and tell."""
    numbers = ("own", "told by neighbours", "holds", "without covering", "tells neighbours", "without covering")
    table = _table("What brokers know: subscriptions", "broker", numbers)
    for broker in brokers:
        row = [broker.own, broker.told_by_neighbours.with_covering]
        for counts in (broker.holds, broker.told_to_neighbours):
            row += [counts.with_covering, counts.without_covering]
        table.add_row(Text(broker.broker), *[f"{number:,}" for number in row])
    return table


MOST_SHARES = 8  # brokers that are named for an advertisement


def offer_lines(offer: OfferSummary) -> list[str]:
    """What is advertised, how it is covered, and what that takes; the first line is a heading."""
    others = f" and {len(offer.publishers) - 1:,} more" if len(offer.publishers) > 1 else ""
    where = "" if offer.where == "true" else f" where {_cut(offer.where)}"
    lines = [f"{offer.publishers[0]}{others} at {offer.broker}: {offer.topic}{where}"]
    if offer.top_k is not None:
        lines.append(f"to {offer.top_k:,} of those that match: {offer.rank}")
    technique = "no covering" if offer.technique == "none" else offer.technique
    lines.append(technique if offer.remark is None else f"{technique}: {offer.remark}")
    known, sent = offer.known.with_covering, offer.messages
    lines.append(
        f"{offer.matching:,} can match, {known:,} of them known at {offer.broker}: {sent.with_covering:,} messages"
        + (f" instead of {sent.without_covering:,}" if sent.saved else "")
    )
    told = [f"{share.broker} {share.holds:,}/{share.forwards:,}" for share in offer.brokers]
    if told:
        more = f", and {len(told) - MOST_SHARES:,} more brokers" if len(told) > MOST_SHARES else ""
        lines.append(f"held/forwarded: {', '.join(told[:MOST_SHARES])}{more}")
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def messages_table(summary: Summary) -> Table:
    """What the control plane sends, by kind."""
    table = _table("Messages of the control plane", "", ("with covering", "without"))
    advertised, subscribed, channels = summary.advertised, summary.subscribed, summary.channels
    rows = {
        "advertisement": (advertised, advertised),
        "subscription": (subscribed.with_covering, subscribed.without_covering),
        "channel": (channels.with_covering, channels.without_covering),
        "coordination": (summary.coordination, summary.coordination),
    }
    for kind, numbers in rows.items():
        table.add_row(kind, *[f"{number:,}" for number in numbers])
    table.add_section()
    together = [sum(column) for column in zip(*rows.values(), strict=True)]
    table.add_row("together", *[f"{number:,}" for number in together], style="bold")
    return table


def marking_table(links: Sequence[MarkedLink]) -> Table:
    """How links are marked."""
    table = _table("", "link", ("sigma", "tau", "eta"))
    table.add_column("mark")
    weighted = any(link.weight != 1 for link in links)
    if weighted:
        table.add_column("weight", justify="right")
    for link in links:
        row = [f"{link.sigma:,}", f"{link.tau:,}", f"{link.eta:+,}" if link.eta else "0", f"{link.mark}-link"]
        table.add_row(Text(f"{link.source}>{link.target}"), *row, *([f"{link.weight:,}"] if weighted else []))
    return table


def meeting_lines(meetings: Sequence[Meeting]) -> list[str]:
    """Where advertisements and subscriptions meet."""
    return [
        f"at {meeting.broker}: advertisements from {_some(meeting.publishers)}, "
        f"subscriptions from {_some(meeting.subscribers)}"
        for meeting in meetings
    ]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_SHARES]) + (
        f" and {len(names) - MOST_SHARES:,} more" if len(names) > MOST_SHARES else ""
    )


def against_broadcasts(marking: MarkingSummary) -> str:
    """The descriptors of a marking beside those of both broadcasts, in a sentence."""
    best = min(marking.publish_everywhere, marking.subscribe_everywhere)
    saved = f" ({100 * (best - marking.cost) / best:.0f}% less than the cheaper one)" if marking.cost < best else ""
    return (
        f"{marking.cost:,} content descriptors cross links, before covering; {marking.publish_everywhere:,} would if "
        f"all links were p-links, {marking.subscribe_everywhere:,} if all were s-links{saved}."
    )


def control_links_table(links: Sequence[LinkSummary]) -> Table:
    """What crosses links."""
    table = _table("Messages by link", "link", ("advertisement", "subscription", "channel", "coordination"))
    for link in links:
        told = link.subscriptions.with_covering, link.channels.with_covering
        row = (link.advertisements, *told, link.coordination)
        table.add_row(Text(f"{link.source}>{link.target}"), *[f"{number:,}" for number in row])
    return table
