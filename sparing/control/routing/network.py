"""Brokers that tell each other of subscriptions that come and go, message by message.

A broker that hears of a subscription from one side tells its neighbours towards the publishers that it concerns, as far
as covering asks for it. When a subscription leaves that covered others, these are told first, and only then is it
withdrawn; messages on a link keep their order, so a publication finds its way at any moment.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sparing.control.covering.contest import Contest, Covering
from sparing.control.covering.watched import Change, WatchedCover
from sparing.control.routes import HERE, Routes
from sparing.control.routing.tables import table_of
from sparing.model.box import Box
from sparing.model.subscription import Subscription
from sparing.model.types import FieldType

OWN = -1  # instead of a neighbour: the broker's own subscriber


@dataclass(frozen=True, slots=True)
class Message:
    """A subscription is made known over a link, or withdrawn."""

    link: int
    number: int
    withdrawn: bool


class Cover(Protocol):
    """What a broker knows of one contest, and what of it the next broker needs to know."""

    def add(self, number: int) -> Change:
        """A subscription comes."""

    def remove(self, number: int) -> Change:
        """A subscription goes."""


class _Watched:
    """Kept up to date change by change."""

    def __init__(
        self,
        contest: Contest,
        subscriptions: Sequence[Subscription],
        types: dict[str, FieldType],
        numbers: Iterable[int],
    ) -> None:
        self._contest, self._subscriptions = contest, subscriptions
        entries = [self._entry(number) for number in numbers]
        regular = contest.method is Covering.REGULAR
        self._cover = WatchedCover.of(entries, types, contest.k, regular or contest.fair)

    def _entry(self, number: int) -> tuple[str, Box, float]:
        subscription = self._subscriptions[number]
        box = subscription.query.box.intersect(self._contest.advertisement.box)
        assert box is not None
        place = int(np.searchsorted(self._contest.numbers, number))
        scores = self._contest.scores
        return subscription.id, box, 0.0 if scores is None else float(scores[place])

    def add(self, number: int) -> Change:
        return self._cover.add(*self._entry(number))

    def remove(self, number: int) -> Change:
        return self._cover.remove(self._subscriptions[number].id)


class _Afresh:
    """Worked out again after every change: for rules that know no shortcut."""

    def __init__(
        self, contest: Contest, subscriptions: Sequence[Subscription], numbers: Iterable[int], told: Iterable[int]
    ) -> None:
        """`told` is what the next broker knows already."""
        self._contest, self._subscriptions = contest, subscriptions
        self._there = set(numbers)
        self._forwarded = set(told)

    def _all_forwarded(self) -> set[int]:
        numbers = self._contest.numbers
        places = np.searchsorted(numbers, np.array(sorted(self._there), numbers.dtype))
        return set(numbers[self._contest.forwarded(places)].tolist())

    def add(self, number: int) -> Change:
        self._there.add(number)
        return self._change()

    def remove(self, number: int) -> Change:
        self._there.discard(number)
        return self._change()

    def _change(self) -> Change:
        before, self._forwarded = self._forwarded, self._all_forwarded()
        names = [
            tuple(self._subscriptions[number].id for number in sorted(some))
            for some in (self._forwarded - before, before - self._forwarded)
        ]
        return Change(*names)


class Network:
    """All brokers and the messages on their way."""

    def __init__(
        self,
        contests: Iterable[Contest],
        subscriptions: Sequence[Subscription],
        types: dict[str, dict[str, FieldType]],
        broker_of: np.ndarray,
        routes: Routes,
        in_force: np.ndarray,
    ) -> None:
        """`types` are those of every topic's fields; `in_force` says who is there from the start."""
        self._contests = list({id(contest): contest for contest in contests}.values())
        self._subscriptions, self._broker_of, self._routes, self._types = subscriptions, broker_of, routes, types
        self._number = {subscription.id: number for number, subscription in enumerate(subscriptions)}
        self._concerned = [set(contest.numbers.tolist()) for contest in self._contests]
        self._roots = [routes.number[contest.advertisement.broker] for contest in self._contests]
        self.waiting: deque[Message] = deque()
        self.known: list[dict[int, int]] = [{} for _ in routes.brokers]  # subscription -> neighbour it was heard from
        self._covers: dict[tuple[int, int], Cover] = {}  # by contest and broker, made when first needed
        self._told: Counter[tuple[int, int]] = Counter()  # (link, subscription) -> for how many contests it was told
        self._first_told: dict[tuple[int, int], list[int]] = {}  # by contest and broker, at the start
        for at, contest in enumerate(self._contests):
            table = table_of(contest, broker_of, routes, False, in_force)
            for entry in table.known:
                for number in entry.numbers.tolist():
                    self.known[entry.broker][number] = self._origin(entry.broker, number)
                if entry.broker != table.at:
                    numbers = entry.numbers[entry.forwarded].tolist()
                    self._first_told[at, entry.broker] = numbers
                    self._told.update((entry.link, number) for number in numbers)
        for number in np.flatnonzero(in_force).tolist():
            self.known[int(broker_of[number])].setdefault(number, OWN)

    def _origin(self, broker: int, number: int) -> int:
        link = int(self._routes.link_of[broker, self._broker_of[number]])
        return OWN if link == HERE else int(self._routes.target[link])

    def _cover(self, at: int, broker: int, towards: int, changing: int, gone: bool) -> Cover:
        """What a broker knows that concerns a contest, for whichever contest it was told, before a change."""
        if (at, broker) in self._covers:
            return self._covers[at, broker]
        contest = self._contests[at]
        heard = [n for n, origin in self.known[broker].items() if n in self._concerned[at] and origin != towards]
        before = [n for n in heard if n != changing] + ([changing] if gone else [])
        static = contest.method is Covering.REGULAR or contest.scores is not None
        made: Cover
        if static and contest.method in (Covering.REGULAR, Covering.ANCESTOR):
            made = _Watched(contest, self._subscriptions, self._types[contest.advertisement.topic], before)
        else:
            made = _Afresh(contest, self._subscriptions, before, self._first_told.get((at, broker), ()))
        self._covers[at, broker] = made
        return made

    def subscribe(self, number: int) -> None:
        """A subscriber's broker hears of a subscription."""
        self._hear(int(self._broker_of[number]), number, OWN)

    def unsubscribe(self, number: int) -> None:
        """A subscriber's broker hears that a subscription is over."""
        self._forget(int(self._broker_of[number]), number)

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

    def _hear(self, broker: int, number: int, origin: int) -> None:
        self.known[broker][number] = origin
        self._pass_on(broker, number, origin, gone=False)

    def _forget(self, broker: int, number: int) -> None:
        self._pass_on(broker, number, self.known[broker].pop(number), gone=True)

    def _pass_on(self, broker: int, number: int, origin: int, gone: bool) -> None:
        new, old = list[tuple[int, int]](), list[tuple[int, int]]()
        for at, root in enumerate(self._roots):
            link = int(self._routes.link_of[broker, root])
            if number not in self._concerned[at] or link < 0 or int(self._routes.target[link]) == origin:
                continue
            cover = self._cover(at, broker, int(self._routes.target[link]), number, gone)
            change = cover.remove(number) if gone else cover.add(number)
            new += [(link, self._number[id_]) for id_ in change.forwarded]
            old += [(link, self._number[id_]) for id_ in change.withdrawn]
        for told in new:
            self._told[told] += 1
            if self._told[told] == 1:
                self.waiting.append(Message(*told, withdrawn=False))
        for told in old:
            self._told[told] -= 1
            if not self._told[told]:
                del self._told[told]
                self.waiting.append(Message(*told, withdrawn=True))

    def told(self) -> dict[int, set[int]]:
        """Link -> numbers of the subscriptions that have been told over it and not withdrawn."""
        found: dict[int, set[int]] = {}
        for link, number in self._told:
            found.setdefault(link, set()).add(number)
        return found
