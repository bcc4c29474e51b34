"""The bill: the number of messages by link, kind and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class MessageKind(StrEnum):
    """The kind of a message on the bill."""

    ADVERTISEMENT = "advertisement"
    SUBSCRIPTION = "subscription"  # announced or withdrawn
    CHANNEL = "channel"  # set up or removed, between a subscription and the advertisements that it overlaps
    COORDINATION = "coordination"  # information that brokers exchange for a joint decision
    PUBLICATION = "publication"
    FALSE_POSITIVE = "false_positive"  # publications that no subscription beyond the link matches; also PUBLICATION
    RESULT = "result"
    MERGED = "merged"  # values of an event, merged from several reports
    NOTIFICATION = "notification"


CONTROL = (MessageKind.ADVERTISEMENT, MessageKind.SUBSCRIPTION, MessageKind.CHANNEL)  # messages of the control plane
SENT = tuple(kind for kind in MessageKind if kind is not MessageKind.FALSE_POSITIVE)  # every message once
LINKS = tuple(kind for kind in SENT if kind is not MessageKind.NOTIFICATION)  # all messages between brokers
DATA = (MessageKind.PUBLICATION, MessageKind.RESULT, MessageKind.MERGED)  # messages with data of publications


class BillKey(NamedTuple):
    """A directed link (or the last hop from a broker to a subscriber), a kind, and the start of a time bucket.

    Messages sent before the first publication have no bucket.
    """

    source: str
    target: str
    kind: MessageKind
    bucket: int | None


class Bill(Counter[BillKey]):
    """Numbers of messages by link, kind and time bucket. The sum of the parts' bills is the bill of the whole."""

    def by_kind(self) -> dict[str, int]:
        """Return messages by kind, in alphabetical order."""
        totals: Counter[str] = Counter()
        for key, messages in self.items():
            totals[key.kind.value] += messages
        return dict(sorted(totals.items()))

    def by_link(self) -> dict[tuple[str, str], int]:
        """Return messages between brokers and to subscribers, by source and target."""
        totals: Counter[tuple[str, str]] = Counter()
        for key, messages in self.items():
            if key.kind in SENT:
                totals[key.source, key.target] += messages
        return dict(sorted(totals.items()))

    def only(self, *kinds: MessageKind) -> Bill:
        """Return the bill of some kinds."""
        return Bill({key: messages for key, messages in self.items() if key.kind in kinds})

    def over_links(self) -> Bill:
        """Return the bill of all messages on links: every kind except the last hop, each message once.

        Its total is called "messages of all kinds on links"; "between brokers" is less, see `between_brokers`.
        """
        return self.only(*LINKS)

    def by_overlay_link(self) -> dict[tuple[str, str], int]:
        """Return messages with data between brokers, by source and target."""
        return self.only(*DATA).by_link()

    def messages(self) -> int:
        """Return the number of all messages, on links and on the last hop."""
        return self.only(*SENT).total()

    def between_brokers(self) -> int:
        """Return the number of messages between brokers, as in all commands, pages and files.

        It counts messages with data: publications (including false positives), results and merged events. It excludes
        the control plane, coordination and the last hop.
        """
        return self.only(*DATA).total()


def total(bills: Iterable[Bill]) -> Bill:
    """Return the sum of several bills."""
    whole = Bill()
    for bill in bills:
        whole.update(bill)
    return whole
