"""The whole walk in one process, without Spark. Tests use it as the reference for the Spark pipeline.

`Walk.feed` takes publications and an event time, and returns the deliveries up to that time. Brokers in other
processes exchange link items with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

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
    """The output of one `Walk.feed`.

    `plain` are the plain deliveries as (subscription number, publication id), and `publishers` the publisher of each.
    `merged` are notifications about merged events. `sent` are items for brokers hosted by other processes.
    """

    plain: list[tuple[int, str]] = field(default_factory=list)
    publishers: list[str] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    bill: Bill = field(default_factory=Bill)
    late: list[Matched] = field(default_factory=list)
    merged: list[MergedNotification] = field(default_factory=list)
    late_reports: list[Publications] = field(default_factory=list)
    sent: list[LinkItem] = field(default_factory=list)

    def ids(self, plan: Plan) -> list[str]:
        """Return the ids of all notifications."""
        plain = zip(self.plain, self.publishers, strict=True)
        subjects = [(number, about_event(publisher, id_)) for (number, id_), publisher in plain]
        subjects += [(n.subscription, n.about) for n in self.notifications]
        subjects += [(number, m.about) for m in self.merged for number in m.subscriptions]
        return [notification_id(plan.subscriptions[number].id, about) for number, about in subjects]


class Walk:
    """The walk of one plan, with all brokers or those hosted by this process."""

    def __init__(self, plan: Plan, policy: LinkPolicy | None = None, hosted: Iterable[str] | None = None) -> None:
        self.interests = Interests.of(plan) if policy is None else Interests(plan, policy)
        here = None if hosted is None else tuple(hosted)
        self._at_once = AtOnce(self.interests, here)
        self._window_walk = WindowWalk(self.interests, here)
        self._states: dict[str, WindowState] = {}
        if here is not None and any(topic.merge is not None for topic in plan.topics.values()):
            raise SparingError(
                "A deployment with merged topics cannot be split over several processes: host all its brokers in one."
            )
        self._events: dict[tuple[str, int], MergedState] = {}
        self._merged: dict[str, MergedTopic] = {}
        self._time = BEGINNING

    def feed(
        self, batches: Sequence[Publications], until: int = END_OF_TIME, received: Sequence[LinkItem] = ()
    ) -> Deliveries:
        """Process publications, and items from other processes, up to event time `until` (exclusive).

        Publications before the previous `until` are late events: windows do not count them.
        """
        deliveries = Deliveries()
        plain = [batch for batch in batches if self._topics[batch.topic].merge is None]
        local = [arrival for batch in plain for arrival in self._at_once.arrive(batch)]
        remote = self._at_once.receive([i for i in received if i.states is None and not i.subscription])
        for arrival in local + remote:
            self._deliver(arrival, deliveries)
        held = [arrival.held for arrival in local]
        for arrival in remote:  # the publisher's process reports late ones
            on_time = {key: np.flatnonzero(matched.time >= self._time) for key, matched in arrival.held.items()}
            held.append({key: matched.take(on_time[key]) for key, matched in arrival.held.items()})
        self._states, outcome = self._window_walk.advance_all(
            self._states, held, until, late_before=self._time, received=self._decided(received)
        )
        deliveries.notifications += [n for columns in outcome.notifications for n in columns]
        deliveries.bill.update(outcome.bill)
        deliveries.sent += outcome.sent
        deliveries.late += outcome.late
        self._feed_merged(batches, until, deliveries)
        self._time = until
        return deliveries

    @property
    def _topics(self) -> Mapping[str, Topic]:
        return self.interests.plan.topics

    def _feed_merged(self, batches: Sequence[Publications], until: int, deliveries: Deliveries) -> None:
        """Process the reports of merged topics."""
        reports: dict[tuple[str, int], list[Publications]] = {partition: [] for partition in self._events}
        for batch in batches:
            if self._topics[batch.topic].merge is not None:
                partitions = self.interests.partitions(batch.topic)
                for partition, share in by_partition(batch, self._topics[batch.topic], partitions):
                    reports.setdefault((batch.topic, partition), []).append(share)
        for (topic, partition), arrivals in sorted(reports.items()):
            if topic not in self._merged:
                self._merged[topic] = MergedTopic(self.interests, topic, self._at_once, self._window_walk)
            before = self._events.get((topic, partition))
            state, outcome = self._merged[topic].advance(before, arrivals, until, self._time)
            self._events[topic, partition] = state
            if state.empty:
                del self._events[topic, partition]
            deliveries.merged += outcome.merged
            deliveries.notifications += [n for columns in outcome.notifications for n in columns]
            deliveries.bill.update(outcome.bill)
            deliveries.late_reports += outcome.late

    def _deliver(self, arrival: Arrival, deliveries: Deliveries) -> None:
        """Add the plain deliveries of an arrival."""
        rows = pa.array(arrival.plain.rows)
        ids = arrival.publications.id.take(rows).tolist()
        deliveries.plain += zip(arrival.plain.subscriptions.tolist(), ids, strict=True)
        deliveries.publishers += arrival.publications.publisher.take(rows).tolist()
        deliveries.bill.update(arrival.bill)
        deliveries.sent += arrival.sent

    def _decided(self, received: Sequence[LinkItem]) -> dict[str, list[LinkItem]]:
        """Return the items that a link decision in another process sent, by interest group."""
        names, key_of = self.interests.keys
        number = {subscription.id: n for n, subscription in enumerate(self.interests.plan.subscriptions)}
        decided: dict[str, list[LinkItem]] = {}
        for item in received:
            if item.subscription:
                decided.setdefault(names[key_of[number[item.subscription]]], []).append(item)
        return decided
