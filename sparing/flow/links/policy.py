"""What every link policy is: one signature, so that a run, an experiment and a benchmark loop over them.

When an NWR ends, each link where something waits for it asks the policy's rule: `aggregate(journey, link, nwr, count)`,
compiled, with the waiting edges in `journey.waiting[:count]`. True means one partial result, False that each item is
forwarded as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from sparing.flow.journey.arrays import Journey

ALWAYS, NEVER, TABLE, WAD, WAD_LIVE, BAT, ADOCK = range(7)  # rules; see `decide`
SECOND = 1_000_000


@dataclass(frozen=True)
class LinkPolicy:
    """Decides on every link by itself, from what has been seen there."""

    name: str
    rule: int
    at_once: bool = False  # publications cross links on arrival, so that nothing ever waits to be decided on
    patience: int = 0  # how much later a link decides for every link before it (microseconds)
    period: int = 0  # how often a mode is chosen anew, for policies that have one
    together: bool = False  # decisions depend on everything that a broker sees, so groups cannot be worked on apart
    whole_trace: bool = False  # must know everything that will be published: batch only

    @property
    def degrees(self) -> bool:
        """Whether the rule asks for degrees of items."""
        return self.rule in (WAD, WAD_LIVE, ADOCK)

    @property
    def matching(self) -> bool:
        """Whether the rule needs a maximum matching of each link's graph."""
        return self.rule == ADOCK

    def table(self, journey: Journey, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray | None:  # noqa: ARG002
        """[link, NWR] -> aggregate, for policies that know what to do beforehand.

        `links` are the numbers of the journey's links in the plan, `subscriptions` those of its NWRs.
        """
        return None
