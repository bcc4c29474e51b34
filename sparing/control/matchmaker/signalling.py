"""Signalling: brokers mark the links by exchanging numbers of descriptors (matchmaker.txt, section 5).

Initially a broker knows the descriptors of its own publishers and subscribers, and its position in each tree. Brokers
send numbers to neighbours, never descriptors; every message is counted. At the end both ends of a link know sigma and
tau and mark the link; only entangled links need an election.
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

Down = TypeVar("Down")  # message about advertisements, along a link
Up = TypeVar("Up")  # message about subscriptions, against a link


@dataclass(frozen=True, eq=False)
class SignallingResult:
    """The marking, the messages, and the brokers elected for entangled links."""

    marking: np.ndarray  # link -> whether it is an s-link
    messages: Messages
    elected: tuple[int, ...]  # component -> broker


def signal(demand: Demand, shared: bool) -> SignallingResult:
    """Return the result of signalling; `shared`: all sources have one tree and reach all subscribers."""
    brokers, messages = exchange_counts(demand, shared)
    counts = (brokers[source].counts(link) for link, source in enumerate(demand.source.tolist()))
    eta = demand.weight * np.array([sigma - tau for sigma, tau in counts], dtype=np.int64)
    if shared:
        return SignallingResult(eta >= 0, messages, ())
    marking, election_messages, elected = election(demand.source, demand.target, eta, *demand.requires)
    return SignallingResult(marking, messages + election_messages, elected)


@dataclass(frozen=True, eq=False)
class _TreePosition:
    """The position of a broker in a tree: the incoming link (or ROOT) and the outgoing links."""

    tree: int
    into: int
    out: list[int]
    published: int  # advertisements of its own publishers, at the root
    reached: bool  # whether its own subscribers are goals of the tree


class Broker(ABC, Generic[Down, Up]):
    """The local knowledge of a broker: its descriptors, positions in trees, and messages on its links."""

    def __init__(self, number: int, subscribed: int) -> None:
        self.number, self.subscribed = number, subscribed
        self.into = defaultdict[int, list[_TreePosition]](list)  # incoming link -> positions with it
        self.out = defaultdict[int, list[_TreePosition]](list)  # outgoing link -> positions with it
        self.down = dict[int, Down]()  # link -> last message along it
        self.up = dict[int, Up]()  # link -> last message against it

    def add_position(self, position: _TreePosition) -> None:
        """Add a position in a tree."""
        if position.into != ROOT:
            self.into[position.into].append(position)
        for link in position.out:
            self.out[link].append(position)

    def messages_down(self) -> Iterator[tuple[int, Down]]:
        """Yield outgoing links with a new message along each."""
        for link in self.out:
            message = self.advertised(link)
            if message is not None and message != self.down.get(link):
                self.down[link] = message
                yield link, message

    def messages_up(self) -> Iterator[tuple[int, Up]]:
        """Yield incoming links with a new message against the direction of each."""
        for link in self.into:
            message = self.wanted(link)
            if message is not None and message != self.up.get(link):
                self.up[link] = message
                yield link, message

    @abstractmethod
    def advertised(self, link: int) -> Down | None:
        """Return the message about advertisements for a link, None if it is not known yet."""

    @abstractmethod
    def wanted(self, link: int) -> Up | None:
        """Return the message about subscriptions for a link, None if it is not known yet."""

    @abstractmethod
    def counts(self, link: int) -> tuple[int, int]:
        """Return sigma and tau of a link from the messages so far."""


class _OnSharedTree(Broker[int, int]):
    """Messages are sums: a broker beyond a link is beyond it for all sources."""

    def advertised(self, link: int) -> int | None:
        needed = {position.into for position in self.out[link]} - {ROOT}
        if not needed <= self.down.keys():
            return None
        return sum(position.published for position in self.out[link]) + sum(self.down[other] for other in needed)

    def wanted(self, link: int) -> int | None:
        needed = {other for position in self.into[link] for other in position.out}
        if not needed <= self.up.keys():
            return None
        return self.subscribed + sum(self.up[other] for other in needed)

    def counts(self, link: int) -> tuple[int, int]:
        return self.down.get(link, 0), self.up.get(link, 0)


class _OnTreePerSource(Broker[dict[int, int], dict[int, dict[int, int]]]):
    """Messages are tables: a subscribers' broker may be beyond a link for some sources only, and counts once.

    Tables have tree -> advertisements, and tree -> broker -> subscriptions.
    """

    def advertised(self, link: int) -> dict[int, int] | None:
        found = dict[int, int]()
        for position in self.out[link]:
            if position.into == ROOT:
                found[position.tree] = position.published
            elif position.tree in (received := self.down.get(position.into, {})):
                found[position.tree] = received[position.tree]
        return found or None

    def wanted(self, link: int) -> dict[int, dict[int, int]] | None:
        found = dict[int, dict[int, int]]()
        for position in self.into[link]:
            goals = {self.number: self.subscribed} if position.reached else {}
            for other in position.out:
                goals |= self.up.get(other, {}).get(position.tree, {})
            if goals:
                found[position.tree] = goals
        return found or None

    def counts(self, link: int) -> tuple[int, int]:
        goals = dict[int, int]()
        for by_broker in self.up.get(link, {}).values():
            goals |= by_broker
        return sum(self.down.get(link, {}).values()), sum(goals.values())


def exchange_counts(demand: Demand, shared: bool) -> tuple[Mapping[int, Broker[Any, Any]], Messages]:
    """Return the brokers once each knows sigma and tau of its links, and the messages that this took.

    In the first round all brokers send, then the receivers of the previous round, until there is no new message.
    """
    kind = _OnSharedTree if shared else _OnTreePerSource
    brokers: dict[int, Broker[Any, Any]] = {n: kind(n, count) for n, count in enumerate(demand.subscribed.tolist())}
    for number in range(len(demand.trees)):
        for broker, position in _positions(demand, number).items():
            brokers[broker].add_position(position)
    source, target = demand.source.tolist(), demand.target.tolist()
    messages: Messages = Counter()
    senders = set(brokers)
    while senders:
        down = [message for number in senders for message in brokers[number].messages_down()]
        up = [message for number in senders for message in brokers[number].messages_up()]
        for link, message in down:
            messages[source[link], target[link]] += 1
            brokers[target[link]].down[link] = message
        for link, message in up:
            messages[target[link], source[link]] += 1
            brokers[source[link]].up[link] = message
        senders = {target[link] for link, _ in down} | {source[link] for link, _ in up}
    return brokers, messages


def _positions(demand: Demand, number: int) -> dict[int, _TreePosition]:
    """Broker -> its position in a tree."""
    tree, published, reached = demand.trees[number], int(demand.published[number]), demand.reached[number]
    positions = dict[int, _TreePosition]()
    for link, parent in zip(tree.links.tolist(), tree.parent.tolist(), strict=True):
        source, target = int(demand.source[link]), int(demand.target[link])
        if parent == ROOT and source not in positions:
            positions[source] = _TreePosition(tree=number, into=ROOT, out=[], published=published, reached=False)
        positions[source].out.append(link)
        wanted = bool(demand.subscribed[target] > 0 and (reached is None or reached[target]))
        positions[target] = _TreePosition(tree=number, into=link, out=[], published=0, reached=wanted)
    return positions
