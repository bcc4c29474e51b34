"""The election of an event's coordinator among the active aggregators.

An active aggregator that receives a report of an event without a coordinator sends a claim to all others. If several
claim at the same time, the one with the highest broker name rejects the other claims; no answer means consent. The
paper's cycle starts with the winner's claim, at the time of the first report. If the coordinator fails, the aggregators
that know of the event notice at the end of the cycle and elect another; cycles do not change.

Paper: caeva, section III-B, Dynamic Coordination.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparing.flow.events.context import MergeContext
from sparing.flow.events.event import Event
from sparing.flow.events.messages import COORDINATION


def elect(context: MergeContext, event: Event, time: int, claimants: Iterable[int]) -> int:
    """Return the winner among the claimants."""
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
    """Return another coordinator in place of one that is down; None while no active aggregator is up.

    The claimants are the aggregators that know of the event; without any, the active one nearest to the center.
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
