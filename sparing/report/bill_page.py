"""The bill as one page that needs nothing but itself: where messages went, what for, and what each technique saved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from sparing.deployment.deployment import Deployment
from sparing.deployment.techniques import Saving
from sparing.model.bill import CONTROL, DATA, Bill, MessageKind
from sparing.model.counted import counted, noun
from sparing.report.amounts import above_least, change, costs_of, share
from sparing.report.bill_map import Ground, bill_map, ground_of
from sparing.report.html import folded, heading, page, paragraph, table
from sparing.report.over_time import moment_of, over_time
from sparing.report.savings import savings_rows
from sparing.report.shades import DATA_SHADES, SHADES

TOP = 12  # links that are shown at once
STYLE = """
.lead { font-size: 1.15rem; }
.cards { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 1.2rem 0; }
.card { border: 1px solid #ddd; border-radius: 0.5rem; padding: 0.6rem 1rem; flex: 1 1 9rem; }
.card b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.maps { display: grid; grid-template-columns: 1fr; gap: 1.2rem; }
.small { grid-template-columns: 1fr 1fr; }
@media print, (min-width: 52rem) {
  .maps { grid-template-columns: 1fr 1fr; } .small { grid-template-columns: repeat(3, 1fr); }
}
figure { margin: 0; } figcaption { font-weight: 600; margin-bottom: 0.3rem; }
figcaption span { font-weight: 400; color: #555; }
.key span { display: inline-block; margin-right: 1rem; white-space: nowrap; }
.key i, .bar i { display: inline-block; height: 0.8em; } .key i { width: 0.8em; margin-right: 0.35em; }
.bars { display: grid; grid-template-columns: max-content 1fr max-content; gap: 0.35rem 0.8rem; align-items: center; }
.bar { position: relative; display: flex; background: #f3f3f3; height: 1.2em; } .bar i { height: 100%; }
.bar u { position: absolute; top: -0.15em; bottom: -0.15em; border-left: 2px dashed #000; }
.ours { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
@media screen { .scroll svg { min-width: 30rem; } }
@media print { h3:has(+ .small) { break-before: page; } .bars { break-inside: avoid; } }
footer { margin-top: 3rem; color: #555; font-size: 0.9em; }
"""


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
    def ground(self) -> Ground:
        """What all maps of the bills are drawn on."""
        home = frozenset(ad.broker for ad in self.deployment.advertisements)
        served = frozenset(broker for brokers in self.deployment.subscribers.values() for broker in brokers)
        return ground_of(self.deployment.overlay, home, served, self.bills)

    @property
    def headline(self) -> str:
        """What it comes to."""
        ours, naive = self.ours.between_brokers(), self.naive.between_brokers()
        saved = f": {share(ours, naive)} fewer" if ours < naive else ""
        return f"{counted(ours, 'message')} between brokers instead of {naive:,}{saved}"


def bill_page(billed: Billed) -> str:
    """The whole page."""
    parts = [
        *_summary(billed),
        heading("Where messages went"),
        _key(),
        *_maps(billed, billed.ground),
        heading("By policy"),
        *_bars(billed),
        _by_kind(billed),
        *_over_time(billed),
        heading("What each technique saved"),
        *_savings(billed),
        heading("The busiest links"),
        *_links(billed),
        _footer(billed),
    ]
    return page(f"The bill of {billed.deployment.name}", parts, STYLE)


def _summary(billed: Billed) -> Iterator[str]:
    ours, naive = billed.ours.between_brokers(), billed.naive.between_brokers()
    deployment, prices = billed.deployment, billed.deployment.prices
    yield f'<p class="lead">{billed.headline}.</p>'
    times = [key.bucket for key in billed.ours if key.bucket is not None]
    span = "."
    if times:
        first, last = moment_of(min(times)), moment_of(max(times) + deployment.bucket)
        span = f"; {first:%Y-%m-%d %H:%M} to {last:%Y-%m-%d %H:%M} UTC."
    overlay = deployment.overlay
    yield paragraph(
        f"{counted(len(overlay.brokers), 'broker')}, {counted(len(overlay.links), 'link')}, "
        f"{counted(len(deployment.topics), 'topic')}, {counted(len(deployment.publishers), 'publisher')}, "
        f"{counted(len(deployment.subscriptions), 'subscription')} of "
        f"{counted(len(deployment.subscribers), 'subscriber')}{span}"
    )
    cards = [
        (f"{ours:,}", f"{noun(ours, 'message')} between brokers"),
        (f"{naive:,}", "with none of the techniques"),
    ]
    if billed.least is not None:
        cards.append((f"{sum(billed.least.values()):,}", "the least possible"))
    notifications, aside = (billed.rows.get(name, 0) for name in ("notifications", "quarantine"))
    cards.append((f"{notifications:,}", noun(notifications, "notification")))
    cards.append((f"{aside:,}", f"{noun(aside, 'row')} in quarantine"))
    if prices is not None:
        for what, (mine, theirs) in costs_of([billed.ours, billed.naive], prices).items():
            cards.append((mine, f"{what} with the last hop (naive: {theirs})"))
    shown = [f'<div class="card"><b>{escape(number)}</b>{escape(what)}</div>' for number, what in cards]
    yield f'<div class="cards">{"".join(shown)}</div>'


def _key() -> str:
    shades = [f'<span><i style="background: {shade.colour}"></i>{shade.name}</span>' for shade in SHADES]
    told = (
        "The wider a link, the more messages; each direction has its own side, on the right of whoever goes along it. "
        "The scale is the same on all maps. Square: publishers are here; filled: subscribers are."
    )
    return f'<p class="key">{"".join(shades)}</p>\n{paragraph(told)}'


def _maps(billed: Billed, ground: Ground) -> Iterator[str]:
    names = list(billed.bills)
    yield f'<div class="maps">{"".join(_map(billed, ground, name, True) for name in (names[0], names[-1]))}</div>'
    if names[1:-1]:
        others = "".join(_map(billed, ground, name, False) for name in names[1:-1])
        yield f'<h3>Under each other policy</h3>\n<div class="maps small">{others}</div>'


def _map(billed: Billed, ground: Ground, name: str, labels: bool) -> str:
    bill = billed.bills[name]
    told = f"{escape(_title(billed, name))} <span>{counted(bill.over_links().total(), 'message')} of all kinds</span>"
    drawing = bill_map(ground, bill, f"messages on every link: {name}", labels)
    scroll = f'<div class="scroll">{drawing}</div>' if labels else drawing
    return f"<figure><figcaption>{told}</figcaption>{scroll}</figure>"


def _title(billed: Billed, name: str) -> str:
    policy = billed.deployment.policy
    return f"{name} ({policy.decision})" if name == next(iter(billed.bills)) else name


def _bars(billed: Billed) -> Iterator[str]:
    totals = {name: bill.between_brokers() for name, bill in billed.bills.items()}
    most, rows = max([*totals.values(), 1]), []
    line = ""
    if billed.least is not None:
        least = sum(billed.least.values())
        line = f'<u style="left: {100 * least / most:.2f}%" title="least possible: {least:,}"></u>'
    for at, (name, bill) in enumerate(billed.bills.items()):
        pieces = [
            f'<i style="width: {100 * n / most:.3f}%; background: {shade.colour}" title="{n:,} {shade.name}"></i>'
            for shade in DATA_SHADES
            if (n := shade.of(bill).total())
        ]
        look = ' class="ours"' if not at else ""
        rows.append(f"<span{look}>{escape(_title(billed, name))}</span>")
        rows.append(f'<span class="bar">{"".join(pieces)}{line}</span><span class="number">{totals[name]:,}</span>')
    yield f'<div class="bars">{"".join(rows)}</div>'
    if billed.least is not None:
        names = ", ".join(shade.name for shade in DATA_SHADES)
        merging = bool(billed.ours.only(MessageKind.MERGED))
        yield paragraph(
            f"The dashed line is the least that {names} can come to on all links together, whatever links decide"
            f"{', with events merged as ours are' if merging else ''}."
        )
    for name, why in billed.refused.items():
        yield paragraph(f"{name} is not among them: {why}")


def _by_kind(billed: Billed) -> str:
    bills, prices = billed.bills.values(), billed.deployment.prices
    present = {key.kind for bill in bills for key in bill}
    rows = []

    def add(what: str, counts: Sequence[str]) -> None:
        rows.append([what, *counts])

    for kind in (*DATA, MessageKind.FALSE_POSITIVE, MessageKind.COORDINATION, *CONTROL):
        if kind in present:
            note = " (of the publications)" if kind is MessageKind.FALSE_POSITIVE else ""
            add(f"{kind.value}{note}", [f"{bill.only(kind).total():,}" for bill in bills])
    for what, totals in (
        ("between brokers", [bill.between_brokers() for bill in bills]),
        ("on links, all kinds", [bill.over_links().total() for bill in bills]),
    ):
        add(what, [f"{total:,}" for total in totals])
        add(f"{what}, against naive", [change(total, totals[-1]) for total in totals])
    if billed.least is not None:
        least = sum(billed.least.values())
        add("between brokers, above the least possible", above_least(billed.bills, least, 1))
    add("notification (last hop)", [f"{bill.only(MessageKind.NOTIFICATION).total():,}" for bill in bills])
    if prices is not None:
        for what, costs in costs_of(list(bills), prices).items():
            add(f"{what}, last hop included", costs)
    return table(["messages by kind", *billed.bills], rows)


def _over_time(billed: Billed) -> Iterator[str]:
    drawing = over_time(billed.ours, billed.naive, billed.deployment.bucket)
    if drawing is not None:
        yield heading("Over time")
        yield f'<div class="scroll">{drawing}</div>'
        before = sum(n for key, n in billed.ours.over_links().items() if key.bucket is None)
        yield paragraph(
            "Messages of all kinds on links, by event time. Bars are ours, the line is the naive bill. "
            f"{counted(before, 'message')} of ours {noun(before, 'was', 'were')} settled before the first publication "
            f"and {noun(before, 'is', 'are')} not in the picture."
        )


def _savings(billed: Billed) -> Iterator[str]:
    if not billed.savings:
        yield paragraph("This page compares ours with the naive bill only; sparing replay --report tells more.")
        return
    yield paragraph(
        "Messages of all kinds on links: the control plane and coordination are included. Alone: with this technique "
        "and no other, against the naive bill. Left out: with all others but this one, against ours."
    )
    names, rows = savings_rows(billed.savings, billed.ours, billed.naive)
    yield table(names, rows, left=2)


def _links(billed: Billed) -> Iterator[str]:
    crossed, prices = billed.ours.over_links(), billed.deployment.prices
    ours, naive = crossed.by_link(), billed.naive.over_links().by_link()
    busiest = sorted(ours.keys() | naive.keys(), key=lambda link: (-max(ours.get(link, 0), naive.get(link, 0)), link))
    names = ["link", *(shade.name for shade in SHADES), "ours", "naive", "against naive"]
    names += ["least (data)"] if billed.least is not None else []
    names += [] if prices is None else list(costs_of([], prices))
    by_shade = [shade.of(billed.ours).by_link() for shade in SHADES]
    here = defaultdict[tuple[str, str], Bill](Bill)
    for key, messages in crossed.items():
        here[key.source, key.target][key] = messages
    rows = []
    for link in busiest:
        mine, theirs = ours.get(link, 0), naive.get(link, 0)
        row = [f"{link[0]}>{link[1]}", *(f"{found.get(link, 0):,}" for found in by_shade), f"{mine:,}", f"{theirs:,}"]
        row.append(change(mine, theirs))
        row += [f"{billed.least.get(link, 0):,}"] if billed.least is not None else []
        if prices is not None:
            row += [cost for (cost,) in costs_of([here[link]], prices).values()]
        rows.append(row)
    yield table(names, rows[:TOP])
    if rows[TOP:]:
        yield folded(f"{len(rows) - TOP:,} more", table(names, rows[TOP:]))


def _footer(billed: Billed) -> str:
    policy = billed.deployment.policy
    told = (
        f"Policy: trees {policy.trees}, tree {policy.tree}, matchmaker {policy.matchmaker}, "
        f"covering {policy.covering}, folding {policy.folding}, events {policy.events}, "
        f"decision {policy.decision}. The naive bill sends every publication as it is to every broker with somebody "
        "who wants it, tells every subscription or every advertisement to everybody, whichever is less, and merges and "
        "folds nothing."
    )
    return f"<footer>{paragraph(told)}</footer>"
