"""The effects of scheduled changes of subscriptions: messages, and stale members of folded entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sparing.model.bill import Bill


class StaleMember(NamedTuple):
    """A withdrawn subscription that a folded entry on a link still contains."""

    number: int
    link: int  # in the direction of subscriptions
    since: int
    until: int


@dataclass(frozen=True)
class RoutingChanges:
    """Messages by time bucket, and stale members in the order of their numbers."""

    bill: Bill
    stale_members: tuple[StaleMember, ...]
