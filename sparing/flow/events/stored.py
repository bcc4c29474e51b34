"""Open events as stored in the state, and their adaptation to a changed plan.

Audiences are stored as subscription ids: removed subscriptions are dropped, and new ones get notifications of open
events, too. Links may change as well: facts cross a new link again, and if the coordinator is no longer in the topic's
tree, the center takes over and receives all facts again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sparing.flow.events.context import MergeContext
from sparing.flow.events.downward import hot, next_tick, pending
from sparing.flow.events.event import Event, NotifiedAudience
from sparing.flow.events.placement import Placer, placer_of
from sparing.flow.events.reports import Report
from sparing.flow.events.upward import merge
from sparing.flow.events.walk import EventState


class Stored(NamedTuple):
    """A state that does not refer to the plan: audiences are tuples of subscription ids."""

    audiences: list[tuple[str, ...]]
    events: list[tuple[Event, list[tuple[int, int, bool]]]]  # with notified audiences: number, version, urgent
    waiting: list[Report]
    placers: list[Placer]
    time: int


def stored(state: EventState, context: MergeContext) -> Stored:
    """Return a state that does not refer to the plan."""
    ids: list[tuple[str, ...]] = []
    place: dict[int, int] = {}
    rows = []
    for event in state.events:
        notified = []
        for one in (one for some in event.notified.values() for one in some):
            at = place.get(id(one.audience))
            if at is None:
                at = place[id(one.audience)] = len(ids)
                ids.append(tuple(context.plan.subscriptions[number].id for number in one.audience.members))
            notified.append((at, one.version, one.urgent))
        rows.append((replace(event, notified={}), notified))
    return Stored(ids, rows, state.waiting, state.placers, state.time)


def restored(found: Stored, context: MergeContext, same_plan: bool) -> EventState:
    """Return a stored state under the current plan."""
    ids, rows, waiting, placers, time = found
    audiences = [context.audiences.made_of(some) for some in ids]
    events = []
    for event, notified in rows:
        tree = context.tree_at(event.home)
        if tree is None:
            continue  # the broker has no publishers or subscribers of the topic now
        for at, version, urgent in notified:
            for audience in audiences[at]:
                event.notified.setdefault(audience.number, []).append(NotifiedAudience(audience, version, urgent))
        if not same_plan:
            _adapt(event, context, tree, time)
            if event.closing and event.tick is None:
                continue  # no current audience waits for it
        events.append(event)
    if len(placers) != len(context.trees) or isinstance(context.policy.places, int):
        placers = [placer_of(context.policy.places, tree) for tree in context.trees]
    for at, merging in enumerate(context.trees):
        if not placers[at].hops:  # the tree may have been too small for passive aggregators before
            placers[at] = placer_of(context.policy.places, merging)
        placers[at].hops = min(placers[at].hops, merging.depth)
    waiting = [report for report in waiting if context.tree_at(report.at) is not None]
    return EventState(events, waiting, placers, time)


def _adapt(event: Event, context: MergeContext, tree: int, time: int) -> None:
    """Adapt an event, stored at a time under another plan."""
    event.admitted = event.touched = 0
    for at in event.order:
        admitted, touched = context.audiences.fulfils(event.facts[at].field, event.facts[at].code)
        event.admitted |= admitted
        event.touched |= touched
    event.tree, event.changed = tree, time
    event.event_audience, event.gathers = (
        context.event_audience(event.key, event.began, tree),
        context.gathers(event.key, tree),
    )
    event.at_once = event.event_audience.at_once or any(
        notified.urgent for some in event.notified.values() for notified in some
    )
    event.hot = hot(context, event)
    if not context.policy.merges:
        merge(context, event, event.everything)
    elif event.coordinator not in context.trees[tree].neighbours and (event.wanted or event.gathers):
        event.coordinator = context.trees[tree].center
        event.lost.add(event.coordinator)
    if event.wanted and pending(context, event):
        event.tick = time if event.at_once else next_tick(event, time)
    else:
        event.tick = None
