"""The control bill: messages for advertisements, subscriptions, channels and coordination, initially and per change.

With folding, a folded entry is one message; `churn` updates entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from sparing.control.matchmaker.live_marking import LiveMarking, MarkingChange
from sparing.control.merging.cycles import cycle_messages
from sparing.control.plan import Plan
from sparing.control.routes import Routes
from sparing.control.routing.churn import LiveTopic, SentMessages, live_topics
from sparing.control.routing.folded import Folded, folded
from sparing.control.routing.network import Network
from sparing.control.routing.spread import spread_of
from sparing.control.routing.stale_members import RoutingChanges
from sparing.model.bill import Bill, BillKey, MessageKind
from sparing.model.policy import Folding

SLACK = 0.5  # share by which a broker's number of subscriptions may change before it is announced


def control_bill(plan: Plan, start: Folded | None = None) -> Bill:
    """Return the messages of a plan: the initial ones, without a time bucket, and those of scheduled changes.

    `start` is the result of `start_of`, if the caller has it.
    """
    start = start or start_of(plan)
    bill = bill_at(start)
    if len(plan.changes):
        bill.update((plan.changed or changes_of(start)).bill)
    return bill


def start_of(plan: Plan) -> Folded:
    """Return the routing state before the first change."""
    return folded(spread_of(plan, plan.in_force(None)))


def bill_at(start: Folded) -> Bill:
    """Return the messages that set up a routing state from nothing."""
    bill, spread, plan = Bill(), start.spread, start.spread.plan
    for link, _ in spread.advertised():
        bill[_key(plan, link, MessageKind.ADVERTISEMENT, None)] += 1
    for (link, kind), entries in start.entries.items():
        bill[_key(plan, link, kind, None)] += len(entries)
    for link, advertised in spread.announced.items():
        bill[_key(plan, link, MessageKind.CHANNEL, None)] += len(advertised)
    for sent in spread.signalled.values():
        for link, messages in sent.items():
            bill[_key(plan, link, MessageKind.COORDINATION, None)] += messages
    bill.update(cycle_messages(plan))
    return bill


def changes_of(start: Folded) -> RoutingChanges:
    """Return the effects of all scheduled changes on a start state; at equal times, ends come before starts."""
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

    def add_coordination(sent: Iterable[SentMessages]) -> None:
        for message in sent:
            bill[_key(plan, message.link, MessageKind.COORDINATION, _bucket(plan, message.time))] += message.messages

    for time, starts, number in sorted(moments):
        topic = plan.subscriptions[number].query.topic
        for fold in folds.values():
            add_coordination(fold.until(time))
        for kind, link, messages in messages_of(
            network, live[topic], number, starts, folds=folds.get(topic), time=time
        ):
            bill[_key(plan, link, kind, _bucket(plan, time))] += messages
    for fold in folds.values():
        add_coordination(fold.finish())
    return RoutingChanges(bill, tuple(sorted(stale for fold in folds.values() for stale in fold.stale_members)))


def with_stale_members(plan: Plan) -> Plan:
    """Return the plan with the stale members of its folded entries, which the data plane needs for false positives."""
    if plan.policy.folding is Folding.NONE or all(s.valid_until is None for s in plan.subscriptions):
        return plan
    return replace(plan, changed=changes_of(start_of(plan)))


def _bucket(plan: Plan, time: int) -> int:
    return time // plan.bucket * plan.bucket


def live_of(plan: Plan, topic: str, in_force: np.ndarray, slack: float = SLACK) -> LiveMarking:
    """Return the marking of a topic in a form that can be updated."""
    published, subscribed = plan.published[topic], plan.subscribed(topic, in_force)
    given = plan.policy.matchmaker, plan.shared, plan.routes, plan.weights
    return LiveMarking(*given, published=published, subscribed=subscribed, slack=slack)


Messages = Iterator[tuple[MessageKind, int, int]]  # kind, link, messages


def messages_of(
    network: Network,
    live: LiveMarking,
    number: int,
    starts: bool,
    *,
    folds: LiveTopic | None = None,
    time: int = 0,
) -> Messages:
    """Yield the messages when a subscription starts or ends; the marking is updated before a start, after an end.

    With `folds`, folded entries are sent instead of subscriptions.
    """
    broker, topic = network.home(number), network.topic(number)
    if not starts:
        network.unsubscribe(number)
        yield from _settle(network, topic, folds, time)
    yield from _update_marking(network, live, topic, live.subscribe(broker, 1 if starts else -1))
    yield from _settle(network, topic, folds, time)
    if starts:
        network.subscribe(number)
        yield from _settle(network, topic, folds, time)


def _update_marking(network: Network, live: LiveMarking, topic: str, change: MarkingChange) -> Messages:
    for link in np.flatnonzero(change.advertised).tolist():
        yield MessageKind.ADVERTISEMENT, link, int(change.advertised[link])
    if live.counts_travel:
        yield from ((MessageKind.COORDINATION, link, 1) for link in change.counted_down.tolist())
        yield from ((MessageKind.COORDINATION, Routes.reverse(link), 1) for link in change.counted_up.tolist())
        yield from ((MessageKind.COORDINATION, link, messages) for link, messages in live.elections(change).items())
    if len(change.to_s_link) or len(change.to_p_link):
        network.update_marking(topic, live.s_link)


def _settle(network: Network, topic: str, folds: LiveTopic | None, time: int) -> Messages:
    """Deliver all messages in transit, and yield them."""
    messages = list(network.settle())
    if folds is None:
        yield from ((network.kind(topic, message.link), message.link, 1) for message in messages)
    elif messages:
        for sent in folds.change(messages, time):
            kind = MessageKind.COORDINATION if sent.planned else network.kind(topic, sent.link)
            yield kind, sent.link, sent.messages
    for link in network.top_k_messages:
        yield MessageKind.CHANNEL, link, 1
    network.top_k_messages.clear()


def _key(plan: Plan, link: int, kind: MessageKind, bucket: int | None) -> BillKey:
    return BillKey(*plan.routes.ends(link), kind, bucket)
