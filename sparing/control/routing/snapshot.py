"""Snapshots of the routing state by names, and the messages from one plan of a running stream to the next.

New entries are sent before old ones are withdrawn, so that publications are routed correctly meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sparing.control.merging.cycles import cycle_factors
from sparing.control.routing.folded import Folded
from sparing.model.bill import Bill, BillKey, MessageKind

Ends = tuple[str, str]  # a directed link
Counts = dict[Ends, tuple[int, int]]  # sigma and tau


@dataclass(frozen=True)
class Election:
    """An entangled component: its links, and the messages of the election."""

    links: list[Ends]
    messages: dict[Ends, int]


@dataclass(frozen=True)
class RoutingSnapshot:
    """The routing state before the first scheduled change, by names. Fields are part of the checkpoint format."""

    advertisements: dict[Ends, list[str]] = field(default_factory=dict)
    subscriptions: dict[Ends, dict[str, str]] = field(default_factory=dict)  # entry -> kind of message
    announced: dict[Ends, list[str]] = field(default_factory=dict)  # top-k advertisements
    counts: dict[str, Counts] = field(default_factory=dict)  # by topic, with the min-cost matchmaker
    signalled: dict[str, dict[Ends, int]] = field(default_factory=dict)  # by topic: messages of initial signalling
    elections: dict[str, list[Election]] = field(default_factory=dict)  # by topic
    cycles: dict[str, dict[Ends, int]] = field(default_factory=dict)  # by merged topic: factors of notification cycles
    links: list[Ends] = field(default_factory=list)  # of the overlay, each in one direction


def snapshot_of(start: Folded) -> RoutingSnapshot:
    """Return the snapshot of a routing state; an entry is the ids of its members, separated by newlines."""
    spread, plan = start.spread, start.spread.plan
    ends = plan.routes.ends
    advertisements: dict[Ends, list[str]] = {}
    for link, number in spread.advertised():
        advertisements.setdefault(ends(link), []).append(repr(plan.advertisements[number]))
    subscriptions: dict[Ends, dict[str, str]] = {}
    for (link, kind), numbers in spread.forwarded.items():
        known = subscriptions.setdefault(ends(link), {})
        for entry in start.members(numbers):
            known["\n".join(plan.subscriptions[number].id for number in entry.tolist())] = kind.value
    announced = {
        ends(link): [repr(one.advertisement) for one in advertised] for link, advertised in spread.announced.items()
    }
    signalled = {
        topic: {ends(link): messages for link, messages in sent.items()} for topic, sent in spread.signalled.items()
    }
    counts: dict[str, Counts] = {}
    for topic in signalled:
        demand = spread.markings[topic].demand
        pairs = zip(demand.sigma.tolist(), demand.tau.tolist(), strict=True)
        counts[topic] = {ends(link): pair for link, pair in enumerate(pairs) if pair != (0, 0)}
    elections = {
        topic: [
            Election([ends(link) for link in links], {ends(link): n for link, n in sent.items()})
            for links, sent in components
        ]
        for topic, components in spread.elections.items()
    }
    cycles = cycle_factors(plan)
    return RoutingSnapshot(
        advertisements=advertisements,
        subscriptions=subscriptions,
        announced=announced,
        counts=counts,
        signalled=signalled,
        elections=elections,
        cycles=cycles,
        links=list(plan.links),
    )


def difference(before: tuple[Bill, RoutingSnapshot], after: tuple[Bill, RoutingSnapshot]) -> Bill:
    """Return the messages from one plan to the next, each given by its control bill and snapshot.

    Messages of scheduled changes are billed as in the new plan. Links that no longer exist carry no withdrawals.
    """
    bill = Bill()
    for key, messages in after[0].items():
        if key.bucket is not None and messages > before[0][key]:
            bill[key] = messages - before[0][key]
    old, new = before[1], after[1]
    for link in _links(old.advertisements, new.advertisements):
        changed = set(old.advertisements.get(link, ())) ^ set(new.advertisements.get(link, ()))
        _add(bill, link, MessageKind.ADVERTISEMENT, len(changed))
    for link in _links(old.subscriptions, new.subscriptions):
        for kind, messages in _entries(old.subscriptions.get(link, {}), new.subscriptions.get(link, {})):
            _add(bill, link, kind, messages)
    for link in _links(old.announced, new.announced):
        changed = set(old.announced.get(link, ())) ^ set(new.announced.get(link, ()))
        _add(bill, link, MessageKind.CHANNEL, len(changed))
    for topic in new.counts:
        for link, messages in _signalling(old.counts.get(topic), new, topic):
            _add(bill, link, MessageKind.COORDINATION, messages)
    for topic, factors in new.cycles.items():
        known = old.cycles.get(topic, {})
        for link in _links(known, factors):
            _add(bill, link, MessageKind.COORDINATION, int(known.get(link) != factors.get(link)))
    there = {*new.links, *((target, source) for source, target in new.links)}
    return Bill({key: messages for key, messages in bill.items() if (key.source, key.target) in there})


def _entries(old: dict[str, str], new: dict[str, str]) -> Iterable[tuple[MessageKind, int]]:
    """Yield a message for every new entry, which replaces old ones with common members, and for every withdrawal."""
    added, removed = new.keys() - old.keys(), old.keys() - new.keys()
    members = {member for entry in added for member in entry.split("\n")}
    yield from ((MessageKind(new[entry]), 1) for entry in sorted(added))
    yield from ((MessageKind(old[entry]), 1) for entry in sorted(removed) if members.isdisjoint(entry.split("\n")))


def _signalling(old: Counts | None, snapshot: RoutingSnapshot, topic: str) -> Iterable[tuple[Ends, int]]:
    """Yield the messages for changed counts: sigma along a link, tau against it, and elections with changed links."""
    new = snapshot.counts[topic]
    if old is None:
        yield from snapshot.signalled[topic].items()
        return
    changed = set()
    for link in _links(old, new):
        (sigma, tau), (now_sigma, now_tau) = old.get(link, (0, 0)), new.get(link, (0, 0))
        yield link, int(sigma != now_sigma)
        yield (link[1], link[0]), int(tau != now_tau)
        if (sigma, tau) != (now_sigma, now_tau):
            changed.add(link)
    for election in snapshot.elections.get(topic, ()):
        if not changed.isdisjoint(election.links):
            yield from election.messages.items()


def _links(*tables: Mapping[Ends, object]) -> list[Ends]:
    return sorted({link for table in tables for link in table})


def _add(bill: Bill, link: Ends, kind: MessageKind, messages: int) -> None:
    if messages:
        bill[BillKey(*link, kind, None)] += messages
