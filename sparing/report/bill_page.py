"""The bill as a self-contained HTML page: messages by link, kind, policy and time, and savings by technique."""

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
from sparing.report.amounts import above_least, change, costs_of, percent_saved
from sparing.report.bill_map import BillMap
from sparing.report.bill_over_time import bill_over_time, datetime_of
from sparing.report.html import render
from sparing.report.legend import DATA_LEGEND, LEGEND
from sparing.report.savings import savings_rows

TOP = 12  # links shown before the folded rest


@dataclass(frozen=True)
class BillReport:
    """The content of a page. `bills` has ours first, then those of other policies, the naive one last."""

    deployment: Deployment
    bills: Mapping[str, Bill]
    rows: Mapping[str, int]  # by table of the sink
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
        """The least possible over all links, if known."""
        return None if self.least is None else sum(self.least.values())

    @cached_property
    def map(self) -> BillMap:
        """The map shared by all bills."""
        publishing = frozenset(ad.broker for ad in self.deployment.advertisements)
        subscribing = frozenset(broker for brokers in self.deployment.subscribers.values() for broker in brokers)
        return BillMap.of(self.deployment.overlay, publishing, subscribing, self.bills)

    @property
    def headline(self) -> str:
        """The total in one line."""
        ours, naive = self.ours.between_brokers(), self.naive.between_brokers()
        saved = f": {percent_saved(ours, naive)} fewer" if ours < naive else ""
        return f"{counted(ours, 'message')} between brokers instead of {naive:,}{saved}"


def bill_page(report: BillReport) -> str:
    """Return the page."""
    from markupsafe import Markup

    bills, policy = report.bills, report.deployment.policy
    ours, *others, naive = bills
    over_time = bill_over_time(report.ours, report.naive, report.deployment.bucket)

    def draw(name: str, labels: bool) -> Markup:
        return Markup(report.map.svg(bills[name], f"messages on every link: {name}", labels))

    values: dict[str, Any] = {
        "title": f"The bill of {report.deployment.name}",
        "report": report,
        "span": _span(report),
        "cards": list(_key_figures(report)),
        "legend": LEGEND,
        "data_legend": DATA_LEGEND,
        "titles": {name: f"{name} ({policy.decision})" if name == ours else name for name in bills},
        "ours": ours,
        "naive": naive,
        "others": others,
        "draw": draw,
        "most": max(*(bill.between_brokers() for bill in bills.values()), 1),
        "merging": bool(report.ours.only(MessageKind.MERGED)),
        "kinds": (["messages by kind", *bills], list(_rows_by_kind(report))),
        "over_time": Markup(over_time or ""),
        "before": sum(n for key, n in report.ours.over_links().items() if key.bucket is None),
        "savings": savings_rows(report.savings, report.ours, report.naive),
        "links": _links_table(report),
        "top": TOP,
    }
    return render("bill.html.j2", values)


def _span(report: BillReport) -> tuple[datetime, datetime] | None:
    """Return the first and the last time on the bill."""
    times = [key.bucket for key in report.ours if key.bucket is not None]
    return (datetime_of(min(times)), datetime_of(max(times) + report.deployment.bucket)) if times else None


def _key_figures(report: BillReport) -> Iterator[tuple[str, str]]:
    """Yield the most important numbers with their labels."""
    ours, naive = report.ours.between_brokers(), report.naive.between_brokers()
    yield f"{ours:,}", f"{noun(ours, 'message')} between brokers"
    yield f"{naive:,}", "with none of the techniques"
    if report.least_total is not None:
        yield f"{report.least_total:,}", "the least possible"
    notifications, aside = (report.rows.get(name, 0) for name in ("notifications", "quarantine"))
    yield f"{notifications:,}", noun(notifications, "notification")
    yield f"{aside:,}", f"{noun(aside, 'row')} in quarantine"
    if report.deployment.prices is not None:
        for what, (mine, theirs) in costs_of([report.ours, report.naive], report.deployment.prices).items():
            yield mine, f"{what} including the last hop (naive: {theirs})"


def _rows_by_kind(report: BillReport) -> Iterator[list[str]]:
    """Yield the rows of the table by kind: a label, and a count for each bill."""
    bills, prices = list(report.bills.values()), report.deployment.prices
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
    if report.least_total is not None:
        yield ["between brokers, above the least possible", *above_least(report.bills, report.least_total, 1)]
    yield ["notification (last hop)", *(f"{bill.only(MessageKind.NOTIFICATION).total():,}" for bill in bills)]
    if prices is not None:
        for what, costs in costs_of(bills, prices).items():
            yield [f"{what}, last hop included", *costs]


def _links_table(report: BillReport) -> tuple[list[str], list[list[str]]]:
    """Return the table of links, the busiest first."""
    crossed, prices = report.ours.over_links(), report.deployment.prices
    ours, naive = crossed.by_link(), report.naive.over_links().by_link()
    busiest = sorted(ours.keys() | naive.keys(), key=lambda link: (-max(ours.get(link, 0), naive.get(link, 0)), link))
    names = ["link", *(entry.name for entry in LEGEND), "ours", "naive", "against naive"]
    names += ["least (data)"] if report.least is not None else []
    names += [] if prices is None else list(costs_of([], prices))
    by_entry = [entry.messages(report.ours).by_link() for entry in LEGEND]
    bill_of = defaultdict[tuple[str, str], Bill](Bill)
    for key, messages in crossed.items():
        bill_of[key.source, key.target][key] = messages
    rows = []
    for link in busiest:
        mine, theirs = ours.get(link, 0), naive.get(link, 0)
        row = [f"{link[0]}>{link[1]}", *(f"{found.get(link, 0):,}" for found in by_entry), f"{mine:,}", f"{theirs:,}"]
        row.append(change(mine, theirs))
        row += [f"{report.least.get(link, 0):,}"] if report.least is not None else []
        if prices is not None:
            row += [cost for (cost,) in costs_of([bill_of[link]], prices).values()]
        rows.append(row)
    return names, rows
