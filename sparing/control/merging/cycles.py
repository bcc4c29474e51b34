"""Notification cycles: what brokers tell each other about how often those behind them want to hear.

Every broker tells a neighbour the highest common factor of the cycles on its own side of the link, in each direction in
which a coordinator may lie. At once counts as a cycle of 0: it divides by nothing and leaves the factor as it is.

Paper: caeva, section III-C.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from sparing.control.merging.tree import MergeTree, trees_of
from sparing.control.plan import Plan
from sparing.model.bill import Bill, BillKey, MessageKind


def common_factor(cycles: Iterable[int]) -> int:
    """The highest common factor; 0 if all are at once.

    >>> common_factor([16, 24, 40])
    8
    """
    return gcd(*cycles)


def factors(tree: MergeTree, cycles: Mapping[int, Iterable[int]]) -> dict[tuple[int, int], int]:
    """(broker, neighbour) -> the factor that the broker tells the neighbour, where anybody on its side subscribes.

    `cycles` are those of the subscribers at each broker.
    """
    active = tree.roles(0).active
    found: dict[tuple[int, int], int] = {}
    for broker in tree.brokers:
        for neighbour in tree.neighbours[broker]:
            mine = [some for b, some in cycles.items() if tree.path(b, neighbour)[-2:] == (broker, neighbour)]
            behind = [cycle for some in mine for cycle in some]
            ahead = any(broker not in tree.path(a, neighbour) for a in active)
            if behind and ahead:
                found[broker, neighbour] = common_factor(behind)
    return found


def factors_told(plan: Plan) -> dict[str, dict[tuple[str, str], int]]:
    """Merged topic -> broker and neighbour, by names -> the factor that one tells the other."""
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
            mine = {broker: some for broker, some in cycles.items() if broker in tree.neighbours}
            for (source, target), factor in factors(tree, mine).items():
                found[name][names[source], names[target]] = factor
    return found


def announcements(plan: Plan) -> Bill:
    """What it takes to tell all factors before the first publication."""
    bill = Bill()
    for told in factors_told(plan).values():
        for link in told:
            bill[BillKey(*link, MessageKind.COORDINATION, None)] += 1
    return bill
