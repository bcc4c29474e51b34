"""Amounts as text: differences in percent, money, bytes, shortened lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sparing.deployment.techniques import NAIVE
from sparing.model.bill import Bill, MessageKind
from sparing.model.policy import EventMerging
from sparing.model.prices import Prices


def shortened(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and the number of the others.

    >>> shortened(["a", "b"], 2), shortened(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def percent_saved(ours: int, naive: int) -> str:
    """Return the saving in percent of the naive count.

    >>> percent_saved(75, 100)
    '25.0%'
    """
    return f"{100 * (naive - ours) / naive:.1f}%" if naive else "0.0%"


def above_least(bills: Mapping[str, Bill], least: int, digits: int) -> list[str]:
    """Return how far each bill is above the least possible; "" for bills that it does not bound.

    The least possible depends on how events are merged: it bounds bills with the same merging as the first bill only.
    """
    merging = bool(next(iter(bills.values())).only(MessageKind.MERGED))
    others = {*list(bills)[1:]} & {*EventMerging, *([NAIVE] if merging else [])}
    return ["" if name in others else change(b.between_brokers(), least, digits) for name, b in bills.items()]


def change(count: int, against: int, digits: int = 1) -> str:
    """Return a difference in percent, with more digits if it would be rounded to zero.

    >>> change(75, 100), change(100, 100), change(100_021, 100_000)
    ('-25.0%', '-', '+0.02%')
    """
    if count == against or not against:
        return "-"
    percent = 100 * (count - against) / against
    return f"{percent:+.1g}%" if abs(percent) < 0.5 * 10**-digits else f"{percent:+.{digits}f}%"


def money(amount: float) -> str:
    """Return an amount of money: two decimal places, or two significant digits below 1.

    >>> money(1234.5), money(3.14159), money(0.00123)
    ('1,234.50', '3.14', '0.0012')
    """
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}"


def byte_size(count: int) -> str:
    """Return a number of bytes with a unit.

    >>> byte_size(999), byte_size(12_345), byte_size(7_000_000)
    ('999 B', '12.3 kB', '7.0 MB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"


def costs_of(bills: Sequence[Bill], prices: Prices) -> dict[str, list[str]]:
    """Return the costs of bills: bytes if message sizes are known, money if there are prices."""
    found: dict[str, list[str]] = {}
    if prices.sizes is not None:
        found["bytes"] = [byte_size(prices.bytes_of(bill) or 0) for bill in bills]
    if prices.priced:
        found[prices.currency or "cost"] = [money(prices.cost_of(bill) or 0.0) for bill in bills]
    return found
