"""Reproducible random draws, from a publication's id, the deployment's seed and a broker's name.

A retry after a crash, or a batch run of the same trace, draws the same. The generator is SplitMix64 (Steele, Lea and
Flood, OOPSLA 2014).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from sparing.compiled import compiled, inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def seeds(names: Iterable[str], seed: int) -> np.ndarray:
    """Return a pseudorandom number for each name."""
    key = blake2b(str(seed).encode(), digest_size=16).digest()
    found = [int.from_bytes(blake2b(name.encode(), digest_size=8, key=key).digest(), "big") for name in names]
    return np.array(found, dtype=np.uint64)


@inlined
def mixed(number):
    """Return the SplitMix64 hash of a number."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def fraction(state):
    """Return the next draw from [0, 1), with 53 bits; `state` is an array of one number."""
    state[0] += GOLDEN
    return np.float64(mixed(state[0]) >> np.uint64(11)) / 9007199254740992.0


@compiled
def below(state, count):
    """Return the next draw from 0, 1, ..., count - 1."""
    return np.int64(fraction(state) * count)
