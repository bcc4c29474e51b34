"""The bill: how many messages crossed which link, by kind and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class MessageKind(StrEnum):
    """What a message on the bill was."""

    ADVERTISEMENT = "advertisement"
    SUBSCRIPTION = "subscription"  # made known or withdrawn
    CHANNEL = "channel"  # set up, or taken down, between a subscription and the advertisements that it has met
    COORDINATION = "coordination"  # what brokers must know of each other before they can decide something together
    PUBLICATION = "publication"
    FALSE_POSITIVE = "false_positive"  # those of the publications that nobody beyond the link wanted
    RESULT = "result"
    MERGED = "merged"  # what is known of an event, from several reports
    NOTIFICATION = "notification"


CONTROL = (MessageKind.ADVERTISEMENT, MessageKind.SUBSCRIPTION, MessageKind.CHANNEL)  # what makes plans known
SENT = tuple(kind for kind in MessageKind if kind is not MessageKind.FALSE_POSITIVE)  # every message once
LINKS = tuple(kind for kind in SENT if kind is not MessageKind.NOTIFICATION)  # what brokers send each other
DATA = (MessageKind.PUBLICATION, MessageKind.RESULT, MessageKind.MERGED)  # what travels because of publications


class BillKey(NamedTuple):
    """A directed link (or the last hop from a broker to a subscriber), a kind, and the time bucket's start.

    What is settled before the first publication is in no bucket.
    """

    source: str
    target: str
    kind: MessageKind
    bucket: int | None


class Bill(Counter[BillKey]):
    """Messages by link, kind and time bucket. Bills of parts add up to the bill of the whole."""

    def by_kind(self) -> dict[str, int]:
        """Messages by kind, kinds in alphabetical order."""
        totals: Counter[str] = Counter()
        for key, messages in self.items():
            totals[key.kind.value] += messages
        return dict(sorted(totals.items()))

    def by_link(self) -> dict[tuple[str, str], int]:
        """Messages between brokers and to subscribers, by source and target."""
        totals: Counter[tuple[str, str]] = Counter()
        for key, messages in self.items():
            if key.kind in SENT:
                totals[key.source, key.target] += messages
        return dict(sorted(totals.items()))

    def only(self, *kinds: MessageKind) -> Bill:
        """The messages of some kinds."""
        return Bill({key: messages for key, messages in self.items() if key.kind in kinds})

    def over_links(self) -> Bill:
        """Everything that crossed links, of all kinds: all but the last hop, every message once.

        Call its total "messages of all kinds on links"; "between brokers" is less, see `between_brokers`.
        """
        return self.only(*LINKS)

    def by_overlay_link(self) -> dict[tuple[str, str], int]:
        """What travelled between brokers because of publications, by source and target."""
        return self.only(*DATA).by_link()

    def messages(self) -> int:
        """Everything that was sent, over links and on the last hop."""
        return self.only(*SENT).total()

    def between_brokers(self) -> int:
        """Messages between brokers, as every command, page and file counts them.

        These are the messages that carry data: publications (false positives are among them), results and merged
        events. The control plane, coordination and the last hop stand apart.
        """
        return self.only(*DATA).total()


def total(bills: Iterable[Bill]) -> Bill:
    """The sum of several bills."""
    whole = Bill()
    for bill in bills:
        whole.update(bill)
    return whole
