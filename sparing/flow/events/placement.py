"""Where passive aggregators are: when an event is over, they may move one hop, away from the active ones or closer.

Every passive aggregator knows what it would save if its children did its work (SF), every parent of passive aggregators
what it would save by doing theirs (SN); the coordinator adds them up (CSF, CSN), and the larger sum decides if it is at
least delta. Aggregators turn back only if that saves more than the move that brought them here did.

Three things differ from the paper, whose formulas (`literal`) drift to one hop, and whose memory of the last saving can
pin aggregators for ever: only brokers count that had a report of the event, with the messages that they really sent or
would have; the memory fades with every event; and `replay` works out what the event would have cost at every distance.

Paper: caeva, section III-B, Dynamic and Adaptive Aggregator Placement.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from sparing.control.merging.policy import Moves, Placement
from sparing.control.merging.tree import MergeTree
from sparing.flow.events.downward import next_tick
from sparing.flow.events.event import Event

New = Callable[[int, int], int]  # what is new in some facts (the latter) to who had others

FADES = float(os.environ.get("FADES", 0.9))  # what is left, after each event, of the memory of the last saving
FIRST = 1  # hops, to begin with


@dataclass(slots=True)
class Placer:
    """The placement in one tree, and the last move: its direction (0: none) and what it was to save."""

    hops: int
    direction: int = 0
    saving: float = 0.0
    moves: int = 0
    closer: float = 0.0
    away: float = 0.0
    costs: dict[int, float] = field(default_factory=dict)


def placer_of(placement: Placement, tree: MergeTree) -> Placer:
    """The placement that a tree begins with."""
    if isinstance(placement, int):
        return Placer(min(placement, tree.depth))
    far = [distance for distance in tree.roles(0).distance.values() if distance]
    return Placer(round(fmean(far)) if far else 0)


@dataclass(slots=True)
class Busy:
    """What an aggregator had to do with an event: reports from each child and its own, messages it sent up."""

    own: int = 0
    seen: int = 0
    sent: int = 0
    flushes: set[int] = field(default_factory=set)  # ticks
    below: dict[int, Busy] = field(default_factory=dict)

    def take(self, facts: int, new: int, tick: int) -> None:
        """A report comes in: the first is passed on, of others what is new is flushed at the next tick."""
        if not self.sent:
            self.sent = 1
        elif new and tick not in self.flushes:
            self.flushes.add(tick)
            self.sent += 1
        self.seen |= facts


def workload(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[dict[int, Busy], int]:
    """What each passive aggregator had to do at a distance, and how many links reports crossed raw."""
    roles = tree.roles(hops)
    busy: dict[int, Busy] = {}
    raw = 0
    for time, broker, facts in event.log:
        tick = time if event.at_once else (next_tick(event, time) or time)
        way = tree.way_up(broker, roles)
        at = next((place for place, b in enumerate(way) if b in roles.passive), None)
        if at is None:
            raw += len(way) - 1
            continue
        raw += at
        found = busy.setdefault(way[at], Busy())
        found.take(facts, new(found.seen, facts), tick)
        if at == 0:
            found.own += 1
        else:
            child = found.below.setdefault(way[at - 1], Busy())
            child.own += 1
            child.take(facts, new(child.seen, facts), tick)
    return busy, raw


def cost(tree: MergeTree, event: Event, hops: int, new: New) -> int:
    """How many messages go up to active aggregators if passive ones are at a distance."""
    distance = tree.roles(hops).distance
    busy, raw = workload(tree, event, hops, new)
    return raw + sum(found.sent * distance[broker] for broker, found in busy.items())


def savings(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[float, float]:
    """CSN and CSF: what moving one hop closer, and one hop away, would save."""
    roles = tree.roles(hops)
    busy, _ = workload(tree, event, hops, new)
    published = _published(event)
    closer = away = 0.0
    children: dict[int, list[int]] = {}
    for broker, found in busy.items():
        if roles.distance[broker] == hops:
            children.setdefault(tree.way_up(broker, roles)[1], []).append(broker)
            forwarded = sum(child.own for child in found.below.values())
            taken = sum(child.sent for child in found.below.values())
            if len(tree.neighbours[broker]) > 1:
                away += forwarded - (taken * (hops + 1) - found.sent * hops + found.own * hops)
    if hops > 1:
        for parent, some in children.items():
            sent = sum(busy[broker].sent for broker in some) * hops
            ticks = set[int]().union(*(busy[broker].flushes for broker in some))
            received = sum(busy[b].own + sum(child.own for child in busy[b].below.values()) for b in some)
            closer += sent - (1 + len(ticks)) * (hops - 1) + published.get(parent, 0) * (hops - 1) - received
        for broker, found in strays(tree, event, hops, new).items():
            far = roles.distance[broker]
            if broker not in children:
                closer += (found.own - found.sent) * far / (hops - far)
    return closer, away


def strays(tree: MergeTree, event: Event, hops: int, new: New) -> dict[int, Busy]:
    """What brokers would have to do that are too near to the active aggregators for a passive one on their way."""
    roles = tree.roles(hops)
    found: dict[int, Busy] = {}
    for time, broker, facts in event.log:
        way = tree.way_up(broker, roles)
        if len(way) > 1 and roles.passive.isdisjoint(way):
            tick = time if event.at_once else (next_tick(event, time) or time)
            stray = found.setdefault(broker, Busy())
            stray.own += 1
            stray.take(facts, new(stray.seen, facts), tick)
    return found


def literal_savings(tree: MergeTree, event: Event, hops: int, cycle: int) -> tuple[float, float]:
    """CSN and CSF by the paper's formulas as printed: all passive aggregators flush in every cycle of the event."""
    roles = tree.roles(hops)
    published = _published(event)
    cycles = max(1.0, (event.last - event.began) / cycle) if cycle else 1.0
    received: dict[int, int] = dict.fromkeys(roles.passive, 0)
    for broker, times in published.items():
        way = tree.way_up(broker, roles)
        taker = next((b for b in way if b in roles.passive), None)
        if taker is not None:
            received[taker] += times
    closer = away = 0.0
    parents: dict[int, list[int]] = {}
    for broker in sorted(b for b in roles.passive if roles.distance[b] == hops):
        way = tree.way_up(broker, roles)
        parents.setdefault(way[1], []).append(broker)
        children = [b for b in tree.neighbours[broker] if b != way[1]]
        if children:
            own = published.get(broker, 0)
            away += received[broker] - own - (cycles * ((hops + 1) * len(children) - hops) + own * hops)
    if hops > 1:
        for parent, some in parents.items():
            gain = cycles * (hops * len(some) - (hops - 1)) + published.get(parent, 0) * (hops - 1)
            closer += gain - sum(received[broker] for broker in some)
    return closer, away


def _published(event: Event) -> Mapping[int, int]:
    found: dict[int, int] = {}
    for _, broker, _ in event.log:
        found[broker] = found.get(broker, 0) + 1
    return found


def decide(placer: Placer, closer: float, away: float, delta: float, tree: MergeTree) -> int:
    """The direction in which aggregators move: 1 away, -1 closer, 0 not at all."""
    placer.saving *= FADES
    placer.closer = placer.closer * FADES + closer
    placer.away = placer.away * FADES + away
    direction, saving = (1, placer.away) if placer.away >= placer.closer else (-1, placer.closer)
    if not 1 <= placer.hops + direction <= max(tree.depth, 1):
        return 0
    if saving < max(delta, COST * told(tree, max(placer.hops, placer.hops + direction))):
        return 0
    if direction == -placer.direction and saving <= placer.saving:
        return 0
    placer.direction, placer.saving = direction, saving
    placer.closer = placer.away = 0.0
    placer.hops += direction
    placer.moves += 1
    return direction


import os

COST = float(os.environ.get("COST", 1))


def told(tree: MergeTree, hops: int) -> int:
    """How many brokers are told of a move between a distance and one hop less."""
    return sum(0 < distance <= hops for distance in tree.roles(hops).distance.values())


def conclude(
    tree: MergeTree,
    event: Event,
    placer: Placer,
    placement: Placement,
    delta: float,
    new: New,
) -> int:
    """Learn from an event that is over; returns the direction of the move."""
    if not isinstance(placement, Moves) or tree.depth < 1:
        return 0
    if placement is Moves.REPLAY:
        return _towards_best(tree, event, placer, delta, new)
    if placement is Moves.LITERAL:
        ticks = [told.circle.every for told in event.told if told.circle.every]
        closer, away = literal_savings(tree, event, placer.hops, min(ticks, default=0))
    else:
        closer, away = savings(tree, event, placer.hops, new)
    return decide(placer, closer, away, delta, tree)


def _towards_best(tree: MergeTree, event: Event, placer: Placer, delta: float, new: New) -> int:
    """One hop towards the distance at which the event would have cost least."""
    for hops in range(1, tree.depth + 1):
        placer.costs[hops] = placer.costs.get(hops, 0.0) * FADES + cost(tree, event, hops, new)
    best = min(placer.costs, key=lambda hops: (placer.costs[hops], abs(hops - placer.hops)))
    saving = placer.costs[placer.hops] - placer.costs[best]
    direction = (best > placer.hops) - (best < placer.hops)
    if not direction or saving < max(
        delta,
        COST
        * sum(
            told(tree, h)
            for h in (range(placer.hops + 1, best + 1) if direction > 0 else range(best + 1, placer.hops + 1))
        ),
    ):
        return 0
    placer.hops += direction
    placer.direction, placer.saving = direction, saving
    placer.moves += 1
    return direction
