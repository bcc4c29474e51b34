"""From the coordinator to subscribers: whoever is due is told all that it has not been told yet.

A link is crossed only if somebody beyond it is due, is interested, and something is known that has not crossed it. What
is held back leaves when the next one is due, whether or not anything new arrives.

Paper: caeva, section III-C.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sparing.flow.events.audience import Audience
from sparing.flow.events.bits import joined
from sparing.flow.events.context import MergeContext
from sparing.flow.events.event import Event, NotifiedAudience
from sparing.flow.events.messages import MERGED


@dataclass(frozen=True, slots=True)
class Notice:
    """What a audience is told about an event: facts that are new to it, and all so far (`version`: how many)."""

    audience: Audience
    event: Event
    time: int
    new: int
    facts: int
    version: int


Due = Callable[[NotifiedAudience], bool]


def without_waiting(told: NotifiedAudience) -> bool:
    """Who is told at once."""
    return told.roused or not told.audience.every


def at_tick(event: Event, time: int) -> Due:
    """Who is due when a cycle may end."""
    past = time - event.began

    def due(told: NotifiedAudience) -> bool:
        return without_waiting(told) or past % told.audience.every == 0

    return due


def next_tick(event: Event, time: int) -> int | None:
    """When the next cycle ends after a time."""
    past = time - event.began
    return min((event.began + (past // cycle + 1) * cycle for cycle in event.cycles), default=None)


def holds(context: MergeContext, event: Event, need: int) -> bool:
    """Whether conditions hold for what the coordinator knows: each for any value of its field."""
    return not need & ~(event.admitted | (context.audiences.missing & ~event.touched))


def fresh(context: MergeContext, event: Event) -> Iterator[Audience]:
    """Circles, or parts of them, that the event may concern and that have not been told anything."""
    for audience in context.audiences.plain.candidates(event.admitted):
        if context.concerns(audience, event) and (part := _untold(event, audience)) is not None:
            yield part


def _untold(event: Event, audience: Audience) -> Audience | None:
    """The part of a audience that has not been told anything: all of it, or those who came later than the others."""
    told = event.told.get(audience.number)
    if told is None:
        return audience
    known = {member for one in told for member in one.audience.members}
    rest = tuple(member for member in audience.members if member not in known)
    return replace(audience, members=rest) if rest else None


def rouse(context: MergeContext, event: Event) -> bool:
    """Whether the event has become urgent to somebody."""
    found = False
    for audience in context.audiences.hurried.candidates(event.admitted):
        if not context.concerns(audience, event) or not holds(context, event, audience.urgent or 0):
            continue
        if (part := _untold(event, audience)) is not None:
            event.told.setdefault(audience.number, []).append(NotifiedAudience(part))
        for told in event.told[audience.number]:
            found = found or not told.roused
            told.roused = True
    if found:
        event.at_once = True
        event.hot = hot(context, event)
    return found


def hot(context: MergeContext, event: Event) -> int | None:
    """The conditions that make the event urgent to somebody to whom it is not yet; None if there is nobody."""
    return joined(
        audience.urgent
        for audience in context.audiences.urgent
        if context.concerns(audience, event) and not any(told.roused for told in event.told.get(audience.number, ()))
    )


def disseminate(context: MergeContext, event: Event, time: int, due: Due) -> list[Notice]:
    """Tell those who are due, and have the facts cross the links to them."""
    version, facts = event.version, event.so_far
    behind = [told for some in event.told.values() for told in some if told.version < version and due(told)]
    for audience in fresh(context, event):
        told = NotifiedAudience(audience)
        if due(told) and holds(context, event, audience.need):
            event.told.setdefault(audience.number, []).append(told)
            behind.append(told)
    notices = []
    known = {before: event.first(before) for before in {told.version for told in behind}}
    for told in behind:
        audience = told.audience
        new = facts & ~known[told.version]
        told.version = version
        if audience.fields is not None:
            new &= event.of_fields(audience.fields)
        if new:
            notices.append(Notice(audience, event, time, new, facts, version))
    if context.policy.merges:
        _cross(context, event, time, sorted({notice.audience.broker for notice in notices}))
    for notice in notices:
        context.messages.notify(notice.audience, time)
        context.see(event, time, "is told", notice.audience.broker, -1, notice.new, notice.audience.members)
    return notices


def _cross(context: MergeContext, event: Event, time: int, goals: list[int]) -> None:
    """Facts cross the links to some brokers, where they have not yet."""
    tree, version = context.trees[event.tree], event.version
    assert event.coordinator is not None
    for goal in goals:
        way = tree.path(event.coordinator, goal)
        for one, other in itertools.pairwise(way):
            pair = (one, other) if one < other else (other, one)
            before = event.known.get(pair, 0)
            if before < version:
                event.known[pair] = version
                context.messages.send(tree, one, other, MERGED, time)
                if context.watcher is not None:
                    context.see(event, time, "crosses", one, other, event.so_far & ~event.first(before))


def pending(context: MergeContext, event: Event) -> bool:
    """Whether anything is left to do even if no report comes any more."""
    if event.unsent or context.new(event, event.so_far, event.everything):
        return True
    version = event.version
    if any(told.version < version for some in event.told.values() for told in some):
        return True
    return any(holds(context, event, audience.need) for audience in fresh(context, event))
