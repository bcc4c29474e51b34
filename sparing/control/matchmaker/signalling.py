"""Brokers mark the links among themselves, each knowing only what it was told (matchmaker.txt, section 5).

At first a broker knows how many descriptors its own publishers and subscribers have, and its place in each tree.
Numbers travel from link to link, never descriptors; every message is counted. In the end both ends of a link know how
many advertisements and subscriptions would cross it, and decide; only entangled links have to be agreed on.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from sparing.control.matchmaker.demand import ROOT, Demand
from sparing.control.matchmaker.election import Messages, election

Down = TypeVar("Down")  # what is said of advertisements
Up = TypeVar("Up")  # what is said of subscriptions


@dataclass(frozen=True, eq=False)
class SignallingResult:
    """What brokers decided, what they sent for it, over links only, and whom they elected for entangled links."""

    marking: np.ndarray  # link -> whether it is an s-link
    messages: Messages
    elected: tuple[int, ...]  # component -> broker


def signal(demand: Demand, shared: bool) -> SignallingResult:
    """Have the brokers mark the links; `shared` says whether all sources have one tree, and reach all subscribers."""
    brokers, messages = counted(demand, shared)
    counts = (brokers[source].counts(link) for link, source in enumerate(demand.source.tolist()))
    eta = demand.weight * np.array([sigma - tau for sigma, tau in counts], dtype=np.int64)
    if shared:
        return SignallingResult(eta >= 0, messages, ())
    marking, more, elected = election(demand.source, demand.target, eta, *demand.requires)
    return SignallingResult(marking, messages + more, elected)


@dataclass(frozen=True, eq=False)
class _Place:
    """Where a broker stands in a tree: the link that leads to it (or ROOT) and those that lead on."""

    tree: int
    into: int
    out: list[int]
    published: int  # by its own publishers, at the root
    reached: bool  # whether the source reaches its own subscribers


class Broker(ABC, Generic[Down, Up]):
    """A broker and what it knows; what was said over its links, by itself or to it, is all that it has from others."""

    def __init__(self, number: int, subscribed: int) -> None:
        self.number, self.subscribed = number, subscribed
        self.into = defaultdict[int, list[_Place]](list)  # link that leads here -> the places that it leads to
        self.out = defaultdict[int, list[_Place]](list)  # link that leads on -> the places that it leads on from
        self.down = dict[int, Down]()  # link -> what was said last along it
        self.up = dict[int, Up]()  # link -> what was said last against it

    def stand(self, place: _Place) -> None:
        """Take a place in a tree."""
        if place.into != ROOT:
            self.into[place.into].append(place)
        for link in place.out:
            self.out[link].append(place)

    def news_down(self) -> Iterator[tuple[int, Down]]:
        """Links, and what there is to say along each that has not been said."""
        for link in self.out:
            said = self.advertised(link)
            if said is not None and said != self.down.get(link):
                self.down[link] = said
                yield link, said

    def news_up(self) -> Iterator[tuple[int, Up]]:
        """Links, and what there is to say against the direction of each that has not been said."""
        for link in self.into:
            said = self.wanted(link)
            if said is not None and said != self.up.get(link):
                self.up[link] = said
                yield link, said

    @abstractmethod
    def advertised(self, link: int) -> Down | None:
        """What it can say of the advertisements that would go along a link (None: nothing yet)."""

    @abstractmethod
    def wanted(self, link: int) -> Up | None:
        """What it can say of the subscriptions that would go against a link (None: nothing yet)."""

    @abstractmethod
    def counts(self, link: int) -> tuple[int, int]:
        """Sigma and tau of one of its links, as far as it knows."""


class _OnSharedTree(Broker[int, int]):
    """Sums will do: everybody beyond a link is beyond it for all sources."""

    def advertised(self, link: int) -> int | None:
        needed = {place.into for place in self.out[link]} - {ROOT}
        if not needed <= self.down.keys():
            return None
        return sum(place.published for place in self.out[link]) + sum(self.down[other] for other in needed)

    def wanted(self, link: int) -> int | None:
        needed = {other for place in self.into[link] for other in place.out}
        if not needed <= self.up.keys():
            return None
        return self.subscribed + sum(self.up[other] for other in needed)

    def counts(self, link: int) -> tuple[int, int]:
        return self.down.get(link, 0), self.up.get(link, 0)


class _OnTreePerSource(Broker[dict[int, int], dict[int, dict[int, int]]]):
    """Tables are needed: a subscriber's broker may be beyond a link for some sources only, and counts once.

    They have source -> advertisements, and source -> broker -> subscriptions; a source is known by its tree.
    """

    def advertised(self, link: int) -> dict[int, int] | None:
        found = dict[int, int]()
        for place in self.out[link]:
            if place.into == ROOT:
                found[place.tree] = place.published
            elif place.tree in (heard := self.down.get(place.into, {})):
                found[place.tree] = heard[place.tree]
        return found or None

    def wanted(self, link: int) -> dict[int, dict[int, int]] | None:
        found = dict[int, dict[int, int]]()
        for place in self.into[link]:
            goals = {self.number: self.subscribed} if place.reached else {}
            for other in place.out:
                goals |= self.up.get(other, {}).get(place.tree, {})
            if goals:
                found[place.tree] = goals
        return found or None

    def counts(self, link: int) -> tuple[int, int]:
        goals = dict[int, int]()
        for some in self.up.get(link, {}).values():
            goals |= some
        return sum(self.down.get(link, {}).values()), sum(goals.values())


def counted(demand: Demand, shared: bool) -> tuple[Mapping[int, Broker[Any, Any]], Messages]:
    """The brokers, once each knows sigma and tau of its links, and the messages that it took.

    They speak in rounds: all at first, then those who were told something, until nobody has anything new to say.
    """
    kind = _OnSharedTree if shared else _OnTreePerSource
    brokers: dict[int, Broker[Any, Any]] = {n: kind(n, count) for n, count in enumerate(demand.subscribed.tolist())}
    for number in range(len(demand.trees)):
        for at, place in _places(demand, number).items():
            brokers[at].stand(place)
    source, target = demand.source.tolist(), demand.target.tolist()
    messages: Messages = Counter()
    ahead = set(brokers)
    while ahead:
        down = [news for number in ahead for news in brokers[number].news_down()]
        up = [news for number in ahead for news in brokers[number].news_up()]
        for link, said in down:
            messages[source[link], target[link]] += 1
            brokers[target[link]].down[link] = said
        for link, said in up:
            messages[target[link], source[link]] += 1
            brokers[source[link]].up[link] = said
        ahead = {target[link] for link, _ in down} | {source[link] for link, _ in up}
    return brokers, messages


def _places(demand: Demand, number: int) -> dict[int, _Place]:
    """Broker -> its place in a tree."""
    tree, published, reached = demand.trees[number], int(demand.published[number]), demand.reached[number]
    places = dict[int, _Place]()
    for link, parent in zip(tree.links.tolist(), tree.parent.tolist(), strict=True):
        source, target = int(demand.source[link]), int(demand.target[link])
        if parent == ROOT and source not in places:
            places[source] = _Place(number, ROOT, [], published, False)
        places[source].out.append(link)
        wanted = demand.subscribed[target] > 0 and (reached is None or reached[target])
        places[target] = _Place(number, link, [], 0, bool(wanted))
    return places
