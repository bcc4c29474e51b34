"""Boxes to cover: every range between 30% and 60% wide, placed so that it fits; the wider in all, the better ranked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.workloads.chance import stream

WIDTH = (0.3, 0.6)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Half-open ranges [box, field], and what boxes are ranked by: their area."""

    low: np.ndarray
    high: np.ndarray
    score: np.ndarray

    def __len__(self) -> int:
        return len(self.low)

    def take(self, which: np.ndarray) -> Boxes:
        """Some of them, by number or mask."""
        return Boxes(self.low[which], self.high[which], self.score[which])


def boxes(count: int, dimensions: int, seed: int) -> Boxes:
    """The same boxes from the same seed."""
    rng = stream(seed, "covering", dimensions)
    wide = rng.uniform(*WIDTH, (count, dimensions))
    low = rng.random((count, dimensions)) * (1 - wide)
    high = low + wide
    return Boxes(low, high, (high - low).prod(axis=1))
