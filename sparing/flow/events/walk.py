"""The walk of a merged topic's events in event time.

At equal times, aggregators fail first, then cycles end, then reports arrive. A report belongs to the open event of its
key if that began within the topic's time span; otherwise it begins another. An event is over when it accepts no more
reports and all audiences have been notified.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial

from sparing.flow.events.audience import Key
from sparing.flow.events.context import MergeContext
from sparing.flow.events.downward import (
    Notice,
    at_tick,
    disseminate,
    mark_urgent,
    next_tick,
    pending,
    without_waiting,
)
from sparing.flow.events.election import elect
from sparing.flow.events.event import Event
from sparing.flow.events.messages import COORDINATION, Messages
from sparing.flow.events.placement import Placer, learn, placer_of, reporters
from sparing.flow.events.reports import Report
from sparing.flow.events.upward import climb, collect, fail, flush, merge, resend_lost
from sparing.model.bill import Bill
from sparing.model.policy import PlacementRule
from sparing.model.types import BEGINNING


@dataclass
class EventState:
    """The state between two batches: open events, reports that are not due yet, and placements."""

    events: list[Event] = field(default_factory=list)
    waiting: list[Report] = field(default_factory=list)
    placers: list[Placer] = field(default_factory=list)
    time: int = BEGINNING  # everything before it has been processed

    @property
    def empty(self) -> bool:
        """Whether there is no state to keep."""
        return not self.events and not self.waiting and not any(placer.learned for placer in self.placers)

    def wakes(self) -> int | None:
        """Return the next event time at which the walk must advance, even without arrivals."""
        times = [moment for event in self.events if (moment := moment_of(event)) is not None]
        if self.waiting:
            times.append(min(report.time for report in self.waiting) + 1)
        return min(times, default=None)


@dataclass(frozen=True)
class EventOutcome:
    """The output of one advance.

    `closed` are events that accept no more reports, for aggregate subscriptions. `siena` are the messages over each
    link without merging.
    """

    notices: list[Notice]
    closed: list[Event]
    bill: Bill
    siena: dict[tuple[str, str], int]


def moment_of(event: Event) -> int | None:
    """Return the next time at which an event must be processed."""
    times = [time for time in (event.tick, None if event.closing else event.closes + 1) if time is not None]
    return min(times, default=None)


class EventWalk:
    """One partition of a merged topic."""

    def __init__(self, context: MergeContext) -> None:
        self.context = context

    def advance(
        self, state: EventState | None, arrivals: Iterable[Report], until: int
    ) -> tuple[EventState, EventOutcome]:
        """Add reports, none of them late, and process everything before `until`."""
        step = _Step(self.context, state or EventState())
        step.take(arrivals)
        step.run(until)
        messages = self.context.messages
        return step.state(), EventOutcome(step.notices, step.closed, messages.bill(), messages.siena())


class _Step:
    """The processing of one advance."""

    def __init__(self, context: MergeContext, state: EventState) -> None:
        context.messages = Messages(context.plan)
        self.context = context
        self.placers = state.placers or [placer_of(context.policy.places, tree) for tree in context.trees]
        context.spoke = [placer.spoke for placer in self.placers]
        self.waiting = list(state.waiting)
        self.time = state.time
        self.notices: list[Notice] = []
        self.closed: list[Event] = []
        self._events: dict[int, Event] = {id(event): event for event in state.events}
        self._open: dict[tuple[int, Key], Event] = {}
        self._moments: list[tuple[int, int, Key, int]] = []
        self._moment: tuple[int | None, dict[tuple[int, Key], set[int]]] = (None, {})
        for event in state.events:
            if not event.closing:
                self._open[event.tree, event.key] = event
            self._plan(event)

    def take(self, arrivals: Iterable[Report]) -> None:
        """Add reports."""
        self.waiting.extend(arrivals)
        self.waiting.sort(key=lambda report: report[:3])

    def run(self, until: int) -> None:
        """Process everything before `until`, and the cycles that end at `until`."""
        done, waiting = 0, self.waiting
        while True:
            report = waiting[done] if done < len(waiting) and waiting[done].time < until else None
            if self._moments and self._moments[0][0] <= (until if report is None else report.time):
                time, _, _, which = heapq.heappop(self._moments)
                event = self._events.get(which)
                if event is not None and moment_of(event) == time:
                    self._turn(event, time)
            elif report is not None:
                self._report(report, done)
                done += 1
            else:
                break
        self.waiting = waiting[done:]
        self.time = until

    def state(self) -> EventState:
        """Return the state for the next advance."""
        return EventState(list(self._events.values()), self.waiting, self.placers, self.time)

    def _plan(self, event: Event) -> None:
        if (moment := moment_of(event)) is not None:
            heapq.heappush(self._moments, (moment, event.began, event.key, id(event)))

    def _report(self, report: Report, place: int) -> None:
        context, tree = self.context, self.context.tree_at(report.at)
        assert tree is not None, "a report's broker has a publisher"
        event = self._open.get((tree, report.key))
        begins = event is None or event.closes < report.time
        if event is None or begins:
            event = self._begin(report, tree)
        self._outages(event, report.time)
        values = (*report.values, (context.audiences.number[context.topic.time], event.began))
        facts = event.add(values, report.time, report.publisher)
        event.last = report.time
        context.see(event, report.time, "is reported", report.at, -1, facts)
        if context.policy.merges:
            event.kept[report.at] = event.kept.get(report.at, 0) | facts
            if not isinstance(context.policy.places, int):
                event.log.append((report.time, report.at, facts))
        if event.wanted or event.gathers:
            if begins and context.policy.merges:
                self._first_claims(event, report, place)
            self._spread(event, report, facts)
        before = moment_of(event)
        self._schedule(event, report.time)
        if moment_of(event) != before:
            self._plan(event)

    def _spread(self, event: Event, report: Report, facts: int) -> None:
        """Send a report upward, and notify the audiences without a cycle."""
        context, time, tree = self.context, report.time, self.context.trees[event.tree]
        context.messages.everywhere(tree, report.at, event.event_audience.goals | event.gathers, time)
        if not context.policy.merges:
            merge(context, event, facts)
            if event.hot is not None:
                mark_urgent(context, event)
            if event.at_once:
                self.notices += disseminate(context, event, time, without_waiting)
            return
        version = event.version
        climb(context, event, time, report.at, facts)
        if event.coordinator is None or event.coordinator in context.down(time):
            return
        if event.at_once or event.hot is not None:
            if event.lost:
                resend_lost(context, event, time)
            if event.at_once:
                flush(context, event, time, what="is sent on")
            if event.version > version and mark_urgent(context, event):
                self._hurry(event, time)
            self.notices += disseminate(context, event, time, without_waiting)

    def _hurry(self, event: Event, time: int) -> None:
        """Request the held facts of all aggregators, and their immediate forwarding from now on."""
        context, goal = self.context, event.coordinator
        assert goal is not None
        for broker in sorted(event.seen.keys() - {goal}):
            context.messages.send(context.trees[event.tree], goal, broker, COORDINATION, time)
        context.see(event, time, "is urgent at", goal)
        flush(context, event, time)

    def _begin(self, report: Report, tree: int) -> Event:
        """Open another event."""
        context = self.context
        event_audience, gathers = (
            context.event_audience(report.key, report.time, tree),
            context.gathers(report.key, tree),
        )
        closes, hops = report.time + context.merge.within, self.placers[tree].hops
        event = Event(report.key, report.time, closes, report.at, tree, hops, event_audience, gathers, report.time)
        event.at_once, event.hot = event_audience.at_once, event_audience.hot
        event.failed = report.time
        self._events[id(event)] = self._open[tree, report.key] = event
        self._plan(event)
        return event

    def _first_claims(self, event: Event, report: Report, place: int) -> None:
        """Elect a coordinator; brokers with first reports of the same time all claim."""
        context, tree = self.context, self.context.trees[event.tree]
        roles = context.roles(event, report.time)
        if not roles.active:
            return
        claimants = {tree.path_up(at, roles)[-1] for at in self._same_moment(place)[event.tree, event.key]}
        event.coordinator = elect(context, event, report.time, claimants)

    def _same_moment(self, place: int) -> dict[tuple[int, Key], set[int]]:
        """Return the brokers of all reports with the time of a given one, by tree and key."""
        time = self.waiting[place].time
        if self._moment[0] != time:
            found: dict[tuple[int, Key], set[int]] = {}
            later = itertools.islice(self.waiting, place, None)
            for report in itertools.takewhile(lambda other: other.time == time, later):
                found.setdefault((self.context.tree_at(report.at) or 0, report.key), set()).add(report.at)
            self._moment = time, found
        return self._moment[1]

    def _outages(self, event: Event, time: int) -> None:
        """Process the failures of aggregators up to a time."""
        for start, broker, _ in self.context.outages:
            if event.failed < start <= time:
                fail(event, broker)
                self.context.see(event, start, "fails", broker)
        event.failed = max(event.failed, time)

    def _turn(self, event: Event, time: int) -> None:
        """Process the end of a cycle, or the closing of the event."""
        self._outages(event, time)
        if event.tick == time:
            self._tick(event, time)
        if not event.closing and event.closes < time:
            self._close(event, time)
        if event.closing and (not event.wanted or not pending(self.context, event)):
            self._conclude(event, time)
        elif event.closing and not event.cycles:  # no audience waits for a cycle
            if not self.context.policy.merges or collect(self.context, event, time):
                self.notices += disseminate(self.context, event, time, without_waiting)
            self._conclude(event, time)
        else:
            self._schedule(event, time)
            self._plan(event)

    def _tick(self, event: Event, time: int) -> None:
        context = self.context
        if context.policy.merges:
            missed = event.coordinator is None or event.coordinator in context.down(time)
            if not collect(context, event, time) or missed:
                return
        if mark_urgent(context, event) and context.policy.merges:
            self._hurry(event, time)
        self.notices += disseminate(context, event, time, at_tick(event, time))

    def _close(self, event: Event, time: int) -> None:
        context = self.context
        event.closing = True
        if self._open.get((event.tree, event.key)) is event:
            del self._open[event.tree, event.key]
        if event.gathers:
            if context.policy.merges:
                collect(context, event, time)
                if event.at_once:
                    self.notices += disseminate(context, event, time, without_waiting)
            self.closed.append(replace(event))

    def _schedule(self, event: Event, time: int) -> None:
        """Set the next time at which an audience is due."""
        if event.tick is None or event.tick <= time:
            due = event.wanted and pending(self.context, event)
            event.tick = next_tick(event, time) if due else None
            assert event.tick is None or event.tick <= self._latest(event), "an event must come to an end"

    def _latest(self, event: Event) -> int:
        """Return a bound on the last notification: three cycles after the last report, outage or change of plan."""
        changes = [event.changed, *(time for start, _, end in self.context.outages for time in (start, end))]
        return max([event.closes, *(time for time in changes if time is not None)]) + 3 * max(event.cycles)

    def _conclude(self, event: Event, time: int) -> None:
        """Drop an event that is over, and move passive aggregators."""
        context, tree, placer = self.context, self.context.trees[event.tree], self.placers[event.tree]
        del self._events[id(event)]
        context.see(event, time, "is over", -1)
        if not event.log or event.coordinator is None or isinstance(context.policy.places, int):
            return
        if not event.kept.keys() <= tree.neighbours.keys():
            return  # the tree has changed since, so the event's log does not apply
        before = tree.roles(placer.hops)
        if context.policy.places is PlacementRule.LITERAL:
            for reporter in reporters(tree, event, placer.hops):
                context.messages.send(tree, reporter, event.coordinator, COORDINATION, time)
        moved = learn(
            tree, event, placer, context.policy.places, context.policy.least_saving, partial(context.new, event)
        )
        if moved:
            far = max(placer.hops, placer.hops - moved)
            for broker, distance in before.distance.items():
                if 0 < distance <= far:
                    way = tree.path_up(broker, before)
                    context.messages.send(tree, way[1], broker, COORDINATION, time)
