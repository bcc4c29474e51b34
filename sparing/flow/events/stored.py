"""Events under way as they are stored, and how they outlive a change of the plan.

Circles go by the ids of their subscriptions: those that are gone are let go, those that came later are told of events
under way, too. Links may change as well: facts cross a new link afresh, and if the coordinator is no longer in the
topic's tree, the center takes over and what was reported is sent to it again.
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
    """A state without anything of the plan in it: audiences are the ids of their members, each once."""

    audiences: list[tuple[str, ...]]
    events: list[tuple[Event, list[tuple[int, int, bool]]]]  # each with those told: audience, version, roused
    waiting: list[Report]
    placers: list[Placer]
    time: int


def stored(state: EventState, context: MergeContext) -> Stored:
    """A state without anything of the plan in it."""
    ids: list[tuple[str, ...]] = []
    place: dict[int, int] = {}
    rows = []
    for event in state.events:
        told = []
        for one in (one for some in event.told.values() for one in some):
            at = place.get(id(one.audience))
            if at is None:
                at = place[id(one.audience)] = len(ids)
                ids.append(tuple(context.plan.subscriptions[number].id for number in one.audience.members))
            told.append((at, one.version, one.roused))
        rows.append((replace(event, told={}), told))
    return Stored(ids, rows, state.waiting, state.placers, state.time)


def restored(found: Stored, context: MergeContext, same_plan: bool) -> EventState:
    """The inverse of `stored`, in terms of the plan that is in force now."""
    ids, rows, waiting, placers, time = found
    audiences = [context.audiences.made_of(some) for some in ids]
    events = []
    for event, told in rows:
        tree = context.tree_at(event.home)
        if tree is None:
            continue  # nobody publishes or subscribes there any more
        for at, version, roused in told:
            for audience in audiences[at]:
                event.told.setdefault(audience.number, []).append(NotifiedAudience(audience, version, roused))
        if not same_plan:
            _adapt(event, context, tree, time)
            if event.closing and event.tick is None:
                continue  # it waited only for somebody who is not there any more
        events.append(event)
    if len(placers) != len(context.trees) or isinstance(context.policy.places, int):
        placers = [placer_of(context.policy.places, tree) for tree in context.trees]
    for at, merging in enumerate(context.trees):
        if not placers[at].hops:  # the tree may have had no room for passive aggregators, and have some now
            placers[at] = placer_of(context.policy.places, merging)
        placers[at].hops = min(placers[at].hops, merging.depth)
    waiting = [report for report in waiting if context.tree_at(report.at) is not None]
    return EventState(events, waiting, placers, time)


def _adapt(event: Event, context: MergeContext, tree: int, time: int) -> None:
    """An event that was stored under another plan, at a time."""
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
    event.at_once = event.event_audience.at_once or any(told.roused for some in event.told.values() for told in some)
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
