"""The plan: what the control plane worked out, in the form the data plane runs on.

The plan is data. A running query reads it and never has it in its text, so it can change without the query changing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.control.routes import Routes
from sparing.control.trees.do import do
from sparing.control.trees.shared_tree import shared_tree
from sparing.model.overlay import Overlay
from sparing.model.subscription import Advertisement, Subscription
from sparing.model.topic import Topic


@dataclass(frozen=True, eq=False)
class Plan:
    """Subscriptions are in the order of their ids, so their numbers are in the global decision order."""

    topics: Mapping[str, Topic]
    advertisements: tuple[Advertisement, ...]
    subscriptions: tuple[Subscription, ...]
    broker_of: np.ndarray  # subscription number -> broker number
    routes: Routes
    decision: str
    bucket: int
    patience: int | None = None  # how long links wait, if the decision is a patient one (microseconds)

    @cached_property
    def by_topic(self) -> dict[str, np.ndarray]:
        """Topic -> numbers of its subscriptions."""
        numbers: dict[str, list[int]] = {topic: [] for topic in self.topics}
        for number, subscription in enumerate(self.subscriptions):
            numbers[subscription.query.topic].append(number)
        return {topic: np.array(found, dtype=np.int32) for topic, found in numbers.items()}


def make_plan(
    overlay: Overlay,
    topics: Mapping[str, Topic],
    advertisements: tuple[Advertisement, ...],
    subscribers: Mapping[str, tuple[str, ...]],
    subscriptions: tuple[Subscription, ...],
    decision: str,
    bucket: int,
    patience: int | None = None,
) -> Plan:
    """Build the tree, attach the subscribers."""
    routes = Routes.of(overlay.brokers, shared_tree(overlay))
    served_by = do(routes, subscribers, subscriptions, advertisements)
    ordered = tuple(sorted(subscriptions, key=lambda subscription: subscription.id))
    broker_of = np.array([routes.number[served_by[s.subscriber]] for s in ordered], dtype=np.int32)
    return Plan(topics, advertisements, ordered, broker_of, routes, decision, bucket, patience)
