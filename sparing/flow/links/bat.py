"""BAT: every broker is in one of two modes, forwarding everything or aggregating everything.

At the end of each period a broker compares what either would have sent in it, over all its links, and chooses the
cheaper one for the next; it begins by aggregating, and aggregates when both cost the same. Periods are aligned to the
epoch. A broker has one mode for each topic.

Paper: mna-aggregation, section II, after Pandey et al., "Distributed event aggregation for content-based
publish/subscribe systems" (DEBS 2014).
"""

from __future__ import annotations

from sparing.flow.journey.arrays import PERIOD, TURN, Journey
from sparing.flow.links.policy import LinkPolicy, Turn
from sparing.graphs.compiled import compiled, inlined
from sparing.model.policy import SECOND, DecisionRule


@compiled
def aggregate(journey: Journey, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Whether the broker is in the aggregating mode."""
    broker = journey.links[link].source
    journey.brokers[broker].if_aggregated += 1
    for i in range(count):
        if journey.edges[journey.waiting[i]].part == journey.waiting[i]:
            journey.brokers[broker].if_forwarded += 1
    return not journey.brokers[broker].forwards


@inlined
def arrived(journey: Journey, link: int) -> None:
    """A new item."""
    journey.brokers[journey.links[link].source].if_forwarded += 1


@inlined
def tick(journey: Journey, time: int) -> None:
    """Time has come so far: choose modes anew if a period has ended."""
    turn = time // journey.numbers[PERIOD]
    if turn > journey.numbers[TURN]:
        for number in range(len(journey.brokers)):
            broker = journey.brokers[number]
            if broker.if_forwarded or broker.if_aggregated:
                broker.forwards = broker.if_forwarded < broker.if_aggregated
            broker.if_forwarded = 0
            broker.if_aggregated = 0
        journey.numbers[TURN] = turn


class Bat(LinkPolicy):
    """Does what the broker's mode says."""

    name = DecisionRule.BAT
    rule = staticmethod(aggregate)
    together = True

    def why(self, turn: Turn) -> str:
        """The broker's mode."""
        forwards = turn.journey.brokers["forwards"][turn.journey.links["source"][turn.link]]
        return f"the broker is in its {'forwarding' if forwards else 'aggregating'} mode"


POLICY = Bat(period=10 * SECOND)
