"""What the control plane sends: advertisements and subscriptions as far as they must go, channels where they meet.

What is folded is told in entries, one for a cluster; what changes in them later is in `churn`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from sparing.control.matchmaker.live_marking import LiveMarking, MarkingChange
from sparing.control.merging.cycles import announcements
from sparing.control.plan import Plan
from sparing.control.routes import Routes
from sparing.control.routing.churn import LiveTopic, SentMessages, live_topics
from sparing.control.routing.folded import Folded, folded
from sparing.control.routing.network import Network
from sparing.control.routing.spread import spread_of
from sparing.control.routing.stale_members import RoutingChanges
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.policy import Folding

SLACK = 0.5  # share by which the number of subscriptions at a broker may change before links are told


def control_bill(plan: Plan, start: Folded | None = None) -> Bill:
    """The messages that make a plan known, and those that follow when subscriptions come into force and go out of it.

    What is there from the start (worked out here if it is not given) is in no time bucket.
    """
    start = start or start_of(plan)
    bill = bill_at(start)
    if len(plan.changes):
        bill.update((plan.changed or changes_of(start)).bill)
    return bill


def start_of(plan: Plan) -> Folded:
    """What has been told before the first change."""
    return folded(spread_of(plan, plan.in_force(None)))


def bill_at(start: Folded) -> Bill:
    """The messages that tell everything afresh."""
    bill, spread, plan = Bill(), start.spread, start.spread.plan
    for link, _ in spread.advertised():
        bill[_key(plan, link, MessageKind.ADVERTISEMENT, None)] += 1
    for (link, kind), entries in start.entries.items():
        bill[_key(plan, link, kind, None)] += len(entries)
    for link, contests in spread.announced.items():
        bill[_key(plan, link, MessageKind.CHANNEL, None)] += len(contests)
    for sent in spread.signalled.values():
        for link, messages in sent.items():
            bill[_key(plan, link, MessageKind.COORDINATION, None)] += messages
    bill.update(announcements(plan))
    return bill


def changes_of(start: Folded) -> RoutingChanges:
    """What follows when subscriptions come and go; at equal times those that end make room first.

    `start` is what has been told before the first change.
    """
    bill, spread = Bill(), start.spread
    plan, in_force = spread.plan, spread.plan.in_force(None)
    network = Network(spread, in_force)
    live = {topic: live_of(plan, topic, in_force) for topic in plan.topics}
    folds = live_topics(start)
    moments: list[tuple[int, bool, int]] = []
    for number, subscription in enumerate(plan.subscriptions):
        if subscription.valid_from is not None:
            moments.append((subscription.valid_from, True, number))
        if subscription.valid_until is not None:
            moments.append((subscription.valid_until, False, number))

    def reconfigured(sent: Iterable[SentMessages]) -> None:
        for message in sent:
            bill[_key(plan, message.link, MessageKind.COORDINATION, _bucket(plan, message.time))] += message.messages

    for time, comes, number in sorted(moments):
        topic = plan.subscriptions[number].query.topic
        for fold in folds.values():
            reconfigured(fold.until(time))
        for kind, link, messages in messages_of(network, live[topic], topic, number, comes, folds.get(topic), time):
            bill[_key(plan, link, kind, _bucket(plan, time))] += messages
    for fold in folds.values():
        reconfigured(fold.finish())
    return RoutingChanges(
        bill, tuple(sorted(stale_member for fold in folds.values() for stale_member in fold.stale_members))
    )


def with_stale_members(plan: Plan) -> Plan:
    """The plan with what its folded entries attract in vain, as the data plane must know it."""
    if plan.policy.folding is Folding.NONE or all(s.valid_until is None for s in plan.subscriptions):
        return plan
    return replace(plan, changed=changes_of(start_of(plan)))


def _bucket(plan: Plan, time: int) -> int:
    return time // plan.bucket * plan.bucket


def live_of(plan: Plan, topic: str, in_force: np.ndarray, slack: float = SLACK) -> LiveMarking:
    """The marking of a topic, to be kept up to date."""
    published, subscribed = plan.published[topic], plan.subscribed(topic, in_force)
    return LiveMarking(plan.policy.matchmaker, plan.shared, plan.routes, plan.weights, published, subscribed, slack)


Messages = Iterator[tuple[MessageKind, int, int]]  # kind, link, messages


def messages_of(
    network: Network,
    live: LiveMarking,
    topic: str,
    number: int,
    comes: bool,
    folds: LiveTopic | None = None,
    time: int = 0,
) -> Messages:
    """What is sent when a subscription comes or goes. Whoever comes finds the links marked for it already.

    With `folds`, entries of clusters are told instead of subscriptions.
    """
    broker = network.home(number)
    if not comes:
        network.unsubscribe(number)
        yield from _settled(network, topic, folds, time)
    yield from _changed(network, live, topic, live.subscribe(broker, 1 if comes else -1))
    yield from _settled(network, topic, folds, time)
    if comes:
        network.subscribe(number)
        yield from _settled(network, topic, folds, time)


def _changed(network: Network, live: LiveMarking, topic: str, change: MarkingChange) -> Messages:
    for link in np.flatnonzero(change.advertised).tolist():
        yield MessageKind.ADVERTISEMENT, link, int(change.advertised[link])
    if live.counts_travel:
        yield from ((MessageKind.COORDINATION, link, 1) for link in change.counted_down.tolist())
        yield from ((MessageKind.COORDINATION, Routes.reverse(link), 1) for link in change.counted_up.tolist())
        yield from ((MessageKind.COORDINATION, link, messages) for link, messages in live.elections(change).items())
    if len(change.to_s_link) or len(change.to_p_link):
        network.remark(topic, live.s_link)


def _settled(network: Network, topic: str, folds: LiveTopic | None, time: int) -> Messages:
    """Let what waits arrive."""
    messages = list(network.settle())
    if folds is None:
        yield from ((network.kind(topic, message.link), message.link, 1) for message in messages)
    elif messages:
        for sent in folds.change(messages, time):
            kind = MessageKind.COORDINATION if sent.planned else network.kind(topic, sent.link)
            yield kind, sent.link, sent.messages
    for link in network.announcements:
        yield MessageKind.CHANNEL, link, 1
    network.announcements.clear()


def _key(plan: Plan, link: int, kind: MessageKind, bucket: int | None) -> BillKey:
    return BillKey(*plan.routes.ends(link), kind, bucket)
