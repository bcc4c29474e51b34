"""The bill as one page that needs no other file: where messages went, of which kinds, what each technique saved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import Saving
from sparing.model.bill import CONTROL, DATA, Bill, MessageKind
from sparing.model.counted import counted, noun
from sparing.report.amounts import above_least, change, costs_of, share
from sparing.report.bill_map import BillMap
from sparing.report.bill_over_time import bill_over_time, moment_of
from sparing.report.html import render
from sparing.report.legend import DATA_LEGEND, LEGEND
from sparing.report.savings import savings_rows

TOP = 12  # links that are shown at once


@dataclass(frozen=True)
class Billed:
    """What a page is about. `bills` has ours first and the naive one last, those of other policies between them."""

    deployment: Deployment
    bills: Mapping[str, Bill]
    rows: Mapping[str, int]  # of the tables that were written
    least: Mapping[tuple[str, str], int] | None = None
    savings: Sequence[Saving] = ()
    refused: Mapping[str, str] = field(default_factory=dict)

    @property
    def ours(self) -> Bill:
        """The bill under the deployment's own policy."""
        return next(iter(self.bills.values()))

    @property
    def naive(self) -> Bill:
        """The bill with no technique at all."""
        return list(self.bills.values())[-1]

    @property
    def least_total(self) -> int | None:
        """The least possible on all links together, if it is known."""
        return None if self.least is None else sum(self.least.values())

    @cached_property
    def map(self) -> BillMap:
        """The map that all bills share."""
        home = frozenset(ad.broker for ad in self.deployment.advertisements)
        served = frozenset(broker for brokers in self.deployment.subscribers.values() for broker in brokers)
        return BillMap.of(self.deployment.overlay, home, served, self.bills)

    @property
    def headline(self) -> str:
        """What it comes to."""
        ours, naive = self.ours.between_brokers(), self.naive.between_brokers()
        saved = f": {share(ours, naive)} fewer" if ours < naive else ""
        return f"{counted(ours, 'message')} between brokers instead of {naive:,}{saved}"


def bill_page(billed: Billed) -> str:
    """The whole page."""
    from markupsafe import Markup

    bills, policy = billed.bills, billed.deployment.policy
    ours, *others, naive = bills
    over_time = bill_over_time(billed.ours, billed.naive, billed.deployment.bucket)

    def draw(name: str, labels: bool) -> Markup:
        return Markup(billed.map.svg(bills[name], f"messages on every link: {name}", labels))

    values: dict[str, Any] = {
        "title": f"The bill of {billed.deployment.name}",
        "billed": billed,
        "span": _span(billed),
        "cards": list(_cards(billed)),
        "legend": LEGEND,
        "data_legend": DATA_LEGEND,
        "titles": {name: f"{name} ({policy.decision})" if name == ours else name for name in bills},
        "ours": ours,
        "naive": naive,
        "others": others,
        "draw": draw,
        "most": max(*(bill.between_brokers() for bill in bills.values()), 1),
        "merging": bool(billed.ours.only(MessageKind.MERGED)),
        "kinds": (["messages by kind", *bills], list(_kinds(billed))),
        "over_time": Markup(over_time or ""),
        "before": sum(n for key, n in billed.ours.over_links().items() if key.bucket is None),
        "savings": savings_rows(billed.savings, billed.ours, billed.naive),
        "links": _links(billed),
        "top": TOP,
    }
    return render("bill.html.j2", values)


def _span(billed: Billed) -> tuple[datetime, datetime] | None:
    """The first and last time on the bill."""
    times = [key.bucket for key in billed.ours if key.bucket is not None]
    return (moment_of(min(times)), moment_of(max(times) + billed.deployment.bucket)) if times else None


def _cards(billed: Billed) -> Iterator[tuple[str, str]]:
    """The most important numbers, and what they are."""
    ours, naive = billed.ours.between_brokers(), billed.naive.between_brokers()
    yield f"{ours:,}", f"{noun(ours, 'message')} between brokers"
    yield f"{naive:,}", "with none of the techniques"
    if billed.least_total is not None:
        yield f"{billed.least_total:,}", "the least possible"
    notifications, aside = (billed.rows.get(name, 0) for name in ("notifications", "quarantine"))
    yield f"{notifications:,}", noun(notifications, "notification")
    yield f"{aside:,}", f"{noun(aside, 'row')} in quarantine"
    if billed.deployment.prices is not None:
        for what, (mine, theirs) in costs_of([billed.ours, billed.naive], billed.deployment.prices).items():
            yield mine, f"{what} including the last hop (naive: {theirs})"


def _kinds(billed: Billed) -> Iterator[list[str]]:
    """Rows of the table by kind: what is counted, and the counts on each bill."""
    bills, prices = list(billed.bills.values()), billed.deployment.prices
    present = {key.kind for bill in bills for key in bill}
    for kind in (*DATA, MessageKind.FALSE_POSITIVE, MessageKind.COORDINATION, *CONTROL):
        if kind in present:
            note = " (of the publications)" if kind is MessageKind.FALSE_POSITIVE else ""
            yield [f"{kind.value}{note}", *(f"{bill.only(kind).total():,}" for bill in bills)]
    for what, totals in (
        ("between brokers", [bill.between_brokers() for bill in bills]),
        ("on links, all kinds", [bill.over_links().total() for bill in bills]),
    ):
        yield [what, *(f"{total:,}" for total in totals)]
        yield [f"{what}, against naive", *(change(total, totals[-1]) for total in totals)]
    if billed.least_total is not None:
        yield ["between brokers, above the least possible", *above_least(billed.bills, billed.least_total, 1)]
    yield ["notification (last hop)", *(f"{bill.only(MessageKind.NOTIFICATION).total():,}" for bill in bills)]
    if prices is not None:
        for what, costs in costs_of(bills, prices).items():
            yield [f"{what}, last hop included", *costs]


def _links(billed: Billed) -> tuple[list[str], list[list[str]]]:
    """The table of links, the busiest first."""
    crossed, prices = billed.ours.over_links(), billed.deployment.prices
    ours, naive = crossed.by_link(), billed.naive.over_links().by_link()
    busiest = sorted(ours.keys() | naive.keys(), key=lambda link: (-max(ours.get(link, 0), naive.get(link, 0)), link))
    names = ["link", *(entry.name for entry in LEGEND), "ours", "naive", "against naive"]
    names += ["least (data)"] if billed.least is not None else []
    names += [] if prices is None else list(costs_of([], prices))
    by_entry = [entry.of(billed.ours).by_link() for entry in LEGEND]
    here = defaultdict[tuple[str, str], Bill](Bill)
    for key, messages in crossed.items():
        here[key.source, key.target][key] = messages
    rows = []
    for link in busiest:
        mine, theirs = ours.get(link, 0), naive.get(link, 0)
        row = [f"{link[0]}>{link[1]}", *(f"{found.get(link, 0):,}" for found in by_entry), f"{mine:,}", f"{theirs:,}"]
        row.append(change(mine, theirs))
        row += [f"{billed.least.get(link, 0):,}"] if billed.least is not None else []
        if prices is not None:
            row += [cost for (cost,) in costs_of([here[link]], prices).values()]
        rows.append(row)
    return names, rows
