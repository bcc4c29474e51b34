"""The context of a merged topic's events: trees, audiences, outages, message counters and a watcher."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sparing.control.merging.tree import MergeTree, Roles, trees_of
from sparing.control.plan import Plan
from sparing.flow.events.audience import Audience, EventAudience, Key
from sparing.flow.events.audiences import Audiences
from sparing.flow.events.event import Event
from sparing.flow.events.messages import Messages
from sparing.model.merge import RedundancyRule

NOBODY: frozenset[int] = frozenset()


class EventStep(NamedTuple):
    """One step in the history of an event, for explanations."""

    time: int
    what: str
    broker: int
    target: int
    facts: int
    who: tuple[int, ...] = ()


class EventWatcher(Protocol):
    """Receives the steps of events."""

    def see(self, event: Event, step: EventStep) -> None:
        """Receive a step."""


class MergeContext:
    """One merged topic under one plan; only `messages`, `spoke` and `watcher` change."""

    def __init__(self, plan: Plan, topic: str, watcher: EventWatcher | None = None) -> None:
        self.plan = plan
        self.topic = plan.topics[topic]
        self.policy = plan.policy
        self.audiences = Audiences(plan, topic)
        self.merge = self.audiences.merge
        self.by_name = self.merge.compare is RedundancyRule.NAME
        self.trees: Sequence[MergeTree] = trees_of(plan, topic, self.policy.actives)
        self.tree_of = {broker: number for number, tree in enumerate(self.trees) for broker in tree.brokers}
        everywhere = [c for c in self.audiences.all if c.always]
        self._always = [
            EventAudience.of(c for c in everywhere if self.tree_of.get(c.broker) == number)
            for number in range(len(self.trees))
        ]
        self.outages = [(o.start, plan.routes.number[o.broker], o.end) for o in plan.outages]
        self.messages = Messages(plan)
        self.spoke: list[set[int]] = [set() for _ in self.trees]  # by tree: aggregators that have sent upward
        self.watcher = watcher

    def tree_at(self, broker: int) -> int | None:
        """Return the tree of reports published at a broker, also if it has no publishers now; None without one."""
        found = self.tree_of.get(broker)
        if found is None:
            found = next((n for n, tree in enumerate(self.trees) if tree.hops(broker, tree.center) >= 0), None)
        return found

    def event_audience(self, key: Key, began: int, tree: int) -> EventAudience:
        """Return the audiences that an event can match."""
        some = self.audiences.sometimes(key, began)
        return self._always[tree] | EventAudience.of(c for c in some if self.tree_of.get(c.broker) == tree)

    def gathers(self, key: Key, tree: int) -> frozenset[int]:
        """Return the brokers with subscriptions that aggregate whole events and can match this one."""
        return frozenset(broker for broker in self.audiences.gathers(key) if self.tree_of.get(broker) == tree)

    def concerns(self, audience: Audience, event: Event) -> bool:
        """Return whether an event can match an audience."""
        if len(self.trees) > 1 and self.tree_of.get(audience.broker) != event.tree:
            return False
        return audience.concerns(event.key, event.began)

    def down(self, time: int) -> frozenset[int]:
        """Return the brokers whose aggregators are down."""
        if not self.outages:
            return NOBODY
        return frozenset(b for start, b, end in self.outages if start <= time and (end is None or time < end))

    def roles(self, event: Event, time: int) -> Roles:
        """Return the aggregators of an event."""
        return self.trees[event.tree].roles(event.hops, self.down(time))

    def new(self, event: Event, had: int, facts: int) -> int:
        """Return those of some facts that are new to a broker that had others."""
        return facts & ~(event.same_fields(had) if self.by_name and had else had)

    def name(self, broker: int) -> str:
        """Return the name of a broker."""
        return self.plan.routes.brokers[broker]

    def see(
        self,
        event: Event,
        time: int,
        what: str,
        broker: int,
        target: int = -1,
        facts: int = 0,
        *,
        who: tuple[int, ...] = (),
    ) -> None:
        """Report a step to the watcher."""
        if self.watcher is not None:
            self.watcher.see(event, EventStep(time, what, broker, target, facts, who))
