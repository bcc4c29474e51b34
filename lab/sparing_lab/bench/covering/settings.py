"""What to measure, and the boxes that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sparing.model.counted import counted
from sparing.model.errors import SparingError
from sparing.workloads.chance import stream

WIDTH = (0.3, 0.6)  # of ranges, as shares of the space

Told = Callable[[str], None]  # told of every case, as it is measured


@dataclass(frozen=True)
class Case:
    """So many boxes in so many dimensions."""

    boxes: int
    dimensions: int

    def __str__(self) -> str:
        return f"{counted(self.boxes, 'box', 'boxes')} in {counted(self.dimensions, 'dimension')}"


@dataclass(frozen=True)
class Settings:
    """Numbers of boxes and dimensions to try, k, up to how many boxes peers take part, changes and repetitions."""

    boxes: tuple[int, ...] = (50_000, 500_000)
    dimensions: tuple[int, ...] = (1, 2, 3)
    k: int = 10
    peers: int = 50_000
    changes: int = 1000  # boxes that come, and as many that go
    repeat: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.boxes or not self.dimensions or min(*self.boxes, *self.dimensions, self.k, self.repeat) < 1:
            raise SparingError("Numbers of boxes, dimensions and repetitions, and k, must be above zero.")
        if min(self.peers, self.changes) < 0:
            raise SparingError("Peers cannot take part up to fewer than no boxes, nor fewer than none change.")

    def cases(self) -> Iterator[Case]:
        """From few boxes to many."""
        for count in sorted(self.boxes):
            for dimensions in self.dimensions:
                yield Case(count, dimensions)


def made_up(settings: Settings, boxes: int, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Bounds [box, dimension] of half-open ranges, placed so that they fit into [0, 1)."""
    rng = stream(settings.seed, "covering", dimensions)
    wide = rng.uniform(*WIDTH, (boxes, dimensions))
    low = rng.random((boxes, dimensions)) * (1 - wide)
    return low, low + wide
