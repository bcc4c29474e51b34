"""Bills and notifications as tables in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text

from sparing.model.bill import Bill, MessageKind

BETWEEN = (MessageKind.PUBLICATION, MessageKind.RESULT)


def bills_table(bills: Mapping[str, Bill], naive: str | None = None) -> Table:
    """Bills side by side, by kind. With `naive`, each total is compared with that one's."""
    table = Table(box=box.SIMPLE_HEAD, title="The bill: messages by kind", title_justify="left", title_style="bold")
    table.add_column("")
    for name in bills:
        table.add_column(name, justify="right")
    for kind in BETWEEN:
        table.add_row(kind.value, *[f"{bill.by_kind().get(kind.value, 0):,}" for bill in bills.values()])
    table.add_section()
    totals = {name: bill.between_brokers() for name, bill in bills.items()}
    table.add_row("between brokers", *[f"{total:,}" for total in totals.values()], style="bold")
    if naive is not None and totals[naive]:
        table.add_row("against " + naive, *[_against(total, totals[naive]) for total in totals.values()])
    last = MessageKind.NOTIFICATION.value
    table.add_row(f"{last} (last hop)", *[f"{bill.by_kind().get(last, 0):,}" for bill in bills.values()], style="dim")
    return table


def _against(total: int, naive: int) -> str:
    return "-" if total == naive else f"{100 * (total - naive) / naive:+.1f}%"


def links_table(bills: Mapping[str, Bill], most: int = 10) -> Table:
    """The busiest links between brokers, under each policy."""
    title = f"The {most} busiest links"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    table.add_column("link")
    for name in bills:
        table.add_column(name, justify="right")
    counts = {name: _between(bill) for name, bill in bills.items()}
    busiest: dict[tuple[str, str], int] = {}
    for found in counts.values():
        for link, messages in found.items():
            busiest[link] = max(busiest.get(link, 0), messages)
    for link in sorted(busiest, key=lambda link: (-busiest[link], link))[:most]:
        table.add_row(f"{link[0]}>{link[1]}", *[f"{found.get(link, 0):,}" for found in counts.values()])
    return table


def _between(bill: Bill) -> dict[tuple[str, str], int]:
    return Bill({k: n for k, n in bill.items() if k.kind is not MessageKind.NOTIFICATION}).by_link()


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
