"""Merged topics in numbers: aggregators, distances and notification cycles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparing.control.merging.cycles import common_factor
from sparing.control.merging.tree import trees_of
from sparing.control.plan import Plan


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """A merged topic in one connected part of the overlay.

    `levels` are the brokers by distance from the active aggregators, nearest first; passive aggregators are on one of
    them. `cycle` is the greatest common divisor of all cycles in microseconds, 0 without cycles.
    """

    topic: str
    key: tuple[str, ...]
    brokers: int
    center: str
    active: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    cycle: int
    at_once: int  # number of subscriptions without cycle


def merges_of(plan: Plan) -> Iterator[MergeSummary]:
    """Yield the summary of each merged topic and connected part of the overlay."""
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
