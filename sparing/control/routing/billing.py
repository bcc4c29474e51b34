"""What the control plane sends: advertisements over every link of the tree, subscriptions as far as they are needed."""

from __future__ import annotations

import numpy as np

from sparing.control.plan import Plan
from sparing.control.routing.network import Network
from sparing.control.routing.tables import told
from sparing.model.bill import Bill, BillKey, MessageKind


def control_bill(plan: Plan) -> Bill:
    """The messages that make a plan known, and those that follow when subscriptions come into force and go out of it.

    What is there from the start is in no time bucket.
    """
    bill = Bill()
    for advertisement in plan.advertisements:
        for link in away_from(plan, advertisement.broker):
            bill[_key(plan, link, MessageKind.ADVERTISEMENT, None)] += 1
    tables = {ad: plan.table(number, 0) for number, ad in enumerate(plan.advertisements)}
    for link, numbers in told(tables).items():
        bill[_key(plan, link, MessageKind.SUBSCRIPTION, None)] += len(numbers)
    if len(plan.changes):
        bill.update(bill_of_changes(plan))
    return bill


Told = dict[tuple[str, str], list[str]]  # link -> ids of the subscriptions that were told over it


def told_by_link(plan: Plan) -> Told:
    """What brokers know of each other's subscriptions before the first change."""
    names, routes = plan.routes.brokers, plan.routes
    tables = {ad: plan.table(number, 0) for number, ad in enumerate(plan.advertisements)}
    return {
        (names[routes.source[link]], names[routes.target[link]]): [plan.subscriptions[n].id for n in numbers]
        for link, numbers in told(tables).items()
    }


def difference(before: tuple[Bill, Told], after: tuple[Bill, Told]) -> Bill:
    """What it takes to get from one plan to the next: what is new is told, what is gone is withdrawn.

    Plans are given by their control bills and by what brokers know of each other's subscriptions.
    """
    bill = Bill()
    for key, messages in after[0].items():
        settled = key.kind is MessageKind.SUBSCRIPTION and key.bucket is None
        if not settled and messages > before[0][key]:
            bill[key] = messages - before[0][key]
    for link in sorted(before[1].keys() | after[1].keys()):
        changed = set(before[1].get(link, ())) ^ set(after[1].get(link, ()))
        if changed:
            bill[BillKey(*link, MessageKind.SUBSCRIPTION, None)] = len(changed)
    return bill


def away_from(plan: Plan, broker: str) -> list[int]:
    """The links that lead away from a broker, as far as the tree reaches."""
    hops = plan.routes.hops[plan.routes.number[broker]]
    source, target = hops[plan.routes.source], hops[plan.routes.target]
    away: list[int] = np.flatnonzero((source >= 0) & (source < target)).tolist()
    return away


def bill_of_changes(plan: Plan) -> Bill:
    """Messages when subscriptions come and go; at equal times those that end make room first."""
    bill = Bill()
    network = network_of(plan)
    moments: list[tuple[int, bool, int]] = []
    for number, subscription in enumerate(plan.subscriptions):
        if subscription.valid_from is not None:
            moments.append((subscription.valid_from, True, number))
        if subscription.valid_until is not None:
            moments.append((subscription.valid_until, False, number))
    for time, comes, number in sorted(moments):
        if comes:
            network.subscribe(number)
        else:
            network.unsubscribe(number)
        bucket = time // plan.bucket * plan.bucket
        for message in network.settle():
            bill[_key(plan, message.link, MessageKind.SUBSCRIPTION, bucket)] += 1
    return bill


def network_of(plan: Plan) -> Network:
    """The brokers of a plan, before the first change."""
    types = {name: dict(topic.fields) for name, topic in plan.topics.items()}
    start = plan.in_force(None)
    return Network(plan.contests, plan.subscriptions, types, plan.broker_of, plan.routes, start)


def _key(plan: Plan, link: int, kind: MessageKind, bucket: int | None) -> BillKey:
    names = plan.routes.brokers
    return BillKey(names[plan.routes.source[link]], names[plan.routes.target[link]], kind, bucket)
