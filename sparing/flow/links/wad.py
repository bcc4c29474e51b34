"""WAD: aggregate an NWR if the weights of the held items add up to 1 or more; an item weighs 1 / its degree.

The degree is the number of NWRs at arrival on the link, as in Algorithm 2 of the paper (`wad_live` uses another). A
partial result counts for one NWR, so it weighs 1.

Paper: mna-aggregation, section VII-B.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.flow.links.policy import RESULT_HELD, DecisionContext, LinkPolicy
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.flow.windows.kernels.places import held_results, undecided
from sparing.model.policy import DecisionRule

UNCERTAIN = 1e-9  # a sum of doubles this close to 1 is computed again with twice the precision
NEARLY = 1e-24  # then a smaller difference from 1 is a rounding error; exact for up to ten thousand held items


@compiled
def enough(arrays: WindowArrays, link: int, nwr: int, count: int, live: int) -> bool:
    """Return whether the weights add up to 1 or more."""
    if held_results(arrays, link, nwr):
        return True
    goal = arrays.nwrs[nwr].goal
    weight = 0.0
    for i in range(count):
        weight += 1.0 / degree_of(arrays, np.int64(arrays.items[i]), link, goal, live)
    if abs(weight - 1.0) > UNCERTAIN:
        return weight > 1.0
    high, low = -1.0, 0.0
    for i in range(count):
        degree = degree_of(arrays, np.int64(arrays.items[i]), link, goal, live)
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


@inlined
def degree_of(arrays: WindowArrays, row: int, link: int, goal: int, live: int) -> float:
    """Return the degree of an item, at its arrival or `live`."""
    return float(undecided(arrays, row, link) if live else arrays.degree[row, goal])


@compiled
def aggregate(arrays: WindowArrays, link: int, nwr: int, count: int) -> bool:
    """Return whether the weights by degrees at arrival add up to 1 or more."""
    return bool(enough(arrays, link, nwr, count, np.int64(0)))


def weights(context: DecisionContext, degrees: np.ndarray) -> str:
    """Return the sum of weights as text, from the degrees of the held items."""
    if context.results:
        return RESULT_HELD
    degrees, counts = np.unique(degrees, return_counts=True)
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
        return weights(context, context.degrees)


POLICY = Wad()
