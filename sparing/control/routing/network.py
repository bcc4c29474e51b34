"""The network of brokers that forward and withdraw subscriptions, message by message.

A broker that receives a subscription forwards it upstream, subject to marking and covering: over s-links towards all
publishers of the topic, over p-links towards advertisements that it matches. When a covering subscription ends, the
subscriptions that it covered are forwarded before it is withdrawn. When a link is marked again, subscriptions are
forwarded under the new marking before they are withdrawn under the old one. Messages on a link keep their order, so
publications are routed correctly at any moment.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.routing.covers import Cover, cover_of
from sparing.control.routing.spread import Spread
from sparing.control.routing.tables import NO_LINK
from sparing.model.bill import MessageKind
from sparing.model.box import Box

OWN = -1  # in place of a neighbour: the broker's own subscriber


@dataclass(frozen=True, slots=True)
class Message:
    """A subscription that is forwarded over a link, or withdrawn."""

    link: int
    number: int
    withdrawn: bool


class Announcement(NamedTuple):
    """A reason to forward subscriptions towards a publishers' broker: a matching set, and the kinds of links."""

    matching_set: MatchingSet
    root: int
    over: frozenset[bool]  # s-links (True), p-links (False), or both

    @property
    def topic(self) -> str:
        """The topic of the subscriptions."""
        return self.matching_set.advertisement.topic


class Network:
    """All brokers and the messages in transit."""

    def __init__(self, spread: Spread, in_force: np.ndarray) -> None:
        """Start from a spread of the subscriptions `in_force`."""
        plan = spread.plan
        self._plan, self._routes = plan, plan.routes
        self.s_links = {topic: marking.s_link for topic, marking in spread.markings.items()}
        self._number = {subscription.id: number for number, subscription in enumerate(plan.subscriptions)}
        self._announcements = [
            *(Announcement(t.matching_set, t.root, frozenset([True])) for t in spread.climbing.values()),
            *(Announcement(t.matching_set, t.root, _over(t.matching_set)) for t in spread.tables),
        ]
        concerned = {id(e.matching_set.numbers): e.matching_set.numbers for e in self._announcements}
        sets = {key: frozenset(numbers.tolist()) for key, numbers in concerned.items()}
        self._concerned = [sets[id(announcement.matching_set.numbers)] for announcement in self._announcements]
        self._top_k = [at for at, announcement in enumerate(self._announcements) if announcement.matching_set.is_top_k]
        self.in_transit: deque[Message] = deque()
        # Broker -> subscription -> the neighbour that forwarded it, or OWN.
        self.known: list[dict[int, int]] = [{} for _ in plan.routes.brokers]
        self._covers: dict[tuple[int, int], Cover] = {}  # by announcement and broker, made when first needed
        # By announcement: subscription -> its box within the advertised box, which is the same at every broker.
        self._clipped: list[dict[int, Box]] = [{} for _ in self._announcements]
        self._paths: dict[tuple[int, int], frozenset[int]] = {}  # (broker, broker) -> brokers on the path
        # (link, subscription) -> number of announcements for which it was forwarded.
        self._forwarded: Counter[tuple[int, int]] = Counter()
        # (announcement, broker) -> subscriptions forwarded at the start, until a cover is built.
        self._initial: dict[tuple[int, int], set[int]] = {}
        for at, table in enumerate([*spread.climbing.values(), *spread.tables]):
            for entry in table.known:
                if entry.link == NO_LINK or not self._uses(at, entry.link):
                    continue
                numbers = entry.numbers[entry.forwarded].tolist()
                self._initial[at, entry.broker] = set(numbers)
                self._forwarded.update((entry.link, number) for number in numbers)
        for link, number in self._forwarded:
            self.known[int(self._routes.target[link])][number] = int(self._routes.source[link])
        for number in np.flatnonzero(in_force).tolist():
            self.known[int(plan.broker_of[number])][number] = OWN
        # (top-k announcement, s-link) -> number of matching subscriptions that are forwarded over the link.
        self._matching: Counter[tuple[int, int]] = Counter()
        self.top_k_messages: list[int] = []  # links down which a top-k advertisement was announced or withdrawn
        for link, number in self._forwarded:
            self._count_match(link, number, 1)
        self.top_k_messages.clear()

    def _uses(self, at: int, link: int) -> bool:
        """Return whether an announcement uses a link under the current marking."""
        announcement = self._announcements[at]
        return bool(self.s_links[announcement.topic][self._routes.reverse(link)]) in announcement.over

    def _passes(self, number: int, broker: int, root: int) -> bool:
        """Return whether the path of a subscription to a publishers' broker contains a broker."""
        ends = self.home(number), root
        if ends not in self._paths:
            self._paths[ends] = frozenset(self._routes.path(*ends))
        return broker in self._paths[ends]

    def _cover(self, at: int, broker: int, but: int | None = None, beside: int | None = None) -> Cover:
        """Return a broker's cover for an announcement, built on first use without `but` and with `beside`.

        A new cover may choose differently among equal subscriptions than the initial spread: the difference is sent.
        """
        if (at, broker) in self._covers:
            return self._covers[at, broker]
        matching_set, root = self._announcements[at].matching_set, self._announcements[at].root
        numbers = [
            n for n in self.known[broker] if n != but and n in self._concerned[at] and self._passes(n, broker, root)
        ]
        numbers += [] if beside is None else [beside]
        types = dict(self._plan.topics[matching_set.advertisement.topic].fields)
        cover = cover_of(matching_set, self._plan.subscriptions, types, numbers, self._clipped[at])
        self._covers[at, broker] = cover
        if (at, broker) in self._initial:
            before, after = self._initial.pop((at, broker)), {self._number[id_] for id_ in cover.forwarded()}
            link = int(self._routes.link_of[broker, root])
            self._send([(link, n) for n in sorted(after - before)], [(link, n) for n in sorted(before - after)])
        return cover

    def home(self, number: int) -> int:
        """Return the broker that a subscription is attached to."""
        return int(self._plan.broker_of[number])

    def topic(self, number: int) -> str:
        """Return the topic of a subscription."""
        return self._plan.subscriptions[number].query.topic

    def subscribe(self, number: int) -> None:
        """Start a subscription at its broker."""
        self._receive(self.home(number), number, OWN)

    def unsubscribe(self, number: int) -> None:
        """End a subscription at its broker."""
        self._withdraw(self.home(number), number)

    def update_marking(self, topic: str, s_link: np.ndarray) -> None:
        """Replace the marking of a topic; no message may be in transit."""
        assert not self.in_transit
        before, announced = self.s_links[topic], len(self.top_k_messages)
        new, old = list[tuple[int, int]](), list[tuple[int, int]]()
        changed = [self._routes.reverse(link) for link in np.flatnonzero(before != s_link).tolist()]
        ends = [
            (at, int(self._routes.source[link]), link)
            for at, announcement in enumerate(self._announcements)
            if announcement.topic == topic and len(announcement.over) == 1
            for link in changed
            if self._routes.link_of[self._routes.source[link], announcement.root] == link
        ]
        for at, broker, link in ends:
            if self._uses(at, link):
                forwarded = self._initial.pop((at, broker), None)
                if forwarded is None:
                    forwarded = {self._number[id_] for id_ in self._cover(at, broker).forwarded()}
                    del self._covers[at, broker]
                old += [(link, number) for number in forwarded]
        self.s_links[topic] = s_link
        for at, broker, link in ends:
            if self._uses(at, link):
                new += [(link, self._number[id_]) for id_ in self._cover(at, broker).forwarded()]
        self._send(sorted(new), sorted(old))
        del self.top_k_messages[announced:]  # counted below, for all links with a new mark
        for link in changed:
            self._recount_matches(link, topic)

    def step(self, at: int = 0) -> Message:
        """Deliver the first message in transit, or the first one on the link of message number `at`."""
        link = self.in_transit[at].link
        at = next(place for place, message in enumerate(self.in_transit) if message.link == link)
        message = self.in_transit[at]
        del self.in_transit[at]
        target = int(self._routes.target[message.link])
        if message.withdrawn:
            self._withdraw(target, message.number)
        else:
            self._receive(target, message.number, int(self._routes.source[message.link]))
        return message

    def settle(self) -> Iterator[Message]:
        """Deliver all messages."""
        while self.in_transit:
            yield self.step()

    def kind(self, topic: str, link: int) -> MessageKind:
        """Return the kind of a message on the bill: a subscription on an s-link, a channel on a p-link."""
        climbs = self.s_links[topic][self._routes.reverse(link)]
        return MessageKind.SUBSCRIPTION if climbs else MessageKind.CHANNEL

    def _receive(self, broker: int, number: int, origin: int) -> None:
        self.known[broker][number] = origin
        self._update_covers(broker, number, gone=False)

    def _withdraw(self, broker: int, number: int) -> None:
        del self.known[broker][number]
        self._update_covers(broker, number, gone=True)

    def _update_covers(self, broker: int, number: int, gone: bool) -> None:
        new, old = list[tuple[int, int]](), list[tuple[int, int]]()
        for at, announcement in enumerate(self._announcements):
            if number not in self._concerned[at] or broker == announcement.root:
                continue
            link = int(self._routes.link_of[broker, announcement.root])
            if link < 0 or not self._uses(at, link) or not self._passes(number, broker, announcement.root):
                continue
            cover = self._cover(at, broker, beside=number) if gone else self._cover(at, broker, but=number)
            change = cover.remove(number) if gone else cover.add(number)
            new += [(link, self._number[id_]) for id_ in change.forwarded]
            old += [(link, self._number[id_]) for id_ in change.withdrawn]
        self._send(new, old)

    def _send(self, new: Iterable[tuple[int, int]], old: Iterable[tuple[int, int]]) -> None:
        for key in new:
            self._forwarded[key] += 1
            if self._forwarded[key] == 1:
                self.in_transit.append(Message(*key, withdrawn=False))
                self._count_match(*key, 1)
        for key in old:
            self._forwarded[key] -= 1
            if not self._forwarded[key]:
                del self._forwarded[key]
                self.in_transit.append(Message(*key, withdrawn=True))
                self._count_match(*key, -1)

    def _count_match(self, link: int, number: int, more: int) -> None:
        """Count a match beyond an s-link; the first announces a top-k advertisement down it, the last withdraws it."""
        for at in self._top_k:
            if self._matches_beyond(at, link, number):
                before = self._matching[at, link]
                self._matching[at, link] += more
                if not before or not self._matching[at, link]:
                    self.top_k_messages.append(self._routes.reverse(link))

    def _recount_matches(self, link: int, topic: str) -> None:
        """Count all matches beyond a link with a new mark."""
        forwarded = [number for over, number in self._forwarded if over == link]
        for at in self._top_k:
            if self._announcements[at].topic == topic:
                self._matching[at, link] = sum(self._matches_beyond(at, link, number) for number in forwarded)
                if self._matching[at, link]:
                    self.top_k_messages.append(self._routes.reverse(link))

    def _matches_beyond(self, at: int, link: int, number: int) -> bool:
        """Return whether a link is an s-link that a subscription in an announcement's matching set crosses."""
        announcement, source = self._announcements[at], int(self._routes.source[link])
        return bool(
            self.s_links[announcement.topic][self._routes.reverse(link)]
            and number in self._concerned[at]
            and self._routes.link_of[source, announcement.root] == link
            and self._passes(number, source, announcement.root)
        )

    def top_k_announced(self) -> dict[int, int]:
        """Link -> number of top-k advertisements that are announced down it."""
        return dict(Counter(self._routes.reverse(link) for (_, link), count in self._matching.items() if count))

    def forwarded(self) -> dict[int, set[int]]:
        """Link -> subscriptions that have been forwarded over it and not withdrawn."""
        found: dict[int, set[int]] = {}
        for link, number in self._forwarded:
            found.setdefault(link, set()).add(number)
        return found


def _over(matching_set: MatchingSet) -> frozenset[bool]:
    return frozenset([True, False]) if matching_set.is_top_k else frozenset([False])
