"""Where passive aggregators are: when an event is over, they may move one hop, away from the active ones or closer.

Every passive aggregator knows what it would save if its children did its work (SF), every parent of passive aggregators
what it would save by doing theirs (SN); the coordinator adds them up (CSF, CSN), and the larger sum decides if it is at
least delta. Aggregators turn back only if that saves more than the move that brought them here did.

What differs from the paper (`literal`), whose formulas drift closer, and whose memory of the last saving can pin
aggregators for ever:

- only brokers count that had a report of the event, with the messages that they really sent or would have;
- reports that meet no passive aggregator, because they are made nearer than these, count for moving closer: nobody
  would see them otherwise;
- CSN and CSF are added up over events, and begin anew from nothing where they fall below it or aggregators move. They
  must be worth a part of the messages that tell brokers of the move. So one event that is unlike the others moves
  nobody, and publishers that change are followed at once where that pays;
- what an aggregator has counted is told with whatever it sends next, and not in a message of its own;
- the memory of the last saving fades with every event;
- to begin with, passive aggregators are as far away as brokers are on average;
- `replay` works out what the event would have cost at every distance.

Paper: caeva, section III-B, Dynamic and Adaptive Aggregator Placement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import fmean

from sparing.control.merging.tree import MergeTree
from sparing.flow.events.downward import next_tick
from sparing.flow.events.event import Event
from sparing.model.policy import Placement, PlacementRule

New = Callable[[int, int], int]  # what is new in some facts (the latter) to who had others

FADES = 0.9  # what is left, after each event, of the memory of the last saving
MOST_RIDING = 64  # events, of which something has not been told
PART = 0.5  # of the messages that tell of a move: what it must promise to save


Estimate = tuple[float, float, frozenset[int]]  # CSN and CSF of an event, and who has not told its part yet


@dataclass(slots=True)
class Placer:
    """The placement in one tree, and the last move: its direction (0: none) and what it was to save.

    `closer` and `away` are what moves would have saved since then, CSN and CSF added up over events; `riding` are those
    of events that some aggregators have not told the coordinators about.
    """

    hops: int
    direction: int = 0
    saving: float = 0.0
    moves: int = 0
    closer: float = 0.0
    away: float = 0.0
    fades: float = FADES
    riding: list[Estimate] = field(default_factory=list)
    spoke: set[int] = field(default_factory=set)  # aggregators that have sent something up since the last event

    @property
    def learned(self) -> bool:
        """Whether there is anything to remember."""
        return bool(self.direction or self.closer or self.away or self.riding)

    def ride(self, estimate: Estimate) -> list[Estimate]:
        """Counts ride on what their aggregators send next: takes in an estimate, gives those that have arrived."""
        there, under_way = list[Estimate](), list[Estimate]()
        for closer, away, tellers in self.riding:
            left = tellers - self.spoke
            (under_way if left else there).append((closer, away, left))
        self.spoke.clear()
        (under_way if estimate[2] else there).append(estimate)
        self.riding = under_way[-MOST_RIDING:]
        return there


def placer_of(placement: Placement, tree: MergeTree) -> Placer:
    """The placement that a tree begins with."""
    if isinstance(placement, int):
        return Placer(min(placement, tree.depth))
    far = [distance for distance in tree.roles(0).distance.values() if distance]
    return Placer(round(fmean(far)) if far else 0, fades=1.0 if placement is PlacementRule.LITERAL else FADES)


@dataclass(slots=True)
class AggregatorLoad:
    """What an aggregator had to do with an event: reports from each child and its own, messages it sent up."""

    own: int = 0
    seen: int = 0
    sent: int = 0
    flushes: set[int] = field(default_factory=set)  # ticks
    below: dict[int, AggregatorLoad] = field(default_factory=dict)

    def take(self, facts: int, new: int, tick: int) -> None:
        """A report comes in: the first is passed on, of others what is new is flushed at the next tick."""
        if not self.sent:
            self.sent = 1
        elif new and tick not in self.flushes:
            self.flushes.add(tick)
            self.sent += 1
        self.seen |= facts


def workload(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[dict[int, AggregatorLoad], int]:
    """What each passive aggregator had to do at a distance, and how many links reports crossed raw."""
    roles = tree.roles(hops)
    busy: dict[int, AggregatorLoad] = {}
    raw = 0
    for time, broker, facts in event.log:
        tick = time if event.at_once else (next_tick(event, time) or time)
        way = tree.way_up(broker, roles)
        at = next((place for place, b in enumerate(way) if b in roles.passive), None)
        if at is None:
            raw += len(way) - 1
            continue
        raw += at
        found = busy.setdefault(way[at], AggregatorLoad())
        found.take(facts, new(found.seen, facts), tick)
        if at == 0:
            found.own += 1
        else:
            child = found.below.setdefault(way[at - 1], AggregatorLoad())
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
    distance = tree.roles(hops).distance
    busy, _ = workload(tree, event, hops, new)
    closer = away = 0.0
    for broker, found in busy.items():
        if distance[broker] == hops:
            forwarded = sum(child.own for child in found.below.values())
            taken = sum(child.sent for child in found.below.values())
            closer += found.sent * hops - (found.own + forwarded)
            if len(tree.neighbours[broker]) > 1:
                away += forwarded - (taken * (hops + 1) - found.sent * hops + found.own * hops)
    for broker, found in nearer(tree, event, hops, new).items():
        far = distance[broker]
        closer += (found.own - found.sent) * far / (hops - far)  # spread over the hops that it takes
    return (closer if hops > 1 else 0.0), away


def nearer(tree: MergeTree, event: Event, hops: int, new: New) -> dict[int, AggregatorLoad]:
    """What brokers nearer than passive aggregators would have to do in their place.

    They are their parents, and brokers too near for a passive aggregator on the way of what is published there.
    """
    roles = tree.roles(hops)
    found: dict[int, AggregatorLoad] = {}
    for time, broker, facts in event.log:
        way = tree.way_up(broker, roles)
        at = next((place for place, b in enumerate(way) if b in roles.passive), None)
        if len(way) > 1 and (at is None or roles.distance[way[at]] == hops):
            tick = time if event.at_once else (next_tick(event, time) or time)
            taker = found.setdefault(broker if at is None else way[at + 1], AggregatorLoad())
            taker.own += at is None
            taker.take(facts, new(taker.seen, facts), tick)
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


def decide(placer: Placer, closer: float, away: float, delta: Callable[[int], float], depth: int) -> int:
    """The direction in which aggregators move: 1 away, -1 closer, 0 not at all. `delta` is by direction."""
    placer.saving *= placer.fades
    placer.closer, placer.away = max(0.0, placer.closer + closer), max(0.0, placer.away + away)
    direction, saving = (1, placer.away) if placer.away >= placer.closer else (-1, placer.closer)
    if saving < delta(direction) or not 1 <= placer.hops + direction <= max(depth, 1):
        return 0
    if direction == -placer.direction and saving <= placer.saving:
        return 0
    placer.direction, placer.saving = direction, saving
    placer.closer = placer.away = 0.0
    placer.riding.clear()
    placer.hops += direction
    placer.moves += 1
    return direction


def conclude(
    tree: MergeTree,
    event: Event,
    placer: Placer,
    placement: Placement,
    delta: float,
    new: New,
) -> int:
    """Learn from an event that is over; returns the direction of the move."""
    if not isinstance(placement, PlacementRule) or tree.depth < 1:
        return 0
    if placement is PlacementRule.LITERAL:
        ticks = event.cycles
        placer.closer = placer.away = 0.0  # nothing is added up
        found = literal_savings(tree, event, placer.hops, min(ticks, default=0))
        return decide(placer, *found, lambda _: delta, tree.depth)
    look = farsighted if placement is PlacementRule.REPLAY else savings
    closer, away = look(tree, event, placer.hops, new)
    for near, far, _ in placer.ride((closer, away, frozenset(tellers(tree, event, placer.hops)))):
        moved = decide(placer, near, far, lambda to: max(delta, PART * _told(tree, placer.hops, to)), tree.depth)
        if moved:
            return moved
    return 0


def tellers(tree: MergeTree, event: Event, hops: int) -> set[int]:
    """The passive aggregators that had a report of an event."""
    roles = tree.roles(hops)
    return {broker for home in event.kept for broker in tree.way_up(home, roles) if broker in roles.passive}


def _told(tree: MergeTree, hops: int, direction: int) -> int:
    """How many brokers are told of a move."""
    far = max(hops, hops + direction)
    return sum(0 < distance <= far for distance in tree.roles(hops).distance.values())


def farsighted(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[float, float]:
    """CSN and CSF of moving as far closer, and as far away, as would have been best."""
    costs = {other: cost(tree, event, other, new) for other in range(1, tree.depth + 1)}
    closer = max((costs[hops] - costs[other] for other in costs if other < hops), default=0)
    away = max((costs[hops] - costs[other] for other in costs if other > hops), default=0)
    return closer, away
