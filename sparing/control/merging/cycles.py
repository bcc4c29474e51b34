"""Notification cycles: the common factors of subscribers' cycles that brokers send each other.

Every broker sends a neighbour the greatest common divisor of the cycles on its own side of the link, in each direction
with a possible coordinator. A subscription without cycle counts as 0, which leaves the divisor as it is.

Paper: caeva, section III-C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from sparing.control.merging.tree import MergeTree, trees_of
from sparing.control.plan import Plan
from sparing.model.bill import Bill, BillKey, MessageKind


def common_factor(cycles: Iterable[int]) -> int:
    """Return the greatest common divisor of cycles; 0 if all are 0.

    >>> common_factor([16, 24, 40])
    8
    """
    return gcd(*cycles)


def factors(tree: MergeTree, cycles: Mapping[int, Iterable[int]]) -> dict[tuple[int, int], int]:
    """(broker, neighbour) -> factor that the broker sends, where its side of the link has subscribers.

    `cycles` are those of the subscribers at each broker.
    """
    active = tree.roles(0).active
    found: dict[tuple[int, int], int] = {}
    for broker in tree.brokers:
        for neighbour in tree.neighbours[broker]:
            mine = [at_broker for b, at_broker in cycles.items() if tree.path(b, neighbour)[-2:] == (broker, neighbour)]
            behind = [cycle for at_broker in mine for cycle in at_broker]
            ahead = any(broker not in tree.path(a, neighbour) for a in active)
            if behind and ahead:
                found[broker, neighbour] = common_factor(behind)
    return found


def cycle_factors(plan: Plan) -> dict[str, dict[tuple[str, str], int]]:
    """Merged topic -> broker and neighbour, by names -> factor that the first sends the second."""
    found: dict[str, dict[tuple[str, str], int]] = {}
    if not plan.policy.merges:
        return found
    names = plan.routes.brokers
    for name, topic in plan.topics.items():
        if topic.merge is None:
            continue
        cycles: dict[int, list[int]] = {}
        for number in plan.by_topic[name].tolist():
            cycles.setdefault(int(plan.broker_of[number]), []).append(plan.subscriptions[number].query.every or 0)
        found[name] = {}
        for tree in trees_of(plan, name, plan.policy.actives):
            mine = {broker: at_broker for broker, at_broker in cycles.items() if broker in tree.neighbours}
            for (source, target), factor in factors(tree, mine).items():
                found[name][names[source], names[target]] = factor
    return found


def cycle_messages(plan: Plan) -> Bill:
    """Return the messages that send all factors before the first publication."""
    bill = Bill()
    for by_link in cycle_factors(plan).values():
        for link in by_link:
            bill[BillKey(*link, MessageKind.COORDINATION, None)] += 1
    return bill
