"""Subscriber-edge aggregation: publications travel raw, at once; only the subscriber's broker aggregates.

Paper: mna-aggregation, section IV. This is also the naive bill that every saving is measured against.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.model.policy import DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Never."""
    return False


class SubscriberEdge(LinkPolicy):
    """Forwards everything at once, so that no link ever has to decide."""

    name = DecisionRule.SUBSCRIBER_EDGE
    rule = staticmethod(aggregate)
    at_once = DecisionRule.SUBSCRIBER_EDGE.raw


POLICY = SubscriberEdge()
