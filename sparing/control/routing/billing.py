"""What the control plane sends: advertisements and subscriptions as far as they must go, channels where they meet."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.control.matchmaker.live import Change, Live
from sparing.control.plan import Plan
from sparing.control.routes import Routes
from sparing.control.routing.network import Network
from sparing.control.routing.spread import Spread, spread_of
from sparing.model.bill import Bill, BillKey, MessageKind


def control_bill(plan: Plan, spread: Spread | None = None) -> Bill:
    """The messages that make a plan known, and those that follow when subscriptions come into force and go out of it.

    What is there from the start (`spread`, worked out here if it is not given) is in no time bucket.
    """
    spread = spread or spread_of(plan, plan.in_force(None))
    bill = bill_at(spread)
    if len(plan.changes):
        bill.update(bill_of_changes(spread))
    return bill


def bill_at(spread: Spread) -> Bill:
    """The messages that tell everything afresh."""
    bill, plan = Bill(), spread.plan
    for link, _ in spread.advertised():
        bill[_key(plan, link, MessageKind.ADVERTISEMENT, None)] += 1
    for (link, kind), numbers in spread.told.items():
        bill[_key(plan, link, kind, None)] += len(numbers)
    for link, contests in spread.announced.items():
        bill[_key(plan, link, MessageKind.CHANNEL, None)] += len(contests)
    for sent in spread.signalled.values():
        for link, messages in sent.items():
            bill[_key(plan, link, MessageKind.COORDINATION, None)] += messages
    return bill


def bill_of_changes(spread: Spread) -> Bill:
    """Messages when subscriptions come and go; at equal times those that end make room first.

    `spread` is what has been told before the first change.
    """
    bill, plan = Bill(), spread.plan
    start = plan.in_force(None)
    network = Network(spread, start)
    live = {topic: live_of(plan, topic, start) for topic in plan.topics}
    moments: list[tuple[int, bool, int]] = []
    for number, subscription in enumerate(plan.subscriptions):
        if subscription.valid_from is not None:
            moments.append((subscription.valid_from, True, number))
        if subscription.valid_until is not None:
            moments.append((subscription.valid_until, False, number))
    for time, comes, number in sorted(moments):
        topic = plan.subscriptions[number].query.topic
        for kind, link, messages in messages_of(network, live[topic], topic, number, comes):
            bill[_key(plan, link, kind, time // plan.bucket * plan.bucket)] += messages
    return bill


def live_of(plan: Plan, topic: str, in_force: np.ndarray) -> Live:
    """The marking of a topic, to be kept up to date."""
    published, subscribed = plan.published[topic], plan.subscribed(topic, in_force)
    return Live(plan.matchmaker, plan.shared, plan.routes, plan.weights, published, subscribed)


Sent = Iterator[tuple[MessageKind, int, int]]  # kind, link, messages


def messages_of(network: Network, live: Live, topic: str, number: int, comes: bool) -> Sent:
    """What is sent when a subscription comes or goes. Whoever comes finds the links marked for it already."""
    broker = network.home(number)
    if not comes:
        network.unsubscribe(number)
        yield from _settled(network)
    yield from _changed(network, live, topic, live.subscribe(broker, 1 if comes else -1))
    if comes:
        network.subscribe(number)
        yield from _settled(network)


def _changed(network: Network, live: Live, topic: str, change: Change) -> Sent:
    for link in np.flatnonzero(change.advertised).tolist():
        yield MessageKind.ADVERTISEMENT, link, int(change.advertised[link])
    if live.counts_travel:
        yield from ((MessageKind.COORDINATION, link, 1) for link in change.counted_down.tolist())
        yield from ((MessageKind.COORDINATION, Routes.reverse(link), 1) for link in change.counted_up.tolist())
        yield from ((MessageKind.COORDINATION, link, messages) for link, messages in live.elections(change).items())
    if len(change.to_s_link) or len(change.to_p_link):
        network.remark(topic, live.s_link)
        yield from _settled(network)


def _settled(network: Network) -> Sent:
    for message in network.settle():
        yield network.kind(message), message.link, 1
    for link in network.announcements:
        yield MessageKind.CHANNEL, link, 1
    network.announcements.clear()


def network_of(plan: Plan) -> Network:
    """The brokers of a plan, before the first change."""
    return Network(spread_of(plan, plan.in_force(None)), plan.in_force(None))


def _key(plan: Plan, link: int, kind: MessageKind, bucket: int | None) -> BillKey:
    names = plan.routes.brokers
    return BillKey(names[plan.routes.source[link]], names[plan.routes.target[link]], kind, bucket)
