"""Brokers that tell each other of subscriptions that come and go, message by message.

A broker that hears of a subscription from one side tells its neighbours towards the publishers, as far as markings and
covering ask for it: over an s-link towards all of the topic, over a p-link towards those that it has met. When a
subscription leaves that covered others, these are told first, and only then is it withdrawn. When a link is marked
anew, what has to be told by the new marking is told first. Messages on a link keep their order, so a publication finds
its way at any moment.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sparing.control.covering.contest import Contest
from sparing.control.routing.covers import Cover, cover_of
from sparing.control.routing.spread import Spread, in_contest
from sparing.control.routing.tables import NO_LINK
from sparing.model.bill import MessageKind
from sparing.model.box import Box

OWN = -1  # instead of a neighbour: the broker's own subscriber


@dataclass(frozen=True, slots=True)
class Message:
    """A subscription is made known over a link, or withdrawn."""

    link: int
    number: int
    withdrawn: bool


class Announcement(NamedTuple):
    """Why subscriptions are told towards a broker with publishers: some contest, and over which links."""

    contest: Contest
    root: int
    topic: str
    over: frozenset[bool]  # s-links (True), p-links (False), or both


class Network:
    """All brokers and the messages on their way."""

    def __init__(self, spread: Spread, in_force: np.ndarray) -> None:
        """`spread` is what has been told at the start, when those `in_force` are there."""
        plan = spread.plan
        self._plan, self._routes = plan, plan.routes
        self.s_links = {topic: marking.s_link for topic, marking in spread.markings.items()}
        self._number = {subscription.id: number for number, subscription in enumerate(plan.subscriptions)}
        self._errands = [
            *(Announcement(t.contest, t.at, topic, frozenset([True])) for (topic, _), t in spread.climbing.items()),
            *(Announcement(t.contest, t.at, t.contest.advertisement.topic, _over(t.contest)) for t in spread.tables),
        ]
        concerned = {id(e.contest.numbers): e.contest.numbers for e in self._errands}
        sets = {key: frozenset(numbers.tolist()) for key, numbers in concerned.items()}
        self._concerned = [sets[id(announcement.contest.numbers)] for announcement in self._errands]
        self._contests_for_the_best = [
            at for at, announcement in enumerate(self._errands) if in_contest(announcement.contest)
        ]
        self.waiting: deque[Message] = deque()
        # Broker -> subscription -> the neighbour that told it.
        self.known: list[dict[int, int]] = [{} for _ in plan.routes.brokers]
        self._covers: dict[tuple[int, int], Cover] = {}  # by announcement and broker, made when first needed
        # By announcement: boxes of its contest that were cut off before, since every broker on the way needs the same.
        self._clipped: list[dict[int, Box]] = [{} for _ in self._errands]
        self._ways: dict[tuple[int, int], frozenset[int]] = {}  # brokers between two, both ends included
        self._told: Counter[tuple[int, int]] = (
            Counter()
        )  # (link, subscription) -> for how many announcements it was told
        self._first_told: dict[tuple[int, int], set[int]] = {}  # by announcement and broker, until there is a cover
        for at, table in enumerate([*spread.climbing.values(), *spread.tables]):
            for entry in table.known:
                if entry.link == NO_LINK or not self._runs(at, entry.link):
                    continue
                numbers = entry.numbers[entry.forwarded].tolist()
                self._first_told[at, entry.broker] = set(numbers)
                self._told.update((entry.link, number) for number in numbers)
        for link, number in self._told:
            self.known[int(self._routes.target[link])][number] = int(self._routes.source[link])
        for number in np.flatnonzero(in_force).tolist():
            self.known[int(plan.broker_of[number])][number] = OWN
        # Announcement for the k best, s-link -> how many are told there that it concerns.
        self._matching: Counter[tuple[int, int]] = Counter()
        self.announcements: list[int] = []  # links down which one was told, or withdrawn
        for link, number in self._told:
            self._announce(link, number, 1)
        self.announcements.clear()

    def _runs(self, at: int, link: int) -> bool:
        """Whether an announcement leads over a link as it is marked."""
        announcement = self._errands[at]
        return bool(self.s_links[announcement.topic][self._routes.reverse(link)]) in announcement.over

    def _comes_by(self, number: int, broker: int, root: int) -> bool:
        """Whether a subscription comes by a broker on its way to another."""
        ends = self.home(number), root
        if ends not in self._ways:
            self._ways[ends] = frozenset(self._routes.path(*ends))
        return broker in self._ways[ends]

    def _cover(self, at: int, broker: int, but: int | None = None, beside: int | None = None) -> Cover:
        """What a broker knows that concerns an announcement, for whichever it was told; `but` one, `beside` another.

        A new cover may choose others among equals than had been told before: then the difference is told, too.
        """
        if (at, broker) in self._covers:
            return self._covers[at, broker]
        contest, root = self._errands[at].contest, self._errands[at].root
        numbers = [
            n for n in self.known[broker] if n != but and n in self._concerned[at] and self._comes_by(n, broker, root)
        ]
        numbers += [] if beside is None else [beside]
        types = dict(self._plan.topics[contest.advertisement.topic].fields)
        made = cover_of(contest, self._plan.subscriptions, types, numbers, self._clipped[at])
        self._covers[at, broker] = made
        if (at, broker) in self._first_told:
            before, after = self._first_told.pop((at, broker)), {self._number[id_] for id_ in made.forwarded()}
            link = int(self._routes.link_of[broker, root])
            self._tell([(link, n) for n in sorted(after - before)], [(link, n) for n in sorted(before - after)])
        return made

    def home(self, number: int) -> int:
        """The broker that serves a subscription."""
        return int(self._plan.broker_of[number])

    def subscribe(self, number: int) -> None:
        """A subscriber's broker hears of a subscription."""
        self._hear(self.home(number), number, OWN)

    def unsubscribe(self, number: int) -> None:
        """A subscriber's broker hears that a subscription is over."""
        self._forget(self.home(number), number)

    def remark(self, topic: str, s_link: np.ndarray) -> None:
        """Mark the links of a topic anew; nothing may be on its way."""
        assert not self.waiting
        before, announced = self.s_links[topic], len(self.announcements)
        new, old = list[tuple[int, int]](), list[tuple[int, int]]()
        changed = [self._routes.reverse(link) for link in np.flatnonzero(before != s_link).tolist()]
        ends = [
            (at, int(self._routes.source[link]), link)
            for at, announcement in enumerate(self._errands)
            if announcement.topic == topic and len(announcement.over) == 1
            for link in changed
            if self._routes.link_of[self._routes.source[link], announcement.root] == link
        ]
        for at, broker, link in ends:
            if self._runs(at, link):
                told = self._first_told.pop((at, broker), None)
                if told is None:
                    told = {self._number[id_] for id_ in self._cover(at, broker).forwarded()}
                    del self._covers[at, broker]
                old += [(link, number) for number in told]
        self.s_links[topic] = s_link
        for at, broker, link in ends:
            if self._runs(at, link):
                new += [(link, self._number[id_]) for id_ in self._cover(at, broker).forwarded()]
        self._tell(sorted(new), sorted(old))
        del self.announcements[announced:]  # on links that have changed, they are counted afresh
        for link in changed:
            self._announce_afresh(link, topic)

    def step(self, at: int = 0) -> Message:
        """Let a message arrive: the first that waits, or another one that is the first on its link."""
        link = self.waiting[at].link
        at = next(place for place, message in enumerate(self.waiting) if message.link == link)
        message = self.waiting[at]
        del self.waiting[at]
        target = int(self._routes.target[message.link])
        if message.withdrawn:
            self._forget(target, message.number)
        else:
            self._hear(target, message.number, int(self._routes.source[message.link]))
        return message

    def settle(self) -> Iterator[Message]:
        """Let all messages arrive."""
        while self.waiting:
            yield self.step()

    def kind(self, topic: str, link: int) -> MessageKind:
        """What a message over a link is on the bill: a subscription on its way up, or part of a channel."""
        climbs = self.s_links[topic][self._routes.reverse(link)]
        return MessageKind.SUBSCRIPTION if climbs else MessageKind.CHANNEL

    def _hear(self, broker: int, number: int, origin: int) -> None:
        self.known[broker][number] = origin
        self._pass_on(broker, number, gone=False)

    def _forget(self, broker: int, number: int) -> None:
        del self.known[broker][number]
        self._pass_on(broker, number, gone=True)

    def _pass_on(self, broker: int, number: int, gone: bool) -> None:
        new, old = list[tuple[int, int]](), list[tuple[int, int]]()
        for at, announcement in enumerate(self._errands):
            if number not in self._concerned[at] or broker == announcement.root:
                continue
            link = int(self._routes.link_of[broker, announcement.root])
            if link < 0 or not self._runs(at, link) or not self._comes_by(number, broker, announcement.root):
                continue
            cover = self._cover(at, broker, beside=number) if gone else self._cover(at, broker, but=number)
            change = cover.remove(number) if gone else cover.add(number)
            new += [(link, self._number[id_]) for id_ in change.forwarded]
            old += [(link, self._number[id_]) for id_ in change.withdrawn]
        self._tell(new, old)

    def _tell(self, new: Iterable[tuple[int, int]], old: Iterable[tuple[int, int]]) -> None:
        for told in new:
            self._told[told] += 1
            if self._told[told] == 1:
                self.waiting.append(Message(*told, withdrawn=False))
                self._announce(*told, 1)
        for told in old:
            self._told[told] -= 1
            if not self._told[told]:
                del self._told[told]
                self.waiting.append(Message(*told, withdrawn=True))
                self._announce(*told, -1)

    def _announce(self, link: int, number: int, more: int) -> None:
        """Over an s-link, contests for the k best are told down to where somebody matches, as long as somebody does."""
        for at in self._contests_for_the_best:
            if self._matches_beyond(at, link, number):
                before = self._matching[at, link]
                self._matching[at, link] += more
                if not before or not self._matching[at, link]:
                    self.announcements.append(self._routes.reverse(link))

    def _announce_afresh(self, link: int, topic: str) -> None:
        """The same for a link that has been marked anew."""
        told = [number for over, number in self._told if over == link]
        for at in self._contests_for_the_best:
            if self._errands[at].topic == topic:
                self._matching[at, link] = sum(self._matches_beyond(at, link, number) for number in told)
                if self._matching[at, link]:
                    self.announcements.append(self._routes.reverse(link))

    def _matches_beyond(self, at: int, link: int, number: int) -> bool:
        """Whether a subscription concerns an announcement and comes over a link, an s-link, on its way."""
        announcement, source = self._errands[at], int(self._routes.source[link])
        return bool(
            self.s_links[announcement.topic][self._routes.reverse(link)]
            and number in self._concerned[at]
            and self._routes.link_of[source, announcement.root] == link
            and self._comes_by(number, source, announcement.root)
        )

    def announced(self) -> dict[int, int]:
        """Link -> how many contests for the k best are told down it."""
        found: Counter[int] = Counter(self._routes.reverse(link) for (_, link), some in self._matching.items() if some)
        return dict(found)

    def told(self) -> dict[int, set[int]]:
        """Link -> numbers of the subscriptions that have been told over it and not withdrawn."""
        found: dict[int, set[int]] = {}
        for link, number in self._told:
            found.setdefault(link, set()).add(number)
        return found


def _over(contest: Contest) -> frozenset[bool]:
    return frozenset([True, False]) if in_contest(contest) else frozenset([False])
