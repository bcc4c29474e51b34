"""WAD: aggregate an NWR if the weights of what waits for it add up to 1 or more; an item weighs 1 / its degree.

The degree is that at arrival on the link, as in Algorithm 2 of the paper. `wad-live` takes the degree that is left once
NWRs have been decided: an item that only one NWR is still waiting for weighs 1. A partial result counts for one NWR, so
it weighs 1 under both.

Paper: mna-aggregation, section VII-B. wad-live is ours.
"""

from __future__ import annotations

from sparing.flow.journey.arrays import RAW, Journey
from sparing.flow.links.policy import WAD as RULE
from sparing.flow.links.policy import WAD_LIVE as LIVE_RULE
from sparing.flow.links.policy import LinkPolicy
from sparing.graphs.compiled import compiled

WAD = LinkPolicy("wad", RULE)
WAD_LIVE = LinkPolicy("wad-live", LIVE_RULE)

UNCERTAIN = 1e-9  # a sum of doubles this close to 1 is worked out again with twice the digits
NEARLY = 1e-24  # and then a difference below this is none; that is exact for up to some ten thousand waiting items


@compiled
def aggregate(journey: Journey, link: int, nwr: int, count: int, live: bool) -> bool:  # noqa: ARG001
    """Whether the weights add up to 1 or more."""
    links = len(journey.links)
    weight = 0.0
    for i in range(count):
        edge = journey.waiting[i]
        if journey.edges[edge].part != RAW:
            return True
        item = journey.items[journey.edges[edge].row * links + link]
        weight += 1.0 / (item.live if live else item.degree)
    if abs(weight - 1.0) > UNCERTAIN:
        return weight > 1.0
    high, low = -1.0, 0.0
    for i in range(count):
        item = journey.items[journey.edges[journey.waiting[i]].row * links + link]
        degree = float(item.live if live else item.degree)
        part = 1.0 / degree
        # What part lacks of 1/degree: the remainder 1 - part * degree is exact in halves of 26 bits (Dekker 1971).
        shifted = part * 134217729.0
        front = shifted - (shifted - part)
        rest = ((1.0 - front * degree) - (part - front) * degree) / degree
        total = high + part
        kept = total - high
        low += ((high - (total - kept)) + (part - kept)) + rest
        high = total
    return high + low >= -NEARLY
