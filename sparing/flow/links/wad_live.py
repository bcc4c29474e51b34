"""WAD with live degrees: an item weighs 1 / the number of NWRs that are still undecided, not of all at its arrival.

An item that only one NWR is still waiting for weighs 1.

Ours, beyond the paper.
"""

from __future__ import annotations

from sparing.compiled import compiled
from sparing.flow.links.policy import LinkPolicy, Turn
from sparing.flow.links.wad import enough, weights
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.model.policy import DecisionRule


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Whether the weights by live degrees add up to 1 or more."""
    return bool(enough(arrays, link, count, True))


class WadLive(LinkPolicy):
    """Aggregates what weighs enough by what is left of it."""

    name = DecisionRule.WAD_LIVE
    rule = staticmethod(aggregate)
    degrees = True

    def why(self, turn: Turn) -> str:
        """The sum of weights."""
        return weights(turn, "live")


POLICY = WadLive()
