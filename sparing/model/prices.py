"""The cost of messages, in bytes if sizes are given and in money if links have prices. Prices affect no decision."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sparing.model.bill import SENT, Bill, BillKey, MessageKind
from sparing.model.errors import SparingError


class PriceUnit(StrEnum):
    """The unit that a price is for."""

    MESSAGE = "message"
    KILOBYTE = "kilobyte"
    MEGABYTE = "megabyte"
    GIGABYTE = "gigabyte"


_BYTES = {PriceUnit.KILOBYTE: 1e3, PriceUnit.MEGABYTE: 1e6, PriceUnit.GIGABYTE: 1e9}


@dataclass(frozen=True)
class Prices:
    """Message sizes by kind, and prices by link.

    >>> prices = Prices("EUR", PriceUnit.MEGABYTE, 2.0, sizes=dict.fromkeys(MessageKind, 500))
    >>> bill = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 4000})
    >>> prices.bytes_of(bill), prices.cost_of(bill)
    (2000000, 4.0)
    """

    currency: str = ""
    per: PriceUnit = PriceUnit.MESSAGE
    default: float | None = None  # of links without their own price
    last_hop: float | None = None  # from a broker to a subscriber
    links: Mapping[frozenset[str], float] = field(default_factory=dict)
    sizes: Mapping[MessageKind, int] | None = None  # bytes

    def __post_init__(self) -> None:
        if self.per is not PriceUnit.MESSAGE and self.priced and self.sizes is None:
            raise SparingError(f"Prices per {self.per} need message sizes: add prices: {{bytes: 200}}.")

    @property
    def priced(self) -> bool:
        """Whether there is a price."""
        return bool(self.links) or self.default is not None or self.last_hop is not None

    def bytes_of(self, bill: Bill) -> int | None:
        """Return the bytes of all messages on a bill, None without sizes."""
        if self.sizes is None:
            return None
        return sum(self.sizes[key.kind] * messages for key, messages in bill.only(*SENT).items())

    def cost_of(self, bill: Bill) -> float | None:
        """Return the cost of all messages on a bill, None without prices; links without a price are free."""
        if not self.priced:
            return None
        costs = (self._price(key) * self._units(key.kind) * messages for key, messages in bill.only(*SENT).items())
        return math.fsum(costs)

    def _price(self, key: BillKey) -> float:
        if key.kind is MessageKind.NOTIFICATION:
            return self.last_hop or 0.0
        return self.links.get(frozenset((key.source, key.target)), self.default or 0.0)

    def _units(self, kind: MessageKind) -> float:
        return 1.0 if self.sizes is None or self.per is PriceUnit.MESSAGE else self.sizes[kind] / _BYTES[self.per]
