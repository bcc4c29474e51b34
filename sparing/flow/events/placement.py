"""The placement of passive aggregators: after an event they may move one hop, away from the active ones or closer.

In the paper's notation, every passive aggregator estimates the saving if its children did its work (SF), and every
parent of passive aggregators the saving of doing theirs (SN). The coordinator sums them (CSF, CSN), and the larger sum
decides if it is at least delta. Aggregators move back only if that saves more than their last move.

The paper's formulas (`literal`) drift closer, and their memory of the last saving can fix aggregators forever. The
differences:

- Only brokers with a report of the event count, with the messages that they sent or would have sent.
- Reports published nearer than all passive aggregators count for moving closer; otherwise no broker counts them.
- CSN and CSF are summed over events, never below zero, and reset by a move. They must exceed a share of the messages
  that announce the move. So a single unusual event moves no aggregator, and changes of publishers are followed soon.
- An aggregator sends its counts with its next message, not in a message of their own.
- The memory of the last saving fades with every event.
- The initial distance of passive aggregators is the average distance of brokers.
- `replay` computes the cost of the event at every distance.

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

New = Callable[[int, int], int]  # (known facts, facts) -> new facts

FADES = 0.9  # factor on the last saving after each event
MOST_RIDING = 64  # events with counts that have not been sent
PART = 0.5  # least saving of a move, as a share of the messages that announce it


Estimate = tuple[float, float, frozenset[int]]  # CSN and CSF of an event, and aggregators that have not sent counts


@dataclass(slots=True)
class Placer:
    """The placement in one tree, and the last move: its direction (0: none) and expected saving.

    `closer` and `away` are CSN and CSF, summed over events since then; `riding` are the estimates of events for which
    some aggregators have not sent their counts.
    """

    hops: int
    direction: int = 0
    saving: float = 0.0
    moves: int = 0
    closer: float = 0.0
    away: float = 0.0
    fades: float = FADES
    riding: list[Estimate] = field(default_factory=list)
    spoke: set[int] = field(default_factory=set)  # aggregators that have sent upward since the last event

    @property
    def learned(self) -> bool:
        """Whether there is state to keep."""
        return bool(self.direction or self.closer or self.away or self.riding)

    def ride(self, estimate: Estimate) -> list[Estimate]:
        """Add an estimate, and return those whose counts have all been sent with later messages."""
        there, under_way = list[Estimate](), list[Estimate]()
        for closer, away, reporters in self.riding:
            left = reporters - self.spoke
            (under_way if left else there).append((closer, away, left))
        self.spoke.clear()
        (under_way if estimate[2] else there).append(estimate)
        self.riding = under_way[-MOST_RIDING:]
        return there


def placer_of(placement: Placement, tree: MergeTree) -> Placer:
    """Return the initial placement of a tree."""
    if isinstance(placement, int):
        return Placer(min(placement, tree.depth))
    far = [distance for distance in tree.roles(0).distance.values() if distance]
    return Placer(round(fmean(far)) if far else 0, fades=1.0 if placement is PlacementRule.LITERAL else FADES)


@dataclass(slots=True)
class AggregatorLoad:
    """An aggregator's load by one event: its own reports, those of each child, and the messages sent upward."""

    own: int = 0
    seen: int = 0
    sent: int = 0
    flushes: set[int] = field(default_factory=set)  # ticks
    below: dict[int, AggregatorLoad] = field(default_factory=dict)

    def take(self, facts: int, new: int, tick: int) -> None:
        """Add a report: the first is forwarded, and new facts of others are flushed at the next tick."""
        if not self.sent:
            self.sent = 1
        elif new and tick not in self.flushes:
            self.flushes.add(tick)
            self.sent += 1
        self.seen |= facts


def workload(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[dict[int, AggregatorLoad], int]:
    """Return the load of each passive aggregator at a distance, and the number of links that reports crossed raw."""
    roles = tree.roles(hops)
    busy: dict[int, AggregatorLoad] = {}
    raw = 0
    for time, broker, facts in event.log:
        tick = time if event.at_once else (next_tick(event, time) or time)
        way = tree.path_up(broker, roles)
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
    """Return the upward messages of an event if passive aggregators are at a distance."""
    distance = tree.roles(hops).distance
    busy, raw = workload(tree, event, hops, new)
    return raw + sum(found.sent * distance[broker] for broker, found in busy.items())


def savings(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[float, float]:
    """Return CSN and CSF: the savings of moving one hop closer, and one hop away."""
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
    """Return the load of brokers nearer than passive aggregators, in their place.

    They are the parents of passive aggregators, and publishers' brokers without one on their path.
    """
    roles = tree.roles(hops)
    found: dict[int, AggregatorLoad] = {}
    for time, broker, facts in event.log:
        way = tree.path_up(broker, roles)
        at = next((place for place, b in enumerate(way) if b in roles.passive), None)
        if len(way) > 1 and (at is None or roles.distance[way[at]] == hops):
            tick = time if event.at_once else (next_tick(event, time) or time)
            taker = found.setdefault(broker if at is None else way[at + 1], AggregatorLoad())
            taker.own += at is None
            taker.take(facts, new(taker.seen, facts), tick)
    return found


def literal_savings(tree: MergeTree, event: Event, hops: int, cycle: int) -> tuple[float, float]:
    """Return CSN and CSF by the paper's formulas: all passive aggregators flush in every cycle of the event."""
    roles = tree.roles(hops)
    published = _published(event)
    cycles = max(1.0, (event.last - event.began) / cycle) if cycle else 1.0
    received: dict[int, int] = dict.fromkeys(roles.passive, 0)
    for broker, times in published.items():
        way = tree.path_up(broker, roles)
        taker = next((b for b in way if b in roles.passive), None)
        if taker is not None:
            received[taker] += times
    closer = away = 0.0
    parents: dict[int, list[int]] = {}
    for broker in sorted(b for b in roles.passive if roles.distance[b] == hops):
        way = tree.path_up(broker, roles)
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
    """Return the direction of the move: 1 away, -1 closer, 0 none; `delta` depends on the direction."""
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


def learn(
    tree: MergeTree,
    event: Event,
    placer: Placer,
    placement: Placement,
    delta: float,
    new: New,
) -> int:
    """Learn from an event that is over, and return the direction of the move."""
    if not isinstance(placement, PlacementRule) or tree.depth < 1:
        return 0
    if placement is PlacementRule.LITERAL:
        ticks = event.cycles
        placer.closer = placer.away = 0.0  # the paper does not sum over events
        found = literal_savings(tree, event, placer.hops, min(ticks, default=0))
        return decide(placer, *found, lambda _: delta, tree.depth)
    look = best_savings if placement is PlacementRule.REPLAY else savings
    closer, away = look(tree, event, placer.hops, new)
    for near, far, _ in placer.ride((closer, away, frozenset(reporters(tree, event, placer.hops)))):
        moved = decide(
            placer, near, far, lambda to: max(delta, PART * _announcements(tree, placer.hops, to)), tree.depth
        )
        if moved:
            return moved
    return 0


def reporters(tree: MergeTree, event: Event, hops: int) -> set[int]:
    """Return the passive aggregators that received a report of an event."""
    roles = tree.roles(hops)
    return {broker for home in event.kept for broker in tree.path_up(home, roles) if broker in roles.passive}


def _announcements(tree: MergeTree, hops: int, direction: int) -> int:
    """Return the number of brokers to which a move is announced."""
    far = max(hops, hops + direction)
    return sum(0 < distance <= far for distance in tree.roles(hops).distance.values())


def best_savings(tree: MergeTree, event: Event, hops: int, new: New) -> tuple[float, float]:
    """Return the savings of the best distance that is closer, and of the best that is farther away."""
    costs = {other: cost(tree, event, other, new) for other in range(1, tree.depth + 1)}
    closer = max((costs[hops] - costs[other] for other in costs if other < hops), default=0)
    away = max((costs[hops] - costs[other] for other in costs if other > hops), default=0)
    return closer, away
