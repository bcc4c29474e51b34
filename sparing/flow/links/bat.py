"""BAT: every broker is in one of two modes, forwarding everything or aggregating everything.

At the end of each period a broker compares the messages of both modes in that period, over all its links, and chooses
the cheaper mode for the next. It starts with aggregating, and prefers it on a tie. Periods are aligned to the epoch. A
broker has one mode per topic.

Paper: mna-aggregation, section II, after Pandey et al., "Distributed event aggregation for content-based
publish/subscribe systems" (DEBS 2014).
"""

from __future__ import annotations

from sparing.compiled import compiled, inlined
from sparing.flow.links.policy import DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import MODE_PERIOD, PERIOD, WindowArrays
from sparing.flow.windows.kernels.places import held_results
from sparing.model.policy import SECOND, DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Return whether the broker is in the aggregating mode."""
    broker = arrays.links[link].source
    arrays.brokers[broker].if_aggregated += 1
    arrays.brokers[broker].if_forwarded += held_results(arrays, link, nwr)
    return not arrays.brokers[broker].forwards


@inlined
def arrived(arrays: WindowArrays, link: int) -> None:
    """Count a new item."""
    arrays.brokers[arrays.links[link].source].if_forwarded += 1


@inlined
def tick(arrays: WindowArrays, time: int) -> None:
    """Choose the modes again if a period has ended before a time."""
    current = time // arrays.numbers[PERIOD]
    if current > arrays.numbers[MODE_PERIOD]:
        for number in range(len(arrays.brokers)):
            broker = arrays.brokers[number]
            if broker.if_forwarded or broker.if_aggregated:
                broker.forwards = broker.if_forwarded < broker.if_aggregated
            broker.if_forwarded = 0
            broker.if_aggregated = 0
        arrays.numbers[MODE_PERIOD] = current


class Bat(LinkPolicy):
    """Follows the broker's mode."""

    name = DecisionRule.BAT
    rule = staticmethod(aggregate)
    one_group = True
    items = False

    def why(self, context: DecisionContext) -> str:
        """Return the broker's mode."""
        forwards = context.arrays.brokers["forwards"][context.arrays.links["source"][context.link]]
        return f"the broker is in its {'forwarding' if forwards else 'aggregating'} mode"


POLICY = Bat(period=10 * SECOND)
