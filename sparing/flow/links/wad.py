"""WAD: aggregate an NWR if the weights of what waits for it add up to 1 or more; an item weighs 1 / its degree.

The degree is that at arrival on the link, as in Algorithm 2 of the paper (`wad_live` takes another). A partial result
counts for one NWR, so it weighs 1.

Paper: mna-aggregation, section VII-B.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sparing.compiled import compiled
from sparing.flow.links.policy import RESULT_WAITS, LinkPolicy, Turn
from sparing.flow.windows.kernels.arrays import RAW, WindowArrays
from sparing.model.policy import DecisionRule

UNCERTAIN = 1e-9  # a sum of doubles this close to 1 is worked out again with twice the digits
NEARLY = 1e-24  # and then a difference below this is none; that is exact for up to some ten thousand waiting items


@compiled
def enough(arrays: WindowArrays, link: int, count: int, live: bool) -> bool:
    """Whether the weights add up to 1 or more."""
    links = len(arrays.links)
    weight = 0.0
    for i in range(count):
        edge = arrays.waiting[i]
        if arrays.edges[edge].part != RAW:
            return True
        item = arrays.items[arrays.edges[edge].row * links + link]
        weight += 1.0 / (item.live if live else item.degree)
    if abs(weight - 1.0) > UNCERTAIN:
        return weight > 1.0
    high, low = -1.0, 0.0
    for i in range(count):
        item = arrays.items[arrays.edges[arrays.waiting[i]].row * links + link]
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


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:  # noqa: ARG001
    """Whether the weights by degrees at arrival add up to 1 or more."""
    return bool(enough(arrays, link, count, False))


def weights(turn: Turn, degree: str) -> str:
    """The sum of weights, with the degrees of a column of items."""
    if turn.results:
        return RESULT_WAITS
    items = turn.arrays.edges["row"][turn.raw].astype(np.int64) * len(turn.arrays.links) + turn.link
    degrees, counts = np.unique(turn.arrays.items[degree][items], return_counts=True)
    pairs = list(zip(degrees.tolist(), counts.tolist(), strict=True))
    total = sum((Fraction(count, degree) for degree, count in pairs), Fraction(0))
    terms = " + ".join(f"{count} x 1/{degree}" for degree, count in pairs)
    return f"the weights are {terms} = {float(total):.3g}, {'1 or more' if total >= 1 else 'less than 1'}"


class Wad(LinkPolicy):
    """Aggregates what weighs enough."""

    name = DecisionRule.WAD
    rule = staticmethod(aggregate)
    degrees = True

    def why(self, turn: Turn) -> str:
        """The sum of weights."""
        return weights(turn, "degree")


POLICY = Wad()
