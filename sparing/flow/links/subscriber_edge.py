"""Subscriber-edge aggregation: publications travel raw, at once; only the subscriber's broker aggregates.

Paper: mna-aggregation, section IV. Its bill is the naive bill, to which savings are compared.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.model.policy import DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Return False."""
    return False


class SubscriberEdge(LinkPolicy):
    """Forwards everything on arrival, so that no link decides."""

    name = DecisionRule.SUBSCRIBER_EDGE
    rule = staticmethod(aggregate)
    at_once = DecisionRule.SUBSCRIBER_EDGE.raw


POLICY = SubscriberEdge()
