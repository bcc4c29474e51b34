"""From the coordinator to subscribers: each audience that is due gets all facts that are new to it.

Facts cross a link only if an audience beyond it is due and matches, and some known facts have not crossed the link yet.
Held facts are sent when the next audience is due, also without new reports.

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
    """A notification of an audience about an event: new facts, and all facts (`version` is their number)."""

    audience: Audience
    event: Event
    time: int
    new: int
    facts: int
    version: int


Due = Callable[[NotifiedAudience], bool]


def without_waiting(notified: NotifiedAudience) -> bool:
    """Return whether an audience is notified immediately."""
    return notified.urgent or not notified.audience.every


def at_tick(event: Event, time: int) -> Due:
    """Return the test for audiences that are due at a time."""
    past = time - event.began

    def due(notified: NotifiedAudience) -> bool:
        return without_waiting(notified) or past % notified.audience.every == 0

    return due


def next_tick(event: Event, time: int) -> int | None:
    """Return the end of the next cycle after a time."""
    past = time - event.began
    return min((event.began + (past // cycle + 1) * cycle for cycle in event.cycles), default=None)


def holds(context: MergeContext, event: Event, need: int) -> bool:
    """Return whether conditions hold for the coordinator's facts, each for any value of its field."""
    return not need & ~(event.admitted | (context.audiences.missing & ~event.touched))


def fresh(context: MergeContext, event: Event) -> Iterator[Audience]:
    """Return audiences, or parts of them, that the event can match and that have not been notified."""
    for audience in context.audiences.plain.candidates(event.admitted):
        if context.concerns(audience, event) and (part := _not_notified(event, audience)) is not None:
            yield part


def _not_notified(event: Event, audience: Audience) -> Audience | None:
    """Return the part of an audience that has not been notified: all of it, or members that subscribed later."""
    notified = event.notified.get(audience.number)
    if notified is None:
        return audience
    known = {member for one in notified for member in one.audience.members}
    rest = tuple(member for member in audience.members if member not in known)
    return replace(audience, members=rest) if rest else None


def mark_urgent(context: MergeContext, event: Event) -> bool:
    """Mark the audiences for which the event is urgent; return whether there are new ones."""
    found = False
    for audience in context.audiences.hurried.candidates(event.admitted):
        if not context.concerns(audience, event) or not holds(context, event, audience.urgent or 0):
            continue
        if (part := _not_notified(event, audience)) is not None:
            event.notified.setdefault(audience.number, []).append(NotifiedAudience(part))
        for notified in event.notified[audience.number]:
            found = found or not notified.urgent
            notified.urgent = True
    if found:
        event.at_once = True
        event.hot = hot(context, event)
    return found


def hot(context: MergeContext, event: Event) -> int | None:
    """Return the conditions that can make the event urgent for more audiences; None without any."""
    return joined(
        audience.urgent
        for audience in context.audiences.urgent
        if context.concerns(audience, event)
        and not any(notified.urgent for notified in event.notified.get(audience.number, ()))
    )


def disseminate(context: MergeContext, event: Event, time: int, due: Due) -> list[Notice]:
    """Notify the audiences that are due, and send the facts over the links to them."""
    version, facts = event.version, event.so_far
    behind = [
        notified
        for some in event.notified.values()
        for notified in some
        if notified.version < version and due(notified)
    ]
    for audience in fresh(context, event):
        notified = NotifiedAudience(audience)
        if due(notified) and holds(context, event, audience.need):
            event.notified.setdefault(audience.number, []).append(notified)
            behind.append(notified)
    notices = []
    known = {before: event.first(before) for before in {notified.version for notified in behind}}
    for notified in behind:
        audience = notified.audience
        new = facts & ~known[notified.version]
        notified.version = version
        if audience.fields is not None:
            new &= event.of_fields(audience.fields)
        if new:
            notices.append(Notice(audience, event, time, new, facts, version))
    if context.policy.merges:
        _cross(context, event, time, sorted({notice.audience.broker for notice in notices}))
    for notice in notices:
        context.messages.notify(notice.audience, time)
        context.see(event, time, "is told", notice.audience.broker, -1, notice.new, who=notice.audience.members)
    return notices


def _cross(context: MergeContext, event: Event, time: int, goals: list[int]) -> None:
    """Send facts over the links to some brokers that they have not crossed yet."""
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
    """Return whether notifications are pending, even without further reports."""
    if event.unsent or context.new(event, event.so_far, event.everything):
        return True
    version = event.version
    if any(notified.version < version for some in event.notified.values() for notified in some):
        return True
    return any(holds(context, event, audience.need) for audience in fresh(context, event))
