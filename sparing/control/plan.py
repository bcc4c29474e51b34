"""The plan: what the control plane worked out, in the form the data plane runs on.

The plan is data. A running query reads it and never has it in its text, so it can change without the query changing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sparing.control.covering.contest import Contest, contests
from sparing.control.matchmaker.marking import Marking, marking_of
from sparing.control.routes import Routes
from sparing.control.routing.stale_members import RoutingChanges
from sparing.control.routing.tables import RoutingTable, table_of
from sparing.control.trees.attachment import AttachmentReason
from sparing.control.trees.do import do
from sparing.control.trees.ds import ds, ds_tree
from sparing.control.trees.shared_tree import shared_tree
from sparing.model.box import Box
from sparing.model.content import PickledByFields
from sparing.model.merge import Outage
from sparing.model.overlay import Overlay
from sparing.model.policy import Attachment, DeliveryTree, Policy
from sparing.model.rank import Fairness
from sparing.model.subscription import Advertisement, Subscription
from sparing.model.topic import Topic


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(PickledByFields):
    """Subscriptions are in the order of their ids, so their numbers are in the global decision order."""

    topics: Mapping[str, Topic]
    advertisements: tuple[Advertisement, ...]
    subscriptions: tuple[Subscription, ...]
    broker_of: np.ndarray  # subscription number -> broker number
    routes: Routes
    bucket: int
    policy: Policy = field(default_factory=Policy)
    weight: np.ndarray | None = None  # link -> what a message of the control plane costs there (None: 1)
    links: tuple[tuple[str, str], ...] = ()  # of the overlay, in trees or not
    changed: RoutingChanges | None = None  # what follows from comings and goings, if the data plane must know
    attached: tuple[AttachmentReason, ...] = ()  # where who could hang at several brokers does, and why
    outages: tuple[Outage, ...] = ()  # when aggregators of merged events are down, in the order of time

    @property
    def shared(self) -> bool:
        """Whether all sources have one delivery tree."""
        return self.policy.tree is DeliveryTree.SHARED

    def with_policy(self, **keys: Any) -> Plan:
        """The plan with other values for some keys of its policy; trees and attachments stay as they are."""
        return replace(self, policy=replace(self.policy, **keys))

    @cached_property
    def by_topic(self) -> dict[str, np.ndarray]:
        """Topic -> numbers of its subscriptions."""
        numbers: dict[str, list[int]] = {topic: [] for topic in self.topics}
        for number, subscription in enumerate(self.subscriptions):
            numbers[subscription.query.topic].append(number)
        return {topic: np.array(found, dtype=np.int32) for topic, found in numbers.items()}

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """For every advertisement, who can match it and who must be told of; equal ones share theirs."""
        found: dict[Advertisement, Contest] = {}
        for name, topic in self.topics.items():
            mine = [advertisement for advertisement in self.advertisements if advertisement.topic == name]
            found |= contests(mine, self.subscriptions, name, topic.fields, self.policy.covering)
        return tuple(found[advertisement] for advertisement in self.advertisements)

    @cached_property
    def contest_of(self) -> tuple[int, ...]:
        """For every advertisement, the first one that has the same contest."""
        first: dict[int, int] = {}
        return tuple(first.setdefault(id(contest), number) for number, contest in enumerate(self.contests))

    def climb(self, topic: str, root: int) -> Contest:
        """The subscriptions to a topic as they climb towards a publishers' broker, whatever is published there."""
        return replace(self._climbs[topic], advertisement=_anything(topic, self.routes.brokers[root]))

    @cached_property
    def _climbs(self) -> dict[str, Contest]:
        found: dict[str, Contest] = {}
        for name, topic in self.topics.items():
            anything = _anything(name, "")
            found[name] = contests([anything], self.subscriptions, name, topic.fields, self.policy.covering)[anything]
        return found

    @cached_property
    def published(self) -> dict[str, dict[int, int]]:
        """Topic -> broker -> how many advertisements there are at it."""
        found: dict[str, dict[int, int]] = {topic: {} for topic in self.topics}
        for advertisement in self.advertisements:
            counts, broker = found[advertisement.topic], self.routes.number[advertisement.broker]
            counts[broker] = counts.get(broker, 0) + 1
        return {topic: dict(sorted(counts.items())) for topic, counts in found.items()}

    def subscribed(self, topic: str, in_force: np.ndarray) -> np.ndarray:
        """Broker -> how many subscriptions to a topic are in force at it."""
        mine = self.by_topic[topic]
        return np.bincount(self.broker_of[mine[in_force[mine]]], minlength=len(self.routes.brokers))

    @cached_property
    def weights(self) -> np.ndarray:
        """Link -> what a message of the control plane costs there."""
        return np.ones(len(self.routes.source), dtype=np.int64) if self.weight is None else self.weight

    def marking(self, topic: str, in_force: np.ndarray) -> Marking:
        """Which links of the topic's trees are p-links and s-links, if some subscriptions are in force."""
        published, subscribed = self.published[topic], self.subscribed(topic, in_force)
        return marking_of(self.policy.matchmaker, self.shared, self.routes, self.weights, published, subscribed)

    @cached_property
    def changes(self) -> np.ndarray:
        """The times at which a subscription comes into force or goes out of it."""
        times = {time for s in self.subscriptions for time in (s.valid_from, s.valid_until) if time is not None}
        return np.array(sorted(times), dtype=np.int64)

    def in_force(self, time: int | None) -> np.ndarray:
        """Which subscriptions are in force at a time; None is before all others."""
        return np.array(
            [
                (s.valid_from is None or (time is not None and s.valid_from <= time))
                and (s.valid_until is None or time is None or time < s.valid_until)
                for s in self.subscriptions
            ],
            dtype=bool,
        )

    @cached_property
    def _tables(self) -> dict[tuple[int, int], RoutingTable]:
        return {}

    def table(self, advertisement: int, epoch: int) -> RoutingTable:
        """The routing table of an advertisement after so many of the `changes`, with weights if draws need them."""
        contest = self.contests[advertisement]
        key = self.contest_of[advertisement], epoch
        if key not in self._tables:
            in_force = self.in_force(int(self.changes[epoch - 1]) if epoch else None)
            weighted = contest.advertisement.rank.fair is Fairness.WEIGHTED and contest.advertisement.top_k is not None
            self._tables[key] = table_of(contest, self.broker_of, self.routes, weighted, in_force)
        return self._tables[key]


def _anything(topic: str, broker: str) -> Advertisement:
    """Stands for whatever may be published at a broker."""
    return Advertisement("", broker, topic, Box())


def make_plan(
    overlay: Overlay,
    topics: Mapping[str, Topic],
    advertisements: tuple[Advertisement, ...],
    subscribers: Mapping[str, tuple[str, ...]],
    subscriptions: tuple[Subscription, ...],
    *,
    bucket: int,
    policy: Policy | None = None,
    outages: tuple[Outage, ...] = (),
) -> Plan:
    """Build the trees, attach the subscribers."""
    policy = policy or Policy()
    similar = policy.trees is Attachment.DS
    reasons: tuple[AttachmentReason, ...] = ()
    if policy.tree is DeliveryTree.PER_SOURCE:
        routes = Routes.per_source(overlay.brokers, overlay.neighbours)
    elif similar:
        links, reasons = ds_tree(overlay, subscribers, subscriptions, advertisements, topics, policy.gamma)
        routes = Routes.of(overlay.brokers, links)
    else:
        routes = Routes.of(overlay.brokers, shared_tree(overlay))
    if similar:
        served_by, why = ds(routes, subscribers, subscriptions, advertisements, topics, policy.gamma)
    else:
        served_by, why = do(routes, subscribers, subscriptions, advertisements)
    ordered = tuple(sorted(subscriptions, key=lambda subscription: subscription.id))
    broker_of = np.array([routes.number[served_by[s.subscriber]] for s in ordered], dtype=np.int32)
    weight_of = {frozenset((link.one, link.other)): link.weight for link in overlay.links}
    ends = zip(routes.source.tolist(), routes.target.tolist(), strict=True)
    weight = [weight_of[frozenset((routes.brokers[a], routes.brokers[b]))] for a, b in ends]
    return Plan(
        topics=topics,
        advertisements=advertisements,
        subscriptions=ordered,
        broker_of=broker_of,
        routes=routes,
        bucket=bucket,
        policy=policy,
        weight=np.array(weight, dtype=np.int64),
        links=tuple((link.one, link.other) for link in overlay.links),
        attached=(*reasons, *why),
        outages=tuple(sorted(outages, key=lambda outage: (outage.start, outage.broker))),
    )
