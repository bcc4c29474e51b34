"""The whole walk in one process, without Spark: the twin of the Spark pipeline, and its judge in tests.

Feed it publications as they come and say how far time has got; it hands out what was delivered. Brokers hosted
elsewhere are reached through the items that it gives and takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sparing.control.plan import Plan
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import Arrival, AtOnce
from sparing.flow.arrival.matched import Matched
from sparing.flow.deliver.identity import about_event, notification_id
from sparing.flow.deliver.notifications import Notification
from sparing.flow.events.merged_notifications import MergedNotification
from sparing.flow.events.merged_topic import MergedState, MergedTopic
from sparing.flow.events.reports import by_partition
from sparing.flow.interests import Interests
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.items import LinkItem
from sparing.flow.windows.window_state import WindowState
from sparing.flow.windows.window_walk import WindowWalk
from sparing.model.bill import Bill
from sparing.model.errors import SparingError
from sparing.model.topic import Topic
from sparing.model.types import BEGINNING, END_OF_TIME


@dataclass
class Deliveries:
    """Everything that came out so far.

    `events` are plain deliveries: (subscription number, publication id); `publishers` has the publisher of each.
    """

    events: list[tuple[int, str]] = field(default_factory=list)
    publishers: list[str] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    bill: Bill = field(default_factory=Bill)
    late: list[Matched] = field(default_factory=list)
    told: list[MergedNotification] = field(default_factory=list)
    late_reports: list[Publications] = field(default_factory=list)
    sent: list[LinkItem] = field(default_factory=list)

    def ids(self, plan: Plan) -> list[str]:
        """The ids of all notifications."""
        plain = zip(self.events, self.publishers, strict=True)
        found = [(number, about_event(publisher, id_)) for (number, id_), publisher in plain]
        found += [(n.subscription, n.about) for n in self.notifications]
        found += [(number, t.about) for t in self.told for number in t.subscriptions]
        return [notification_id(plan.subscriptions[number].id, about) for number, about in found]


class Walk:
    """One plan under way, or the part of it that is hosted here."""

    def __init__(self, plan: Plan, policy: LinkPolicy | None = None, hosted: Iterable[str] | None = None) -> None:
        self.interests = Interests.of(plan) if policy is None else Interests(plan, policy)
        here = None if hosted is None else tuple(hosted)
        self._at_once = AtOnce(self.interests, here)
        self._overlay = WindowWalk(self.interests, here)
        self._states: dict[str, WindowState] = {}
        if here is not None and any(topic.merge is not None for topic in plan.topics.values()):
            raise SparingError("Brokers of a deployment with merged topics cannot be hosted apart: host all of them.")
        self._events: dict[tuple[str, int], MergedState] = {}
        self._merged: dict[str, MergedTopic] = {}
        self._time = BEGINNING

    def feed(
        self, batches: Sequence[Publications], until: int = END_OF_TIME, received: Sequence[LinkItem] = ()
    ) -> Deliveries:
        """Take in publications, and items from elsewhere; do everything that falls before event time `until`.

        Publications made before the last `until` are too late for windows.
        """
        delivered = Deliveries()
        plain = [batch for batch in batches if self._topics[batch.topic].merge is None]
        made_here = [arrival for batch in plain for arrival in self._at_once.arrive(batch)]
        made_elsewhere = self._at_once.receive([i for i in received if i.states is None and not i.subscription])
        waiting: dict[str, list[Matched]] = {}
        for arrival in made_here + made_elsewhere:
            self._deliver(arrival, delivered)
        for arrival in made_here:
            for group, matched in arrival.held.items():
                waiting.setdefault(group, []).append(matched)
        for arrival in made_elsewhere:
            for group, matched in arrival.held.items():
                on_time = np.flatnonzero(matched.time >= self._time)  # late ones are reported where they were made
                waiting.setdefault(group, []).append(matched.take(on_time))
        decided = self._decided(received)
        for group in sorted(waiting.keys() | self._states.keys() | decided.keys()):
            state, outcome = self._overlay.advance(
                self._states.get(group), waiting.get(group, ()), until, self._time, decided.get(group, ())
            )
            self._states[group] = state
            if state.empty:
                del self._states[group]
            delivered.notifications += [n for found in outcome.notifications for n in found]
            delivered.bill.update(outcome.bill)
            delivered.sent += outcome.sent
            if outcome.late is not None:
                delivered.late.append(outcome.late)
        self._feed_events(batches, until, delivered)
        self._time = until
        return delivered

    @property
    def _topics(self) -> Mapping[str, Topic]:
        return self.interests.plan.topics

    def _feed_events(self, batches: Sequence[Publications], until: int, delivered: Deliveries) -> None:
        """The same for merged topics."""
        reports: dict[tuple[str, int], list[Publications]] = {partition: [] for partition in self._events}
        for batch in batches:
            if self._topics[batch.topic].merge is not None:
                partitions = self.interests.partitions(batch.topic)
                for partition, some in by_partition(batch, self._topics[batch.topic], partitions):
                    reports.setdefault((batch.topic, partition), []).append(some)
        for (topic, partition), found in sorted(reports.items()):
            if topic not in self._merged:
                self._merged[topic] = MergedTopic(self.interests, topic, self._at_once, self._overlay)
            before = self._events.get((topic, partition))
            state, outcome = self._merged[topic].advance(before, found, until, self._time)
            self._events[topic, partition] = state
            if state.empty:
                del self._events[topic, partition]
            delivered.told += outcome.told
            delivered.notifications += [n for some in outcome.notifications for n in some]
            delivered.bill.update(outcome.bill)
            delivered.late_reports += outcome.late

    def _deliver(self, arrival: Arrival, delivered: Deliveries) -> None:
        rows = arrival.plain.rows
        ids = arrival.publications.id[rows].tolist()
        delivered.events += zip(arrival.plain.subscriptions.tolist(), ids, strict=True)
        delivered.publishers += arrival.publications.publisher[rows].tolist()
        delivered.bill.update(arrival.bill)
        delivered.sent += arrival.sent

    def _decided(self, received: Sequence[LinkItem]) -> dict[str, list[LinkItem]]:
        """Items that a decision elsewhere sent, by interest group."""
        names, group_of = self.interests.groups
        number = {subscription.id: n for n, subscription in enumerate(self.interests.plan.subscriptions)}
        found: dict[str, list[LinkItem]] = {}
        for item in received:
            if item.subscription:
                found.setdefault(names[group_of[number[item.subscription]]], []).append(item)
        return found
