"""Measurement of one cell: the walk of the same reports with every method. One process, no Spark."""

from __future__ import annotations

from statistics import fmean

from sparing.flow.events.context import EventStep, MergeContext
from sparing.flow.events.event import Event
from sparing.flow.events.placement import placer_of
from sparing.flow.events.walk import EventState, EventWalk
from sparing.model.bill import MessageKind
from sparing.model.policy import EventMerging, PlacementRule, Policy
from sparing.model.types import END_OF_TIME
from sparing_lab.study.caeva.grid import ADAPTIVE, AGELE, FIXED, LITERAL, PINNED, REPLAY, CaevaExperiment, CaevaSample
from sparing_lab.study.caeva.reports import UNIT
from sparing_lab.study.caeva.row import CaevaRow
from sparing_lab.study.caeva.world import TOPIC, CaevaSetting, draw

MOVING = {
    ADAPTIVE: Policy(),
    REPLAY: Policy(placement=PlacementRule.REPLAY),
    LITERAL: Policy(placement=PlacementRule.LITERAL),
    PINNED: Policy(),
}


class WalkWatcher:
    """Records link crossings towards subscribers, times of notifications and distances of aggregators."""

    def __init__(self) -> None:
        self.down = 0
        self.hops: list[int] = []
        self.notified: dict[str, int] = {}  # key -> time of the last notification

    def see(self, event: Event, happening: EventStep) -> None:
        """Record a step of an event."""
        if happening.what == "crosses":
            self.down += 1
        elif happening.what == "is told":
            self.notified[str(event.key[0])] = happening.time
        elif happening.what == "is over":
            self.hops.append(event.hops)
            if event.version != len(event.facts):
                raise AssertionError(f"event {event.key} was not notified in full")


def measure(cell: CaevaSample) -> list[CaevaRow]:
    """Return a row for each method."""
    world = draw(cell.point, cell.events, cell.sample)
    return [row_of(world, cell, method, policy) for method, policy in methods(world, cell.point.kind).items()]


def methods(world: CaevaSetting, kind: CaevaExperiment) -> dict[str, Policy]:
    """Return method -> policy."""
    agele = {AGELE: Policy(events=EventMerging.AGELE)}
    if not kind.places:
        return {**agele, ADAPTIVE: MOVING[ADAPTIVE]}
    (tree,) = world.trees(MOVING[ADAPTIVE])
    fixed = {f"{FIXED}{hops}": Policy(placement=hops) for hops in range(1, tree.depth + 1)}
    return {**agele, **fixed, **MOVING}


def row_of(world: CaevaSetting, cell: CaevaSample, method: str, policy: Policy) -> CaevaRow:
    """Return the row of a method, from a walk of all events."""
    plan, watcher = world.under(policy), WalkWatcher()
    context = MergeContext(plan, TOPIC.name, watcher)
    context.trees = world.trees(policy)  # shared, because they cache paths
    start = EventState(placers=[placer_of(policy.places, tree) for tree in context.trees])
    if method == PINNED:
        start.placers[0].fades = 1.0
    reports = [report for event in world.events for report in event.reports]
    state, outcome = EventWalk(context).advance(start, reports, END_OF_TIME)
    sent = outcome.bill.between_brokers()
    coordination = outcome.bill.only(MessageKind.COORDINATION).total() + world.announcements(policy)
    full = [event.full - event.reports[0].time for event in world.events]
    delay = [watcher.notified[str(event.reports[0].key[0])] - event.full for event in world.events]
    return CaevaRow(
        point=cell.point,
        sample=cell.sample,
        method=method,
        events=len(world.events),
        made=len(reports),
        redundant=sum(event.redundant for event in world.events),
        siena=sum(outcome.siena.values()),
        up=sent - watcher.down,
        down=watcher.down,
        coordination=coordination,
        full=fmean(full) / UNIT,
        delay=fmean(delay) / UNIT,
        hops=fmean(watcher.hops),
        moves=state.placers[0].moves,
    )
