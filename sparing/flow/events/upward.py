"""From publishers to the coordinator: aggregators drop known facts and hold new ones.

An aggregator forwards the first report of an event immediately. Of later reports it drops known facts, and holds the
others until a notification is due. Then aggregators flush the held facts towards the coordinator, the farthest first,
and every aggregator on the path merges them.

A broker that fails loses its facts. Publishers' brokers keep the facts published there until the event is over, and
send them to the coordinator again once the loss is noticed.

Paper: caeva, section III-B, Dynamic Aggregation.
"""

from __future__ import annotations

from sparing.flow.events.bits import bits_of
from sparing.flow.events.context import MergeContext
from sparing.flow.events.election import elect, re_elect
from sparing.flow.events.event import Event
from sparing.flow.events.messages import COORDINATION, MERGED, PUBLICATION


def climb(context: MergeContext, event: Event, time: int, broker: int, facts: int) -> None:
    """Send a published report to the first aggregator on its path."""
    if (event.at_once or event.hot is not None) and event.coordinator in context.down(time):
        replace_coordinator(context, event, time)
    _arrive(context, event, time, broker, broker, facts)


def collect(context: MergeContext, event: Event, time: int) -> bool:
    """Send all reported facts to the coordinator; False if there is none and none can be elected.

    Lost facts are noticed and sent again.
    """
    if event.coordinator in context.down(time) and not replace_coordinator(context, event, time):
        return False
    if event.lost:
        resend_lost(context, event, time)
    flush(context, event, time)
    return True


def _arrive(context: MergeContext, event: Event, time: int, source: int, at: int, facts: int) -> None:
    """Send a report, which comes from `source` and is at `at`, to the next aggregator; it may be lost for now."""
    tree, roles = context.trees[event.tree], context.roles(event, time)
    goal = tree.path_up(at, roles)[-1] if event.coordinator is None else event.coordinator
    acting = None if event.coordinator in context.down(time) else event.coordinator  # whatever its role is by now
    found = next((b for b in tree.path(at, goal) if b == acting or roles.aggregates(b)), None)
    context.messages.send(tree, source, goal if found is None else found, PUBLICATION, time)
    if found is None:  # the coordinator is down, and nobody has noticed yet
        context.see(event, time, "is lost at", goal, -1, facts)
        return
    if found != source:
        context.see(event, time, "is sent", source, found, facts)
    first = found not in event.seen
    had = event.seen.get(found, 0)
    new = context.new(event, had, facts)
    event.seen[found] = had | new
    if not new and not first:
        context.see(event, time, "is redundant at", found, -1, facts)
        return
    if found == acting or found in roles.active:
        if event.coordinator is None:
            event.coordinator = elect(context, event, time, [found])
        _keep(context, event, found, new)
    elif first:
        context.see(event, time, "is passed on by", found, -1, facts)
        way = tree.path(found, goal)
        context.spoke[event.tree].add(found)
        _arrive(context, event, time, found, way[1], facts)
        if (announcer := next((b for b in way if b in roles.active), None)) is not None:
            context.messages.send(tree, announcer, found, COORDINATION, time)
    else:
        _keep(context, event, found, new)
    if found != event.coordinator and (first or new) and _hot(context, event, event.unsent.get(found, 0)):
        context.see(event, time, "is hot at", found, -1, event.unsent[found])
        flush(context, event, time, only=found, what="is sent on")


def _keep(context: MergeContext, event: Event, broker: int, new: int) -> None:
    """Hold new facts at an aggregator, or merge them at the coordinator."""
    if broker == event.coordinator:
        merge(context, event, new)
    elif new:
        event.unsent[broker] = event.unsent.get(broker, 0) | new


def _hot(context: MergeContext, event: Event, facts: int) -> bool:
    """Return whether some facts may make the event urgent for an audience."""
    if event.hot is None:
        return False
    for at in bits_of(facts):
        admitted, touched = context.audiences.fulfils(event.facts[at].field, event.facts[at].code)
        if (admitted | (touched & context.audiences.missing)) & event.hot:
            return True
    return False


def merge(context: MergeContext, event: Event, facts: int) -> None:
    """Merge facts at the coordinator."""
    for at in bits_of(context.new(event, event.so_far, facts)):
        if not context.new(event, event.so_far, 1 << at):
            continue  # several of these facts may be on one field
        event.order.append(at)
        event.so_far |= 1 << at
        admitted, touched = context.audiences.fulfils(event.facts[at].field, event.facts[at].code)
        event.admitted |= admitted
        event.touched |= touched


def flush(context: MergeContext, event: Event, time: int, only: int | None = None, what: str = "is flushed") -> None:
    """Flush the held facts of all aggregators, or of one and those on its path, the farthest first."""
    tree, roles, goal = context.trees[event.tree], context.roles(event, time), event.coordinator
    assert goal is not None
    due = [only] if only is not None else list(event.unsent)
    while due:
        broker = max(due, key=lambda b: (tree.hops(b, goal), context.name(b)))
        due.remove(broker)
        facts = event.unsent.pop(broker, 0)
        if not facts:
            continue
        if broker == goal:
            merge(context, event, facts)
            continue
        taker = next(b for b in tree.path(broker, goal)[1:] if b == goal or roles.aggregates(b))
        context.messages.send(tree, broker, taker, MERGED, time)
        context.spoke[event.tree].add(broker)
        context.see(event, time, what, broker, taker, facts)
        had = event.seen.get(taker, 0)
        new = context.new(event, had, facts)
        event.seen[taker] = had | new
        if new:
            _keep(context, event, taker, new)
            if taker != goal and taker not in due:
                due.append(taker)


def fail(event: Event, broker: int) -> None:
    """Lose the facts of a broker whose aggregator fails, and the versions on its links."""
    event.seen.pop(broker, None)
    event.unsent.pop(broker, None)
    event.known = {pair: version for pair, version in event.known.items() if broker not in pair}
    event.lost.add(broker)


def replace_coordinator(context: MergeContext, event: Event, time: int) -> bool:
    """Replace a coordinator that is down; False if there is no other."""
    winner = re_elect(context, event, time)
    if winner is None:
        return False
    event.lost.add(-1 if event.coordinator is None else event.coordinator)
    had = event.seen.get(winner, 0)
    event.coordinator = winner
    event.unsent.pop(winner, None)
    merge(context, event, had)
    resend_lost(context, event, time, everybody=True)
    return True


def resend_lost(context: MergeContext, event: Event, time: int, everybody: bool = False) -> None:
    """Send facts that failed brokers may have lost to the coordinator again, from the publishers' brokers."""
    tree, goal = context.trees[event.tree], event.coordinator
    assert goal is not None
    everybody = everybody or goal in event.lost
    for broker, facts in sorted(event.kept.items()):
        if everybody or not event.lost.isdisjoint(tree.path(broker, goal)):
            context.messages.send(tree, broker, goal, MERGED, time)
            context.see(event, time, "is sent again", broker, goal, facts)
            event.seen[goal] = event.seen.get(goal, 0) | facts
            merge(context, event, facts)
    event.lost.clear()
