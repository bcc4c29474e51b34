"""From the coordinator to subscribers: whoever is due is told all that it has not been told yet.

A link is crossed only if somebody beyond it is due, is interested, and something is known that has not crossed it. What
is held back leaves when the next one is due, whether or not anything new arrives.

Paper: caeva, section III-C.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from sparing.flow.events.bits import joined
from sparing.flow.events.crowd import Circle
from sparing.flow.events.event import Event, Told
from sparing.flow.events.messages import MERGED
from sparing.flow.events.scene import Scene


@dataclass(frozen=True, slots=True)
class Notice:
    """What a circle is told about an event: facts that are new to it, and all so far (`version`: how many)."""

    circle: Circle
    event: Event
    time: int
    new: int
    facts: int
    version: int


Due = Callable[[Told], bool]


def without_waiting(told: Told) -> bool:
    """Who is told at once."""
    return told.roused or not told.circle.every


def at_tick(event: Event, time: int) -> Due:
    """Who is due when a cycle may end."""
    past = time - event.began

    def due(told: Told) -> bool:
        return without_waiting(told) or past % told.circle.every == 0

    return due


def next_tick(event: Event, time: int) -> int | None:
    """When the next cycle ends after a time."""
    past = time - event.began
    return min((event.began + (past // cycle + 1) * cycle for cycle in event.cycles), default=None)


def holds(scene: Scene, event: Event, need: int) -> bool:
    """Whether conditions hold for what the coordinator knows: each for any value of its field."""
    return not need & ~(event.admitted | (scene.circles.missing & ~event.touched))


def fresh(scene: Scene, event: Event) -> Iterator[Circle]:
    """Circles, or parts of them, that the event may concern and that have not been told anything."""
    for circle in scene.circles.plain.candidates(event.admitted):
        if scene.concerns(circle, event) and (part := _untold(event, circle)) is not None:
            yield part


def _untold(event: Event, circle: Circle) -> Circle | None:
    """The part of a circle that has not been told anything: all of it, or those who came later than the others."""
    told = event.told.get(circle.number)
    if told is None:
        return circle
    known = {member for one in told for member in one.circle.members}
    rest = tuple(member for member in circle.members if member not in known)
    return replace(circle, members=rest) if rest else None


def rouse(scene: Scene, event: Event) -> bool:
    """Whether the event has become urgent to somebody."""
    found = False
    for circle in scene.circles.hurried.candidates(event.admitted):
        if not scene.concerns(circle, event) or not holds(scene, event, circle.urgent or 0):
            continue
        if (part := _untold(event, circle)) is not None:
            event.told.setdefault(circle.number, []).append(Told(part))
        for told in event.told[circle.number]:
            found = found or not told.roused
            told.roused = True
    if found:
        event.at_once = True
        event.hot = hot(scene, event)
    return found


def hot(scene: Scene, event: Event) -> int | None:
    """The conditions that make the event urgent to somebody to whom it is not yet; None if there is nobody."""
    return joined(
        circle.urgent
        for circle in scene.circles.urgent
        if scene.concerns(circle, event) and not any(told.roused for told in event.told.get(circle.number, ()))
    )


def disseminate(scene: Scene, event: Event, time: int, due: Due) -> list[Notice]:
    """Tell those who are due, and have the facts cross the links to them."""
    version, facts = event.version, event.so_far
    behind = [told for some in event.told.values() for told in some if told.version < version and due(told)]
    for circle in fresh(scene, event):
        told = Told(circle)
        if due(told) and holds(scene, event, circle.need):
            event.told.setdefault(circle.number, []).append(told)
            behind.append(told)
    notices = []
    known = {before: event.first(before) for before in {told.version for told in behind}}
    for told in behind:
        circle = told.circle
        new = facts & ~known[told.version]
        told.version = version
        if circle.fields is not None:
            new &= event.of_fields(circle.fields)
        if new:
            notices.append(Notice(circle, event, time, new, facts, version))
    if scene.policy.merges:
        _cross(scene, event, time, sorted({notice.circle.broker for notice in notices}))
    for notice in notices:
        scene.messages.notify(notice.circle, time)
        scene.see(event, time, "is told", notice.circle.broker, -1, notice.new, notice.circle.members)
    return notices


def _cross(scene: Scene, event: Event, time: int, goals: list[int]) -> None:
    """Facts cross the links to some brokers, where they have not yet."""
    tree, version = scene.trees[event.tree], event.version
    assert event.coordinator is not None
    for goal in goals:
        way = tree.path(event.coordinator, goal)
        for one, other in itertools.pairwise(way):
            pair = (one, other) if one < other else (other, one)
            before = event.known.get(pair, 0)
            if before < version:
                event.known[pair] = version
                scene.messages.send(tree, one, other, MERGED, time)
                if scene.watcher is not None:
                    scene.see(event, time, "crosses", one, other, event.so_far & ~event.first(before))


def pending(scene: Scene, event: Event) -> bool:
    """Whether anything is left to do even if no report comes any more."""
    if event.unsent or scene.new(event, event.so_far, event.everything):
        return True
    version = event.version
    if any(told.version < version for some in event.told.values() for told in some):
        return True
    return any(holds(scene, event, circle.need) for circle in fresh(scene, event))
