"""What is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.model.errors import SparingError

ENGINES = ("sparing", "numpy", "spark")


@dataclass(frozen=True)
class Settings:
    """Numbers of boxes and dimensions; peers take part up to so many boxes, `repeat` is for all but the slowest."""

    boxes: tuple[int, ...] = (50_000, 500_000)
    dimensions: tuple[int, ...] = (1, 2, 3)
    k: int = 10
    peers: int = 50_000
    changes: int = 2_000
    repeat: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        if min((*self.boxes, *self.dimensions, self.k, self.changes), default=0) < 1:
            raise SparingError("Boxes, dimensions, k and changes are numbers above zero.")


def made_up(settings: Settings, boxes: int, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bounds: each box spans 30 to 60% of the space in every dimension, anywhere that it fits."""
    rng = np.random.default_rng([settings.seed, boxes, dimensions])
    widths = rng.uniform(0.3, 0.6, (boxes, dimensions))
    low = rng.random(widths.shape) * (1 - widths)
    return low, low + widths
