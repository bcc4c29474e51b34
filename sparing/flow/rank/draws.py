"""Random draws that can be repeated: a publication's id, the deployment's seed and a broker's name decide them.

A replay after a crash, or a batch run of the same trace, draws the same. Numbers follow Steele, Lea and Flood's
SplitMix64 (OOPSLA 2014).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from sparing.compiled import compiled, inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def seeds(names: Iterable[str], seed: int) -> np.ndarray:
    """A number for each name, as if drawn at random."""
    key = blake2b(str(seed).encode(), digest_size=16).digest()
    found = [int.from_bytes(blake2b(name.encode(), digest_size=8, key=key).digest(), "big") for name in names]
    return np.array(found, dtype=np.uint64)


@inlined
def mixed(number):
    """A number that looks as if it had nothing to do with the one given."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def fraction(state):
    """The next draw from [0, 1), all 53 bits of it; `state` is an array of one number."""
    state[0] += GOLDEN
    return np.float64(mixed(state[0]) >> np.uint64(11)) / 9007199254740992.0


@compiled
def below(state, count):
    """The next draw from 0, 1, ..., count - 1."""
    return np.int64(fraction(state) * count)
