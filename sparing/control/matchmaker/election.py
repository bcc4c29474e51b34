"""Election: each component of entangled links elects one broker, which marks the links (matchmaker.txt, section 5).

A broker knows its own links, the eta of each, and the requirements between them. That is enough to detect a violation;
everything else takes messages over links, and every message is counted. The entangled links of a broker that
requirements connect form a candidate. Candidates at the two ends of a link exchange the lowest candidate number that
they know until no number changes. The lowest candidate of a component is elected; it alone learns the whole component.
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
    """The local knowledge of one broker."""

    def __init__(self) -> None:
        self.other = dict[int, int]()  # link -> the broker at the other end
        self.eta = dict[int, int]()  # link -> saving if it is an s-link
        self.requires = set[tuple[int, int]]()  # an incoming link, and an outgoing link that it requires
        self.entangled = set[int]()  # links known to be entangled

    def discover(self) -> set[int]:
        """Return links that are newly known to be entangled.

        A link with eta >= 0 is detected at its target, one with eta < 0 at its source; the other end needs a message.
        """
        found = set[int]()
        for first, second in self.requires:
            gain, loss = self.eta[first] >= 0, self.eta[second] < 0
            if gain and (loss or second in self.entangled):
                found.add(first)
            if loss and (gain or first in self.entangled):
                found.add(second)
        found -= self.entangled
        self.entangled |= found
        return found

    def groups(self) -> list[set[int]]:
        """Return the entangled links, grouped by requirements."""
        group = {link: {link} for link in self.entangled}
        for first, second in self.requires:
            if first in group and second in group and group[first] is not group[second]:
                joined = group[first] | group[second]
                group.update(dict.fromkeys(joined, joined))
        return list({id(links): links for links in group.values()}.values())


Number = tuple[int, int]  # of a candidate: its broker and its lowest link


@dataclass(eq=False)
class _Candidate:
    """Entangled links of one broker that are decided together, and the lowest candidate number received."""

    broker: int
    links: set[int]
    lowest: Number
    round: int = 0  # in which `lowest` arrived
    parent: int = -1  # broker that sent it


@dataclass(eq=False)
class _Member:
    """A broker in the spanning tree of a finished election, and its knowledge of the component."""

    broker: int
    round: int
    parent: int
    eta: dict[int, int] = field(default_factory=dict)
    requires: set[tuple[int, int]] = field(default_factory=set)
    children: list[_Member] = field(default_factory=list)
    marking: Mapping[int, bool] = field(default_factory=dict)


def election(
    demand_source: np.ndarray, demand_target: np.ndarray, eta: np.ndarray, before: np.ndarray, after: np.ndarray
) -> tuple[np.ndarray, Messages, tuple[int, ...]]:
    """Return the marking on which brokers agree, the messages, and the elected broker of each component.

    Each broker knows the eta of its links. before[i] requires after[i]. Components are in the order of their lowest
    links, as in `entangled`.
    """
    whole = np.rint(eta).astype(np.int64)
    if not np.array_equal(whole, eta):
        raise SparingError(
            "Link weights are not integers, which trees per source require: multiply all weights by a common factor."
        )
    brokers = defaultdict[int, _Broker](_Broker)
    ends = zip(demand_source.tolist(), demand_target.tolist(), whole.tolist(), strict=True)
    for link, (source, target, saved) in enumerate(ends):
        for here, there in ((source, target), (target, source)):
            brokers[here].other[link], brokers[here].eta[link] = there, saved
    for first, second in zip(before.tolist(), after.tolist(), strict=True):
        brokers[int(demand_target[first])].requires.add((first, second))

    messages: Messages = Counter()
    _detect(brokers, messages)
    members = _elect(brokers, messages)
    elected = _collect(members, messages)
    for winner in elected:
        winner.marking = _solve(winner.eta, winner.requires)
    _inform(elected, messages)

    marking: np.ndarray = whole >= 0
    for member in members.values():
        for link in brokers[member.broker].entangled & member.marking.keys():
            if demand_source[link] == member.broker:  # the upstream end decides
                marking[link] = member.marking[link]
    return marking, messages, tuple(winner.broker for winner in elected)


def _detect(brokers: Mapping[int, _Broker], messages: Messages) -> None:
    """Detect entangled links, and notify the other end of each."""
    active = set(brokers)
    while active:
        news = [(number, link) for number in active for link in brokers[number].discover()]
        active = set()
        for number, link in news:
            other = brokers[number].other[link]
            messages[number, other] += 1
            brokers[other].entangled.add(link)
            active.add(other)


def _elect(brokers: Mapping[int, _Broker], messages: Messages) -> dict[tuple[int, Number], _Member]:
    """(broker, winning number) -> member of that election; a broker may be a member of several elections."""
    candidates = [
        _Candidate(number, links, (number, min(links)))
        for number, broker in brokers.items()
        for links in broker.groups()
    ]
    at = {(candidate.broker, link): candidate for candidate in candidates for link in candidate.links}
    active, now = candidates, 0
    while active:
        now += 1
        received = defaultdict[_Candidate, list[tuple[Number, int]]](list)
        for candidate in active:
            others = {link: brokers[candidate.broker].other[link] for link in candidate.links}
            messages.update((candidate.broker, other) for other in set(others.values()))
            for link, other in others.items():
                received[at[other, link]].append((candidate.lowest, candidate.broker))
        active = []
        for candidate, numbers in received.items():
            lowest, sender = min(numbers)
            if lowest < candidate.lowest:
                candidate.lowest, candidate.round, candidate.parent = lowest, now, sender
                active.append(candidate)

    members = dict[tuple[int, Number], _Member]()
    for candidate in sorted(candidates, key=lambda candidate: (candidate.round, candidate.parent)):
        # Candidates of one broker with the same winning number are in the same component.
        new = _Member(candidate.broker, candidate.round, candidate.parent)
        member = members.setdefault((candidate.broker, candidate.lowest), new)
        known = brokers[candidate.broker]
        member.eta |= {link: known.eta[link] for link in candidate.links}
        member.requires |= {pair for pair in known.requires if candidate.links.issuperset(pair)}
    return members


def _collect(members: Mapping[tuple[int, Number], _Member], messages: Messages) -> list[_Member]:
    """Send the knowledge of all members up the spanning trees, leaves first; return the elected members."""
    elected = []
    for (_, lowest), member in sorted(members.items(), key=lambda item: -item[1].round):
        if member.round:
            messages[member.broker, member.parent] += 1
            parent = members[member.parent, lowest]
            parent.eta |= member.eta
            parent.requires |= member.requires
            parent.children.append(member)
        else:
            elected.append(member)
    return sorted(elected, key=lambda member: min(member.eta))


def _solve(eta: Mapping[int, int], requires: Iterable[tuple[int, int]]) -> dict[int, bool]:
    """Link -> whether it is an s-link, in the optimal marking with the most s-links."""
    place = {link: at for at, link in enumerate(sorted(eta))}
    pairs = np.array([(place[first], place[second]) for first, second in requires], dtype=np.int64)
    try:
        inside = largest_closure(np.array([eta[link] for link in place], dtype=np.int64), pairs[:, 0], pairs[:, 1])
    except OverflowError as error:
        raise SparingError(
            f"Link weights are too large for the min-cost matchmaker ({error}): use smaller weights."
        ) from None
    return dict(zip(place, inside.tolist(), strict=True))


def _inform(elected: Iterable[_Member], messages: Messages) -> None:
    """Send the markings down the spanning trees."""
    active = list(elected)
    while active:
        member = active.pop()
        for other in member.children:
            messages[member.broker, other.broker] += 1
            other.marking = member.marking
        active += member.children
