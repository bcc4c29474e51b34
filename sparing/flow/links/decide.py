"""The rules of all link policies behind one name."""

from __future__ import annotations

from typing import Any

from sparing.flow.journey.arrays import RULE, Journey
from sparing.flow.links import adock, bat, wad
from sparing.flow.links.policy import ALWAYS, NEVER, TABLE, WAD, WAD_LIVE
from sparing.flow.links.policy import BAT as BAT_RULE
from sparing.graphs.compiled import compiled


@compiled
def aggregate(journey: Journey, link: int, nwr: int, count: int) -> Any:
    """True: send one partial result of what waits. False: forward each item as it is."""
    rule = journey.numbers[RULE]
    if rule == ALWAYS:
        return True
    if rule == NEVER:
        return False
    if rule == TABLE:
        return journey.table[link, nwr]
    if rule == WAD:
        return wad.aggregate(journey, link, nwr, count, False)
    if rule == WAD_LIVE:
        return wad.aggregate(journey, link, nwr, count, True)
    if rule == BAT_RULE:
        return bat.aggregate(journey, link, nwr, count)
    return adock.aggregate(journey, link, nwr, count)
