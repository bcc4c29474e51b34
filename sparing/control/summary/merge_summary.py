"""What a plan says about merged topics: who may coordinate their events, who merges, and how often who hears."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparing.control.merging.cycles import common_factor
from sparing.control.merging.tree import trees_of
from sparing.control.plan import Plan


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """A merged topic in one connected part of the overlay.

    `levels` are the brokers by their distance from the active aggregators, nearest first: at whichever distance passive
    aggregators are, it is among these. `cycle` is the highest common factor of all cycles in microseconds, 0
    if everybody is told at once.
    """

    topic: str
    key: tuple[str, ...]
    brokers: int
    center: str
    active: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cycle: int
    at_once: int  # how many subscriptions do not wait


def merges_of(plan: Plan) -> Iterator[MergeSummary]:
    """All of them."""
    names = plan.routes.brokers
    for name, topic in plan.topics.items():
        if topic.merge is None:
            continue
        for tree in trees_of(plan, name, plan.policy.actives):
            roles = tree.roles(0)
            far: dict[int, list[str]] = {}
            for broker, distance in roles.distance.items():
                far.setdefault(distance, []).append(names[broker])
            mine = [n for n in plan.by_topic[name].tolist() if int(plan.broker_of[n]) in tree.neighbours]
            cycles = [
                plan.subscriptions[n].query.every or 0 for n in mine if plan.subscriptions[n].query.aggregation is None
            ]
            yield MergeSummary(
                name,
                topic.merge.key,
                len(tree.brokers),
                names[tree.center],
                tuple(names[broker] for broker in roles.active),
                tuple(tuple(sorted(far[distance])) for distance in sorted(far) if distance),
                common_factor(cycles),
                cycles.count(0),
            )
