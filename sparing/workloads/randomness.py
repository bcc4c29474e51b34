"""Random numbers that depend on a seed and a name only, so that parts can be generated in any order."""

from __future__ import annotations

import zlib

import numpy as np


def seeded_rng(seed: int, *path: str | int) -> np.random.Generator:
    """Return the random numbers for one purpose: the same seed and path give the same numbers.

    >>> seeded_rng(1, "stock", 0).integers(1000) == seeded_rng(1, "stock", 0).integers(1000)
    np.True_
    """
    return np.random.default_rng([seed, *(zlib.crc32(str(part).encode()) for part in path)])


def random_subsets(rng: np.random.Generator, count: int, choices: int, fewest: int, most: int) -> np.ndarray:
    """Return a random subset of the choices for each of `count` rows, with between `fewest` and `most` of them."""
    wanted = rng.integers(fewest, most + 1, count)
    places = rng.random((count, choices)).argsort(axis=1).argsort(axis=1)
    return places < wanted[:, None]


def weighted_choice(rng: np.random.Generator, count: int, weights: np.ndarray) -> np.ndarray:
    """Return indexes drawn in proportion to weights."""
    steps = np.cumsum(weights)
    drawn = np.searchsorted(steps, rng.random(count) * steps[-1], side="right")
    return np.asarray(np.minimum(drawn, len(weights) - 1))


def random_mask(rng: np.random.Generator, count: int, share: float) -> np.ndarray:
    """Return a shuffled mask of a share of the rows, rounded to whole rows."""
    mask = np.zeros(count, dtype=bool)
    mask[: round(count * share)] = True
    rng.shuffle(mask)
    return mask
