"""What follows when subscriptions come and go: messages, and what folded entries attract in vain meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.model.bill import Bill


class StaleMember(NamedTuple):
    """A subscription that an entry on a link still stands for, although it is told there no more."""

    number: int
    link: int  # in the direction of subscriptions
    since: int
    until: int


@dataclass(frozen=True)
class RoutingChanges:
    """Messages by time, and stale_members in the order of their numbers."""

    bill: Bill
    stale_members: tuple[StaleMember, ...]
