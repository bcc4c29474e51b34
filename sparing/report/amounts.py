"""Amounts as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sparing.deployment.techniques import NAIVE
from sparing.model.bill import Bill, MessageKind
from sparing.model.policy import EventMerging
from sparing.model.prices import Prices


def first_names(names: Sequence[str], most: int) -> str:
    """The first names of a list, and how many there are besides.

    >>> first_names(["a", "b"], 2), first_names(["a", "b", "c"], 2)
    ('a, b', 'a, b and 1 more')
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def share(ours: int, naive: int) -> str:
    """How much less something is.

    >>> share(75, 100)
    '25.0%'
    """
    return f"{100 * (naive - ours) / naive:.1f}%" if naive else "0.0%"


def above_least(bills: Mapping[str, Bill], least: int, digits: int) -> list[str]:
    """How far each bill is above the least that links could do; nothing is said of those that it does not hold for.

    It takes events as the first bill has them merged, so it is no bound for a bill that has them merged otherwise.
    """
    merging = bool(next(iter(bills.values())).only(MessageKind.MERGED))
    others = {*list(bills)[1:]} & {*EventMerging, *([NAIVE] if merging else [])}
    return ["" if name in others else change(b.between_brokers(), least, digits) for name, b in bills.items()]


def change(count: int, against: int, digits: int = 1) -> str:
    """How much more or less something is than something else; what is not nothing never reads as nothing.

    >>> change(75, 100), change(100, 100), change(100_021, 100_000)
    ('-25.0%', '-', '+0.02%')
    """
    if count == against or not against:
        return "-"
    percent = 100 * (count - against) / against
    return f"{percent:+.1g}%" if abs(percent) < 0.5 * 10**-digits else f"{percent:+.{digits}f}%"


def money(amount: float) -> str:
    """An amount with as many digits as tell something.

    >>> money(1234.5), money(3.14159), money(0.00123)
    ('1,234.50', '3.14', '0.0012')
    """
    return f"{amount:,.2f}" if amount >= 1 or not amount else f"{amount:.2g}"


def size(count: int) -> str:
    """Bytes for people.

    >>> size(999), size(12_345), size(7_000_000)
    ('999 B', '12.3 kB', '7.0 MB')
    """
    for unit, many in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= many:
            return f"{count / many:.1f} {unit}"
    return f"{count} B"


def costs_of(bills: Sequence[Bill], prices: Prices) -> dict[str, list[str]]:
    """What bills cost: bytes if sizes are known, money if there are prices."""
    found: dict[str, list[str]] = {}
    if prices.sizes is not None:
        found["bytes"] = [size(prices.bytes_of(bill) or 0) for bill in bills]
    if prices.priced:
        found[prices.currency or "cost"] = [money(prices.cost_of(bill) or 0.0) for bill in bills]
    return found
