"""A merged topic: reports in, notifications out, and closed events for aggregate subscriptions.

Aggregate subscriptions get each event once, when its window closes: as a publication of the latest values, at that time
and at the coordinator's broker. It then travels like any other publication.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.deliver.notifications import Notifications
from sparing.flow.events.context import EventWatcher, MergeContext
from sparing.flow.events.event import Event
from sparing.flow.events.merged_notifications import MergedNotifications, codes_of, merged_notifications
from sparing.flow.events.reports import reports_of
from sparing.flow.events.walk import EventState, EventWalk
from sparing.flow.interests import Interests
from sparing.flow.windows.window_state import WindowState
from sparing.flow.windows.window_walk import WindowWalk
from sparing.match.columns import Column, from_codes
from sparing.model.bill import Bill, total


@dataclass
class MergedState:
    """The state of one partition of a merged topic; `groups` are the interest groups of aggregate subscriptions."""

    events: EventState = field(default_factory=EventState)
    groups: dict[str, WindowState] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is no state to keep."""
        return self.events.empty and not self.groups

    def wakes(self) -> int | None:
        """Return the next event time at which the partition must advance, even without arrivals."""
        times = [self.events.wakes(), *(group.wakes() for group in self.groups.values())]
        return min((time for time in times if time is not None), default=None)


@dataclass(frozen=True)
class MergedOutcome:
    """The output of one advance: `merged` notifications about events, `notifications` of aggregates, the bill.

    `siena` are the messages over each link without merging, `least` the lower bound given the merging of events. `late`
    are late reports.
    """

    merged: MergedNotifications
    notifications: list[Notifications]
    bill: Bill
    siena: dict[tuple[str, str], int]
    least: dict[tuple[str, str], int]
    late: list[Publications]


class MergedTopic:
    """A merged topic under one plan."""

    def __init__(self, interests: Interests, topic: str, at_once: AtOnce, window_walk: WindowWalk) -> None:
        self.context = MergeContext(interests.plan, topic)
        self._walk = EventWalk(self.context)
        self._interests, self._at_once, self._window_walk = interests, at_once, window_walk

    def advance(
        self,
        state: MergedState | None,
        arrivals: Sequence[Publications],
        until: int,
        late_before: int,
        watcher: EventWatcher | None = None,
        bound: bool = False,
    ) -> tuple[MergedState, MergedOutcome]:
        """Add reports, and process everything before `until`; reports before `late_before` are late.

        `bound` requires a whole trace.
        """
        state = state or MergedState()
        self.context.watcher = watcher
        late = [late for part in arrivals if len(late := part.take(np.flatnonzero(part.time < late_before)))]
        timely = [part.take(np.flatnonzero(part.time >= late_before)) for part in arrivals]
        reports = [report for part in timely for report in reports_of(part, self.context.topic)]
        events, outcome = self._walk.advance(state.events, reports, until)
        groups, notifications, bill, least = self._compute(state.groups, outcome.closed, until, bound)
        bill.update(outcome.bill)
        if bound:
            least.update(outcome.bill.by_overlay_link())
        return MergedState(events, groups), MergedOutcome(
            merged=merged_notifications(self.context, outcome.notices),
            notifications=notifications,
            bill=bill,
            siena=outcome.siena,
            least=dict(least),
            late=late,
        )

    def _compute(
        self, groups: dict[str, WindowState], closed: Sequence[Event], until: int, bound: bool
    ) -> tuple[dict[str, WindowState], list[Notifications], Bill, Counter[tuple[str, str]]]:
        """Send closed events to aggregate subscriptions, and advance their windows to `until`."""
        arrivals = [
            arrival
            for publications in self._published(closed)
            for arrival in self._at_once.arrive_whole(publications, only_here=not self.context.policy.merges)
        ]
        bill = total(arrival.bill for arrival in arrivals)
        groups, outcome = self._window_walk.advance_all(groups, [a.held for a in arrivals], until, bound=bound)
        least = Counter(bill.by_overlay_link())
        for link, messages in outcome.least.items():
            least[self._interests.plan.routes.ends(link)] += messages
        bill.update(outcome.bill)
        return groups, outcome.notifications, bill, least

    def _published(self, closed: Sequence[Event]) -> Iterable[Publications]:
        """Return closed events as publications: at their coordinators, or without merging at subscribers' brokers."""
        if not closed:
            return []
        if self.context.policy.merges:
            return [self._whole([(event, event.coordinator or 0) for event in closed])]
        at = sorted({broker for event in closed for broker in event.gathers})
        return [self._whole([(event, broker) for event in closed if broker in event.gathers]) for broker in at]

    def _whole(self, events: Sequence[tuple[Event, int]]) -> Publications:
        topic = self.context.topic
        codes = [codes_of(event) for event, _ in events]
        columns = {
            name: from_codes([code.get(number) for code in codes], type_)
            for number, (name, type_) in enumerate(topic.fields.items())
        }
        closes = np.array([event.closes for event, _ in events], dtype=np.int64)
        columns[topic.time] = Column(topic.fields[topic.time], closes, np.ones(len(events), dtype=bool))
        return Publications(
            topic=topic.name,
            time=closes,
            id=np.array([f"{event.key!r}@{event.began}" for event, _ in events], dtype=object),
            publisher=np.array([""] * len(events), dtype=object),
            at=np.array([at for _, at in events], dtype=np.int32),
            columns=columns,
        )
