"""Publisher-edge aggregation: every window is aggregated on every link, from the publisher's broker on.

Paper: mna-aggregation, section IV.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.links.policy import DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.model.policy import DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Return True."""
    return True


class PublisherEdge(LinkPolicy):
    """Aggregates everything."""

    name = DecisionRule.PUBLISHER_EDGE
    rule = staticmethod(aggregate)
    items = False

    def why(self, context: DecisionContext) -> str:  # noqa: ARG002
        """Return a constant reason."""
        return "this policy always aggregates"


POLICY = PublisherEdge()
