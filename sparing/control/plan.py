"""The plan: the result of the control plane, in the form that the data plane runs on.

The plan is data. A running query reads it but does not contain it, so the plan can change without a new query.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from sparing.control.covering.matching_set import MatchingSet, matching_sets
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
    """Subscriptions with their brokers, routes and policy.

    Subscriptions are ordered by id, so that their numbers follow the decision order.
    """

    topics: Mapping[str, Topic]
    advertisements: tuple[Advertisement, ...]
    subscriptions: tuple[Subscription, ...]
    broker_of: np.ndarray  # subscription number -> broker number
    routes: Routes
    bucket: int
    policy: Policy = field(default_factory=Policy)
    weight: np.ndarray | None = None  # link -> cost of a control message (None: 1)
    links: tuple[tuple[str, str], ...] = ()  # all links of the overlay, in a delivery tree or not
    changed: RoutingChanges | None = None  # messages and stale members of scheduled changes, with folding
    attached: tuple[AttachmentReason, ...] = ()  # for subscribers and leaf brokers with several candidates
    outages: tuple[Outage, ...] = ()  # of aggregators of merged events, in the order of time

    @property
    def shared(self) -> bool:
        """Whether all sources have one delivery tree."""
        return self.policy.tree is DeliveryTree.SHARED

    def with_policy(self, **keys: Any) -> Plan:
        """Return the plan with some keys of the policy replaced; trees and attachments are not built again."""
        return replace(self, policy=replace(self.policy, **keys))

    @cached_property
    def last_hops(self) -> tuple[tuple[tuple[str, str], ...], np.ndarray]:
        """The last hops as (broker, subscriber), and the number of each subscription's."""
        brokers = (self.routes.brokers[broker] for broker in self.broker_of.tolist())
        ends = [(broker, s.subscriber) for broker, s in zip(brokers, self.subscriptions, strict=True)]
        numbers = {hop: number for number, hop in enumerate(dict.fromkeys(ends))}
        return tuple(numbers), np.array([numbers[hop] for hop in ends], dtype=np.int64)

    @cached_property
    def by_topic(self) -> dict[str, np.ndarray]:
        """Topic -> numbers of its subscriptions."""
        numbers: dict[str, list[int]] = {topic: [] for topic in self.topics}
        for number, subscription in enumerate(self.subscriptions):
            numbers[subscription.query.topic].append(number)
        return {topic: np.array(mine, dtype=np.int32) for topic, mine in numbers.items()}

    @cached_property
    def matching_sets(self) -> tuple[MatchingSet, ...]:
        """Advertisement -> its matching set; equal advertisements share one."""
        found: dict[Advertisement, MatchingSet] = {}
        for name, topic in self.topics.items():
            mine = [advertisement for advertisement in self.advertisements if advertisement.topic == name]
            found |= matching_sets(mine, self.subscriptions, name, topic.fields, self.policy.covering)
        return tuple(found[advertisement] for advertisement in self.advertisements)

    @cached_property
    def matching_set_of(self) -> tuple[int, ...]:
        """Advertisement -> the first advertisement with the same matching set."""
        first: dict[int, int] = {}
        return tuple(first.setdefault(id(one), number) for number, one in enumerate(self.matching_sets))

    def climb(self, topic: str, root: int) -> MatchingSet:
        """Return the matching set of all subscriptions to a topic on their path to a publishers' broker.

        Advertisements are unknown on s-links, so every subscription to the topic is in the set.
        """
        return replace(self._climbs[topic], advertisement=_anything(topic, self.routes.brokers[root]))

    @cached_property
    def _climbs(self) -> dict[str, MatchingSet]:
        found: dict[str, MatchingSet] = {}
        for name, topic in self.topics.items():
            sets = matching_sets([_anything(name, "")], self.subscriptions, name, topic.fields, self.policy.covering)
            (found[name],) = sets.values()
        return found

    @cached_property
    def published(self) -> dict[str, dict[int, int]]:
        """Topic -> broker -> number of its advertisements."""
        found: dict[str, dict[int, int]] = {topic: {} for topic in self.topics}
        for advertisement in self.advertisements:
            counts, broker = found[advertisement.topic], self.routes.number[advertisement.broker]
            counts[broker] = counts.get(broker, 0) + 1
        return {topic: dict(sorted(counts.items())) for topic, counts in found.items()}

    def subscribed(self, topic: str, in_force: np.ndarray) -> np.ndarray:
        """Broker -> number of its subscriptions to a topic that are in force."""
        mine = self.by_topic[topic]
        return np.bincount(self.broker_of[mine[in_force[mine]]], minlength=len(self.routes.brokers))

    @cached_property
    def weights(self) -> np.ndarray:
        """Link -> cost of a control message."""
        return np.ones(len(self.routes.source), dtype=np.int64) if self.weight is None else self.weight

    def marking(self, topic: str, in_force: np.ndarray) -> Marking:
        """Return the p-links and s-links of a topic for the subscriptions in force."""
        published, subscribed = self.published[topic], self.subscribed(topic, in_force)
        return marking_of(self.policy.matchmaker, self.shared, self.routes, self.weights, published, subscribed)

    @cached_property
    def changes(self) -> np.ndarray:
        """Times at which a subscription starts or ends, ascending."""
        times = {time for s in self.subscriptions for time in (s.valid_from, s.valid_until) if time is not None}
        return np.array(sorted(times), dtype=np.int64)

    def in_force(self, time: int | None) -> np.ndarray:
        """Subscription number -> whether it is in force at a time; None is before all times."""
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
        """Return the routing table of an advertisement after the first `epoch` changes, weighted if its rank is."""
        matching_set = self.matching_sets[advertisement]
        key = self.matching_set_of[advertisement], epoch
        if key not in self._tables:
            in_force = self.in_force(int(self.changes[epoch - 1]) if epoch else None)
            weighted = matching_set.is_top_k and matching_set.advertisement.rank.fair is Fairness.WEIGHTED
            table = table_of(matching_set, self.broker_of, self.routes, weighted=weighted, in_force=in_force)
            self._tables[key] = table
        return self._tables[key]


def _anything(topic: str, broker: str) -> Advertisement:
    """Return an advertisement of everything that can be published on a topic."""
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
    """Build the delivery trees and attach subscribers; `subscribers` has the candidate brokers of each."""
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
