"""Bills, notifications and figures as tables in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sparing.model.bill import CONTROL, DATA, Bill, MessageKind
from sparing.model.prices import Prices
from sparing.report.amounts import above_least, change, costs_of

Least = Mapping[tuple[str, str], int]  # the least possible messages per link

MOST_COLUMNS = 4  # bills that fit side by side


class _PlainTable(Table):
    """A table of plain text: brackets in names are not markup."""

    def add_column(self, header: RenderableType = "", *rest: Any, **look: Any) -> None:
        super().add_column(_plain(header), *rest, **look)

    def add_row(self, *cells: RenderableType | None, **look: Any) -> None:
        super().add_row(*map(_plain, cells), **look)


def _plain(cell: RenderableType | None) -> Any:
    return Text(cell) if isinstance(cell, str) else cell


def new_table(title: str, caption: str = "", dense: bool = False) -> Table:
    """Return an empty table in the common style; `dense` reduces the space between columns."""
    return _PlainTable(
        box=box.SIMPLE_HEAD,
        title=Text(title, "bold"),
        title_justify="left",
        caption=Text(caption, "table.caption"),
        caption_justify="left",
        padding=(0, 1, 0, 0) if dense else (0, 1),
        pad_edge=not dense,
    )


def figures_table(
    title: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int | Collection[str] = 1,
    unbroken: int = 0,
    caption: str = "",
) -> Table:
    """Return a table of figures; the first `left` columns, or those of these names, are text.

    Columns with cells longer than `unbroken` characters are wrapped if there is no room.
    """
    table = new_table(title, caption)
    for at, name in enumerate(names):
        longest = max((len(row[at]) for row in rows), default=0)
        min_width = longest if longest <= unbroken else None
        justify: Any = "left" if is_text_column(left, at, name) else "right"
        table.add_column(name, justify=justify, overflow="fold", min_width=min_width)
    for row in rows:
        table.add_row(*row)
    return table


def is_text_column(left: int | Collection[str], at: int, name: str) -> bool:
    """Return whether a column is text; `left` is the number of text columns, which come first, or their names."""
    return at < left if isinstance(left, int) else name in left


def bills_table(
    bills: Mapping[str, Bill],
    naive: str | None = None,
    least: Least | None = None,
    seconds: Mapping[str, float] | None = None,
    prices: Prices | None = None,
) -> RenderableType:
    """Return bills by kind, with totals compared with the bill named `naive` and the sum of `least`.

    `seconds` of CPU time and costs are shown if given. A few bills are columns; many bills are rows.
    """
    if len(bills) > MOST_COLUMNS:
        return Group(_data_by_policy(bills, naive, least), _others_by_policy(bills, seconds, prices))
    table = new_table("The bill: messages by kind")
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
        table.add_row(f"above the least possible ({possible:,})", *above_least(bills, possible, 2))
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


def _data_by_policy(bills: Mapping[str, Bill], naive: str | None, least: Least | None) -> Table:
    """Return a row for each bill: its messages in the data plane, compared with naive and the least possible."""
    kinds = [kind for kind in DATA if kind is not MessageKind.MERGED or any(bill.only(kind) for bill in bills.values())]
    columns = {kind.value: _counts(bills, kind) for kind in kinds}
    totals = {name: bill.between_brokers() for name, bill in bills.items()}
    columns["between\nbrokers"] = [f"{total:,}" for total in totals.values()]
    if naive is not None and totals[naive]:
        against = "against\n" + naive.replace("-", "-\n")
        columns[against] = [change(total, totals[naive]) for total in totals.values()]
    if least is not None and (possible := sum(least.values())):
        columns[f"above\nthe least\n({possible:,})"] = above_least(bills, possible, 2)
    return _table_of_columns("The bill: messages between brokers", bills, columns)


def _others_by_policy(bills: Mapping[str, Bill], seconds: Mapping[str, float] | None, prices: Prices | None) -> Table:
    """Return a row for each bill: its other messages, CPU time and costs."""
    columns = {}
    for kind, what in ((MessageKind.FALSE_POSITIVE, "false\npositive"), (MessageKind.COORDINATION, "coordi-\nnation")):
        if any(bill.only(kind) for bill in bills.values()):
            columns[what] = _counts(bills, kind)
    columns["control\nplane"] = [f"{bill.only(*CONTROL).total():,}" for bill in bills.values()]
    columns["last\nhop"] = _counts(bills, MessageKind.NOTIFICATION)
    if seconds is not None:
        columns["CPU\nseconds"] = [f"{seconds[name]:.1f}" for name in bills]
    if prices is not None:
        columns |= costs_of(list(bills.values()), prices)
    return _table_of_columns("Other messages, time and costs", bills, columns)


def _table_of_columns(title: str, names: Iterable[str], columns: Mapping[str, Sequence[str]]) -> Table:
    """Return a table of columns, with a row for each name."""
    table = new_table(title, dense=True)
    table.add_column("policy", overflow="fold")
    for head in columns:
        table.add_column(head, justify="right", overflow="fold")
    for row in zip(names, *columns.values(), strict=True):
        table.add_row(*row)
    return table


def _counts(bills: Mapping[str, Bill], kind: MessageKind) -> list[str]:
    return [f"{bill.by_kind().get(kind.value, 0):,}" for bill in bills.values()]


def links_table(bills: Mapping[str, Bill], most: int = 10, least: Least | None = None) -> Table:
    """Return the busiest links between brokers, under each policy, and the least possible."""
    counts = {name: bill.by_overlay_link() for name, bill in bills.items()}
    busiest: dict[tuple[str, str], int] = {}
    for found in counts.values():
        for link, messages in found.items():
            busiest[link] = max(busiest.get(link, 0), messages)
    shown = sorted(busiest, key=lambda link: (-busiest[link], link))[:most]
    table = new_table(f"The {most} busiest links" if len(busiest) > most else "Messages by link")
    table.add_column("link")
    for name in bills:
        table.add_column(name, justify="right")
    if least is not None:
        table.add_column("least possible", justify="right", style="dim")
    for link in shown:
        bound = [] if least is None else [f"{least.get(link, 0):,}"]
        table.add_row(f"{link[0]}>{link[1]}", *[f"{found.get(link, 0):,}" for found in counts.values()], *bound)
    return table


def suppressed_table(siena: Least, sent: Mapping[tuple[str, str], Mapping[str, int]], most: int = 10) -> Table:
    """Return the messages of merged topics on the busiest links and in total: without merging, and those sent."""
    table = new_table("Merged topics: messages by link, against Siena")
    total = Counter[str]()
    for by_kind in sent.values():
        total.update(by_kind)
    kinds = ["publication", "merged", *(["result"] if total["result"] else [])]
    table.add_column("link")
    for name in ("siena", *kinds, "suppressed", "coordination", "with it"):
        table.add_column(name, justify="right", style="dim" if name in ("coordination", "with it") else "")
    links = sorted(siena.keys() | sent.keys(), key=lambda link: (-siena.get(link, 0), link))
    for link in links[:most]:
        table.add_row(f"{link[0]}>{link[1]}", *_suppressed(siena.get(link, 0), sent.get(link, {}), kinds))
    table.add_section()
    table.add_row("all links", *_suppressed(sum(siena.values()), total, kinds), style="bold")
    return table


def _suppressed(naive: int, sent: Mapping[str, int], kinds: Sequence[str]) -> list[str]:
    counts = [sent.get(kind, 0) for kind in kinds]
    coordination = sent.get(MessageKind.COORDINATION.value, 0)
    shares = [f"{100 * (naive - sum(counts) - n) / naive:.1f}%" if naive else "-" for n in (0, coordination)]
    return [f"{naive:,}", *(f"{n:,}" for n in counts), shares[0], f"{coordination:,}", shares[1]]


def rows_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> Table:
    """Return a table of any rows; the last column is cut so that a row fits the width."""
    texts = [["" if value is None else str(value) for value in row] for row in rows]
    used = sum(max([len(name), *(len(row[at]) for row in texts)]) + 3 for at, name in enumerate(columns[:-1]))
    room = max(width - used - 4, 20)
    table = new_table(title)
    for name in columns:
        table.add_column(name, no_wrap=True)
    for *first, last in texts:
        table.add_row(*first, last if len(last) <= room else last[: room - 1] + "…")
    return table
