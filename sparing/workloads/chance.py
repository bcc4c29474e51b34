"""Random numbers that depend on the seed and a name only, so that parts can be made in any order."""

from __future__ import annotations

import zlib

import numpy as np


def stream(seed: int, *path: str | int) -> np.random.Generator:
    """The random numbers for one purpose: the same path gives the same numbers.

    >>> stream(1, "stock", 0).integers(1000) == stream(1, "stock", 0).integers(1000)
    np.True_
    """
    return np.random.default_rng([seed, *(zlib.crc32(str(part).encode()) for part in path)])


def some_of(rng: np.random.Generator, count: int, choices: int, fewest: int, most: int) -> np.ndarray:
    """For each of `count` rows, which of the choices it takes: between `fewest` and `most` of them."""
    wanted = rng.integers(fewest, most + 1, count)
    places = rng.random((count, choices)).argsort(axis=1).argsort(axis=1)
    return places < wanted[:, None]


def skewed(rng: np.random.Generator, count: int, weights: np.ndarray) -> np.ndarray:
    """Indexes drawn in proportion to weights."""
    steps = np.cumsum(weights)
    drawn = np.searchsorted(steps, rng.random(count) * steps[-1], side="right")
    return np.asarray(np.minimum(drawn, len(weights) - 1))


def marked(rng: np.random.Generator, count: int, share: float) -> np.ndarray:
    """A shuffled mask in which the share is met as nearly as whole rows allow."""
    mask = np.zeros(count, dtype=bool)
    mask[: round(count * share)] = True
    rng.shuffle(mask)
    return mask
