"""Ranges of subscriptions: whole numbers in a space, of a given average size.

Source: mefa.txt, experiments. The slides tell uniform ranges from "exponential" ones "with parameter 1" and do not say
what is exponential. There are two readings, and both are here:

- **uniform**: sizes from 1 to twice the average less 1, places anywhere in the space where the range fits;
- **exponential places**: such sizes, but the distance of a range from the low end of the space is exponential with
  parameter 1, a fifth of the space being the unit, cut off where the range would no longer fit;
- **exponential sizes**: places anywhere, but sizes exponential with parameter 1, the average size being the unit, cut
  off at the size of the space and at 1.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from sparing.model.errors import SparingError

PLACES = 5  # units of exponential places in the space


class Distribution(StrEnum):
    """The distribution of sizes and places of ranges."""

    UNIFORM = "uniform"
    EXPONENTIAL_PLACES = "exponential places"
    EXPONENTIAL_SIZES = "exponential sizes"


def ranges(
    rng: np.random.Generator, count: int, average: int, space: tuple[int, int], distribution: Distribution
) -> np.ndarray:
    """[subscription, end]: from where to where so many ranges go.

    >>> ranges(np.random.default_rng(0), 2, 20, (0, 400), Distribution.UNIFORM).tolist()
    [[99, 133], [15, 40]]
    """
    low, high = space
    if not 1 <= 2 * average <= high - low:
        raise SparingError(
            f"Ranges of average size {average} do not fit {low} to {high}: take 1 to {(high - low) // 2}."
        )
    if distribution is Distribution.EXPONENTIAL_SIZES:
        sizes = np.maximum(np.rint(_exponential(rng, average, np.full(count, high - low))), 1)
    else:
        sizes = rng.integers(1, 2 * average, count)
    room = high - low - sizes
    if distribution is Distribution.EXPONENTIAL_PLACES:
        places = _exponential(rng, (high - low) / PLACES, room)
    else:
        places = rng.random(count) * (room + 1)
    starts = low + np.minimum(np.floor(places), room)
    found: np.ndarray = np.stack([starts, starts + sizes], axis=1).astype(np.int64)
    return found


def _exponential(rng: np.random.Generator, unit: float, most: np.ndarray) -> np.ndarray:
    """Exponential numbers, each cut off at its own `most`: what would be above is spread as the rest is."""
    found: np.ndarray = -unit * np.log1p(-rng.random(len(most)) * -np.expm1(-most / unit))
    return found
