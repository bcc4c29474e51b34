"""What messages cost: in bytes, if their sizes are known, and in money, if links have prices. Prices decide nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sparing.model.bill import SENT, Bill, BillKey, MessageKind
from sparing.model.errors import SparingError


class Per(StrEnum):
    """What a price is for."""

    MESSAGE = "message"
    KILOBYTE = "kilobyte"
    MEGABYTE = "megabyte"
    GIGABYTE = "gigabyte"


_BYTES = {Per.KILOBYTE: 1e3, Per.MEGABYTE: 1e6, Per.GIGABYTE: 1e9}


@dataclass(frozen=True)
class Prices:
    """Sizes of messages by kind, and prices by link.

    >>> prices = Prices("EUR", Per.MEGABYTE, 2.0, sizes=dict.fromkeys(MessageKind, 500))
    >>> bill = Bill({BillKey("a", "b", MessageKind.PUBLICATION, 0): 4000})
    >>> prices.bytes_of(bill), prices.cost_of(bill)
    (2000000, 4.0)
    """

    currency: str = ""
    per: Per = Per.MESSAGE
    default: float | None = None  # of links that have no price of their own
    last_hop: float | None = None  # from a broker to a subscriber
    links: Mapping[frozenset[str], float] = field(default_factory=dict)
    sizes: Mapping[MessageKind, int] | None = None  # bytes

    def __post_init__(self) -> None:
        if self.per is not Per.MESSAGE and self.priced and self.sizes is None:
            raise SparingError(f"Prices per {self.per} need the sizes of messages: say prices: {{bytes: 200}}.")

    @property
    def priced(self) -> bool:
        """Whether anything costs money."""
        return bool(self.links) or self.default is not None or self.last_hop is not None

    def bytes_of(self, bill: Bill) -> int | None:
        """The bytes of all messages on a bill, if sizes are known."""
        if self.sizes is None:
            return None
        return sum(self.sizes[key.kind] * messages for key, messages in bill.only(*SENT).items())

    def cost_of(self, bill: Bill) -> float | None:
        """What all messages on a bill cost, if anything has a price; what has none is free."""
        if not self.priced:
            return None
        costs = (self._price(key) * self._units(key.kind) * messages for key, messages in bill.only(*SENT).items())
        return math.fsum(costs)

    def _price(self, key: BillKey) -> float:
        if key.kind is MessageKind.NOTIFICATION:
            return self.last_hop or 0.0
        return self.links.get(frozenset((key.source, key.target)), self.default or 0.0)

    def _units(self, kind: MessageKind) -> float:
        return 1.0 if self.sizes is None or self.per is Per.MESSAGE else self.sizes[kind] / _BYTES[self.per]
