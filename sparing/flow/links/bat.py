"""BAT: every broker is in one of two modes, forwarding everything or aggregating everything.

At the end of each period a broker compares what either would have sent in it, over all its links, and chooses the
cheaper one for the next; it begins by aggregating, and aggregates when both cost the same. Periods are aligned to the
epoch. A broker has one mode for each topic.

Paper: mna-aggregation, section II, after Pandey et al., "Distributed event aggregation for content-based
publish/subscribe systems" (DEBS 2014).
"""

from __future__ import annotations

from sparing.compiled import compiled, inlined
from sparing.flow.links.policy import LinkPolicy, Turn
from sparing.flow.windows.kernels.arrays import PERIOD, TURN, WindowArrays
from sparing.model.policy import SECOND, DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Whether the broker is in the aggregating mode."""
    broker = arrays.links[link].source
    arrays.brokers[broker].if_aggregated += 1
    for i in range(count):
        if arrays.edges[arrays.waiting[i]].part == arrays.waiting[i]:
            arrays.brokers[broker].if_forwarded += 1
    return not arrays.brokers[broker].forwards


@inlined
def arrived(arrays: WindowArrays, link: int) -> None:
    """A new item."""
    arrays.brokers[arrays.links[link].source].if_forwarded += 1


@inlined
def tick(arrays: WindowArrays, time: int) -> None:
    """Time has come so far: choose modes anew if a period has ended."""
    turn = time // arrays.numbers[PERIOD]
    if turn > arrays.numbers[TURN]:
        for number in range(len(arrays.brokers)):
            broker = arrays.brokers[number]
            if broker.if_forwarded or broker.if_aggregated:
                broker.forwards = broker.if_forwarded < broker.if_aggregated
            broker.if_forwarded = 0
            broker.if_aggregated = 0
        arrays.numbers[TURN] = turn


class Bat(LinkPolicy):
    """Does what the broker's mode says."""

    name = DecisionRule.BAT
    rule = staticmethod(aggregate)
    one_group = True

    def why(self, turn: Turn) -> str:
        """The broker's mode."""
        forwards = turn.arrays.brokers["forwards"][turn.arrays.links["source"][turn.link]]
        return f"the broker is in its {'forwarding' if forwards else 'aggregating'} mode"


POLICY = Bat(period=10 * SECOND)
