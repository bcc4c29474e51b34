"""The election of an event's coordinator among the active aggregators.

An active aggregator that gets to know of an event without a coordinator tells all others that it claims to be the one.
If several do so at the same time, the one with the higher broker name denies it to the others; silence is consent. The
paper's cycle starts with the winner's claim, which is when the first report was made. When the coordinator of an event
is lost, those who know of the event notice at the end of the cycle, and elect another; cycles go on as before.

Paper: caeva, section III-B, Dynamic Coordination.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.flow.events.context import MergeContext
from sparing.flow.events.event import Event
from sparing.flow.events.messages import COORDINATION


def elect(context: MergeContext, event: Event, time: int, claimants: Iterable[int]) -> int:
    """The winner among those who claim."""
    tree, active = context.trees[event.tree], context.roles(event, time).active
    claims = sorted(claimants, key=context.name)
    winner = claims[-1]
    for claimant in claims:
        for other in active:
            context.messages.send(tree, claimant, other, COORDINATION, time)
        context.see(event, time, "claims", claimant)
    for loser in claims[:-1]:
        context.messages.send(tree, winner, loser, COORDINATION, time)
    context.see(event, time, "coordinates", winner)
    return winner


def re_elect(context: MergeContext, event: Event, time: int) -> int | None:
    """Another coordinator in place of one that is down; None while no aggregator is up.

    Those claim who know of the event, or if none does, the active aggregator nearest to the center.
    """
    active = context.roles(event, time).active
    claimants = [broker for broker in active if broker in event.seen] or list(active[:1])
    if not claimants:
        return None
    winner = elect(context, event, time, claimants)
    tree = context.trees[event.tree]
    for broker in sorted((event.seen.keys() | event.kept.keys()) - set(active)):
        context.messages.send(tree, winner, broker, COORDINATION, time)
    return winner
