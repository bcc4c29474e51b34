"""WAD with live degrees: an item weighs 1 / the number of its undecided NWRs, not of all NWRs at its arrival.

An item with one undecided NWR weighs 1.

Ours, beyond the paper.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.flow.links.policy import DecisionContext, LinkPolicy
from sparing.flow.links.wad import enough, weights
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.model.policy import DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:
    """Return whether the weights by live degrees add up to 1 or more."""
    return bool(enough(arrays, link, nwr, count, np.int64(1)))


class WadLive(LinkPolicy):
    """Aggregates NWRs whose items weigh 1 or more by live degrees."""

    name = DecisionRule.WAD_LIVE
    rule = staticmethod(aggregate)

    def why(self, context: DecisionContext) -> str:
        """Return the sum of weights."""
        rows, _ = context.graph
        return weights(context, np.bincount(rows)[context.raw])


POLICY = WadLive()
