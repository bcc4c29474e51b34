"""WAD: aggregate an NWR if the weights of the held items add up to 1 or more; an item weighs 1 / its degree.

The degree is the number of NWRs at arrival on the link, as in Algorithm 2 of the paper (`wad_live` uses another). A
partial result counts for one NWR, so it weighs 1.

Paper: mna-aggregation, section VII-B.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sparing.compiled import compiled
from sparing.flow.links.policy import RESULT_HELD, DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import RAW, WindowArrays
from sparing.model.policy import DecisionRule

UNCERTAIN = 1e-9  # a sum of doubles this close to 1 is computed again with twice the precision
NEARLY = 1e-24  # then a smaller difference from 1 is a rounding error; exact for up to ten thousand held items


@compiled
def enough(arrays: WindowArrays, link: int, count: int, live: bool) -> bool:
    """Return whether the weights add up to 1 or more."""
    links = len(arrays.links)
    weight = 0.0
    for i in range(count):
        edge = arrays.held[i]
        if arrays.edges[edge].part != RAW:
            return True
        item = arrays.items[arrays.edges[edge].row * links + link]
        weight += 1.0 / (item.live if live else item.degree)
    if abs(weight - 1.0) > UNCERTAIN:
        return weight > 1.0
    high, low = -1.0, 0.0
    for i in range(count):
        item = arrays.items[arrays.edges[arrays.held[i]].row * links + link]
        degree = float(item.live if live else item.degree)
        part = 1.0 / degree
        # The error of 1 / degree: the remainder 1 - part * degree is exact in halves of 26 bits (Dekker 1971).
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
    """Return whether the weights by degrees at arrival add up to 1 or more."""
    return bool(enough(arrays, link, count, False))


def weights(context: DecisionContext, degree: str) -> str:
    """Return the sum of weights as text, by degrees from a column of the items."""
    if context.results:
        return RESULT_HELD
    items = context.arrays.edges["row"][context.raw].astype(np.int64) * len(context.arrays.links) + context.link
    degrees, counts = np.unique(context.arrays.items[degree][items], return_counts=True)
    pairs = list(zip(degrees.tolist(), counts.tolist(), strict=True))
    total = sum((Fraction(count, degree) for degree, count in pairs), Fraction(0))
    terms = " + ".join(f"{count} x 1/{degree}" for degree, count in pairs)
    return f"the weights are {terms} = {float(total):.3g}, {'1 or more' if total >= 1 else 'less than 1'}"


class Wad(LinkPolicy):
    """Aggregates NWRs whose items weigh 1 or more."""

    name = DecisionRule.WAD
    rule = staticmethod(aggregate)
    degrees = True

    def why(self, context: DecisionContext) -> str:
        """Return the sum of weights."""
        return weights(context, "degree")


POLICY = Wad()
