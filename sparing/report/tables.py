"""Bills and notifications as tables in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from sparing.model.bill import CONTROL, DATA, Bill, MessageKind
from sparing.model.prices import Prices
from sparing.report.amounts import change, costs_of

Least = Mapping[tuple[str, str], int]  # the fewest messages that must cross each link


def bills_table(
    bills: Mapping[str, Bill],
    naive: str | None = None,
    least: Least | None = None,
    seconds: Mapping[str, float] | None = None,
    prices: Prices | None = None,
) -> Table:
    """Bills side by side, by kind. With `naive`, each total is compared with that one's; with `least`, with its sum.

    `seconds` of CPU time and what everything costs are shown if they are given.
    """
    table = Table(box=box.SIMPLE_HEAD, title="The bill: messages by kind", title_justify="left", title_style="bold")
    table.add_column("")
    for name in bills:
        table.add_column(name, justify="right")
    merged = any(bill.only(MessageKind.MERGED) for bill in bills.values())
    for kind in DATA:
        if kind is MessageKind.MERGED and not merged:
            continue
        table.add_row(kind.value, *_counts(bills, kind))
        false = MessageKind.FALSE_POSITIVE
        if kind is MessageKind.PUBLICATION and any(bill.only(false) for bill in bills.values()):
            table.add_row(f"  {false.value} (of these)", *_counts(bills, false), style="dim")
    table.add_section()
    totals = {name: bill.between_brokers() for name, bill in bills.items()}
    table.add_row("between brokers", *[f"{total:,}" for total in totals.values()], style="bold")
    if naive is not None and totals[naive]:
        table.add_row("against " + naive, *[change(total, totals[naive]) for total in totals.values()])
    if least is not None and (possible := sum(least.values())):
        above = [change(bill.between_brokers(), possible, 2) for bill in bills.values()]
        table.add_row(f"above the least possible ({possible:,})", *above)
    if seconds is not None:
        table.add_row("CPU seconds, matching and walk", *[f"{taken:.1f}" for taken in seconds.values()])
    last = MessageKind.NOTIFICATION
    table.add_row(f"{last.value} (last hop)", *_counts(bills, last), style="dim")
    for kind in CONTROL:
        table.add_row(f"{kind.value} (control plane)", *_counts(bills, kind), style="dim")
    kind = MessageKind.COORDINATION
    table.add_row(kind.value, *_counts(bills, kind), style="dim")
    if prices is not None:
        for what, costs in costs_of(list(bills.values()), prices).items():
            table.add_row(f"{what}, last hop included", *costs)
    return table


def figures_table(title: str, names: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> Table:
    """Numbers in columns; the first `left` columns are words."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for at, name in enumerate(names):
        table.add_column(name, justify="left" if at < left else "right")
    for row in rows:
        table.add_row(*row)
    return table


def _counts(bills: Mapping[str, Bill], kind: MessageKind) -> list[str]:
    return [f"{bill.by_kind().get(kind.value, 0):,}" for bill in bills.values()]


def links_table(bills: Mapping[str, Bill], most: int = 10, least: Least | None = None) -> Table:
    """The busiest links between brokers, under each policy, and the least possible."""
    title = f"The {most} busiest links"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("link")
    for name in bills:
        table.add_column(name, justify="right")
    if least is not None:
        table.add_column("least possible", justify="right", style="dim")
    counts = {name: bill.by_overlay_link() for name, bill in bills.items()}
    busiest: dict[tuple[str, str], int] = {}
    for found in counts.values():
        for link, messages in found.items():
            busiest[link] = max(busiest.get(link, 0), messages)
    for link in sorted(busiest, key=lambda link: (-busiest[link], link))[:most]:
        bound = [] if least is None else [f"{least.get(link, 0):,}"]
        table.add_row(f"{link[0]}>{link[1]}", *[f"{found.get(link, 0):,}" for found in counts.values()], *bound)
    return table


def suppressed_table(siena: Least, taken: Mapping[tuple[str, str], Mapping[str, int]], most: int = 10) -> Table:
    """Merged topics on their busiest links and in all: what there would be if nobody merged, and what there was."""
    title = "Merged topics: messages by link, against Siena"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    whole = Counter[str]()
    for found in taken.values():
        whole.update(found)
    kinds = ["publication", "merged", *(["result"] if whole["result"] else [])]
    table.add_column("link")
    for name in ("siena", *kinds, "suppressed", "coordination", "with it"):
        table.add_column(name, justify="right", style="dim" if name in ("coordination", "with it") else "")
    links = sorted(siena.keys() | taken.keys(), key=lambda link: (-siena.get(link, 0), link))
    for link in links[:most]:
        table.add_row(f"{link[0]}>{link[1]}", *_suppressed(siena.get(link, 0), taken.get(link, {}), kinds))
    table.add_section()
    table.add_row("all links", *_suppressed(sum(siena.values()), whole, kinds), style="bold")
    return table


def _suppressed(naive: int, taken: Mapping[str, int], kinds: Sequence[str]) -> list[str]:
    counts = [taken.get(kind, 0) for kind in kinds]
    more = taken.get(MessageKind.COORDINATION.value, 0)
    shares = [f"{100 * (naive - sum(counts) - n) / naive:.1f}%" if naive else "-" for n in (0, more)]
    return [f"{naive:,}", *(f"{n:,}" for n in counts), shares[0], f"{more:,}", shares[1]]


def rows_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> Table:
    """Any rows; the last column is cut so that a row fits the width."""
    texts = [["" if value is None else str(value) for value in row] for row in rows]
    used = sum(max([len(name), *(len(row[at]) for row in texts)]) + 3 for at, name in enumerate(columns[:-1]))
    room = max(width - used - 4, 20)
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for name in columns:
        table.add_column(name, no_wrap=True)
    for *first, last in texts:
        table.add_row(*first, Text(last if len(last) <= room else last[: room - 1] + "…"))
    return table
