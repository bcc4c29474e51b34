"""Links that cannot decide for themselves are decided by one of the brokers concerned (matchmaker.txt, section 5).

A broker knows its own links, what each saves as an s-link, and which of them require which in some tree. That is enough
to see a violation; all else has to be told, over links, and every message is counted. Entangled links that require one
another meet at brokers: there they form a party. Parties at the two ends of a link tell each other of the lowest broker
that they know of, until nobody has news. So each component elects one broker, although nobody but that one ever sees
all of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from sparing.graphs.closure import largest_closure
from sparing.model.errors import SparingError

Messages = Counter[tuple[int, int]]  # (from broker, to broker) -> messages


class _Broker:
    """What one broker knows of its links."""

    def __init__(self) -> None:
        self.other = dict[int, int]()  # link -> the broker at the other end
        self.eta = dict[int, int]()  # link -> what is saved if it is an s-link
        self.requires = set[tuple[int, int]]()  # a link that leads here, and one from here that it requires
        self.caught = set[int]()  # links known to be entangled

    def discover(self) -> set[int]:
        """Links that turn out to be entangled.

        One that saves is found out where it ends, one that costs where it begins: so one of its ends has to be told.
        """
        found = set[int]()
        for first, second in self.requires:
            gain, loss = self.eta[first] >= 0, self.eta[second] < 0
            if gain and (loss or second in self.caught):
                found.add(first)
            if loss and (gain or first in self.caught):
                found.add(second)
        found -= self.caught
        self.caught |= found
        return found

    def together(self) -> list[set[int]]:
        """The entangled links, those together that require one another."""
        group = {link: {link} for link in self.caught}
        for first, second in self.requires:
            if first in group and second in group and group[first] is not group[second]:
                joined = group[first] | group[second]
                group.update(dict.fromkeys(joined, joined))
        return list({id(some): some for some in group.values()}.values())


@dataclass(eq=False)
class _Party:
    """Links of one broker that have to be decided together, and the lowest number that it has heard of.

    The lowest link tells parties of the same broker apart.
    """

    broker: int
    links: set[int]
    lowest: tuple[int, int]
    heard: int = 0  # in which round
    teller: int = -1  # from which broker


@dataclass(eq=False)
class _Member:
    """A broker in an election that is over, and what it knows of the component."""

    broker: int
    heard: int
    teller: int
    eta: dict[int, int] = field(default_factory=dict)
    requires: set[tuple[int, int]] = field(default_factory=set)
    told: list[_Member] = field(default_factory=list)  # those to whom it passed the number on
    marking: Mapping[int, bool] = field(default_factory=dict)


def election(
    demand_source: np.ndarray, demand_target: np.ndarray, eta: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, Messages, tuple[int, ...]]:
    """The marking that brokers agree on once each knows the eta of its links, the messages, and who was elected.

    before[i] requires after[i]. Components come in the order of their lowest links, as in `entangled`.
    """
    whole = np.rint(eta).astype(np.int64)
    if not np.array_equal(whole, eta):
        raise SparingError("Link weights must be whole numbers for a tree per source: multiply all of them.")
    brokers = defaultdict[int, _Broker](_Broker)
    ends = zip(demand_source.tolist(), demand_target.tolist(), whole.tolist(), strict=True)
    for link, (source, target, saved) in enumerate(ends):
        for here, there in ((source, target), (target, source)):
            brokers[here].other[link], brokers[here].eta[link] = there, saved
    for first, second in zip(before.tolist(), after.tolist(), strict=True):
        brokers[int(demand_target[first])].requires.add((first, second))

    messages: Messages = Counter()
    _spread(brokers, messages)
    members = _elect(brokers, messages)
    elected = _gather(members, messages)
    for winner in elected:
        winner.marking = _solved(winner.eta, winner.requires)
    _inform(elected, messages)

    marking: np.ndarray = whole >= 0
    for member in members.values():
        for link in brokers[member.broker].caught & member.marking.keys():
            if demand_source[link] == member.broker:  # the upstream end has the say
                marking[link] = member.marking[link]
    return marking, messages, tuple(winner.broker for winner in elected)


def _spread(brokers: Mapping[int, _Broker], messages: Messages) -> None:
    """Both ends of every entangled link learn that it is entangled."""
    ahead = set(brokers)
    while ahead:
        news = [(number, link) for number in ahead for link in brokers[number].discover()]
        ahead = set()
        for number, link in news:
            other = brokers[number].other[link]
            messages[number, other] += 1
            brokers[other].caught.add(link)
            ahead.add(other)


def _elect(brokers: Mapping[int, _Broker], messages: Messages) -> dict[tuple[int, tuple[int, int]], _Member]:
    """(broker, lowest number) -> member of the election that this number won; a broker may take part in several."""
    parties = [
        _Party(number, links, (number, min(links))) for number, broker in brokers.items() for links in broker.together()
    ]
    at = {(party.broker, link): party for party in parties for link in party.links}
    ahead, now = parties, 0
    while ahead:
        now += 1
        heard = defaultdict[_Party, list[tuple[tuple[int, int], int]]](list)
        for party in ahead:
            others = {link: brokers[party.broker].other[link] for link in party.links}
            messages.update((party.broker, other) for other in set(others.values()))
            for link, other in others.items():
                heard[at[other, link]].append((party.lowest, party.broker))
        ahead = []
        for party, words in heard.items():
            lowest, teller = min(words)
            if lowest < party.lowest:
                party.lowest, party.heard, party.teller = lowest, now, teller
                ahead.append(party)

    members = dict[tuple[int, tuple[int, int]], _Member]()
    for party in sorted(parties, key=lambda party: (party.heard, party.teller)):
        # Parties of one broker that the same number won turn out to be in the same component.
        new = _Member(party.broker, party.heard, party.teller)
        member = members.setdefault((party.broker, party.lowest), new)
        known = brokers[party.broker]
        member.eta |= {link: known.eta[link] for link in party.links}
        member.requires |= {pair for pair in known.requires if party.links.issuperset(pair)}
    return members


def _gather(members: Mapping[tuple[int, tuple[int, int]], _Member], messages: Messages) -> list[_Member]:
    """Those who were elected; all others have told them what they know, those who heard of them last first."""
    elected = []
    for (_, lowest), member in sorted(members.items(), key=lambda item: -item[1].heard):
        if member.heard:
            messages[member.broker, member.teller] += 1
            towards = members[member.teller, lowest]
            towards.eta |= member.eta
            towards.requires |= member.requires
            towards.told.append(member)
        else:
            elected.append(member)
    return sorted(elected, key=lambda member: min(member.eta))


def _solved(eta: Mapping[int, int], requires: Iterable[tuple[int, int]]) -> dict[int, bool]:
    """Link -> whether it is an s-link, as many of them as the least cost allows."""
    place = {link: at for at, link in enumerate(sorted(eta))}
    pairs = np.array([(place[first], place[second]) for first, second in requires], dtype=np.int64)
    try:
        inside = largest_closure(np.array([eta[link] for link in place], dtype=np.int64), pairs[:, 0], pairs[:, 1])
    except OverflowError as error:
        raise SparingError(f"The matchmaker cannot count that far: {error}; use smaller link weights.") from None
    return dict(zip(place, inside.tolist(), strict=True))


def _inform(elected: Iterable[_Member], messages: Messages) -> None:
    """Every member learns the marking from the one by whom it was told of the winner."""
    ahead = list(elected)
    while ahead:
        member = ahead.pop()
        for other in member.told:
            messages[member.broker, other.broker] += 1
            other.marking = member.marking
        ahead += member.told
