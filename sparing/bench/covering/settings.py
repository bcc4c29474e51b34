"""What to measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparing.bench.covering.engines import ENGINES
from sparing.model.errors import SparingError

Told = Callable[[str], None]  # told of every measurement, as it is made


@dataclass(frozen=True)
class Case:
    """So many boxes of so many dimensions."""

    dimensions: int
    boxes: int

    def __str__(self) -> str:
        return f"{self.boxes:,} boxes of {self.dimensions} dimension{'s' if self.dimensions > 1 else ''}"


@dataclass(frozen=True)
class Settings:
    """Sizes, dimensions and k to try, with which engines; how long a peer may take, how often everything is done."""

    boxes: tuple[int, ...] = (5_000, 50_000, 500_000)
    dimensions: tuple[int, ...] = (1, 2, 3)
    engines: tuple[str, ...] = ("sparing", "numpy", "spark")
    k: int = 10
    patience: float = 60.0  # seconds that a peer may take, as it looks from a smaller size
    repeat: int = 3
    changes: int = 1000  # boxes that come and go at each size but the smallest, if there are several; 0 for none
    seed: int = 1

    def check(self) -> None:
        """Say in one sentence what cannot be measured, before anything is."""
        for name in self.engines:
            if name not in ENGINES:
                raise SparingError(f"There is no engine {name!r}: choose from {', '.join(ENGINES)}.")
        if "sparing" not in self.engines:
            raise SparingError("Peers are measured beside Sparing: add sparing to the engines.")
        if not self.boxes or not self.dimensions or min(*self.boxes, *self.dimensions, self.k, self.repeat) < 1:
            raise SparingError("Numbers of boxes, dimensions and repetitions, and k, must be greater than zero.")
        if self.changes < 0 or not self.patience > 0:
            raise SparingError("Changes must not be fewer than zero, and the time for a peer must be above it.")

    def cases(self) -> Iterator[Case]:
        """Dimension by dimension, from few boxes to many."""
        for dimensions in self.dimensions:
            for count in sorted(self.boxes):
                yield Case(dimensions, count)

    def changed(self) -> Iterator[Case]:
        """The cases in which boxes come and go."""
        if self.changes:
            smallest = min(self.boxes)
            yield from (case for case in self.cases() if case.boxes > smallest or len(set(self.boxes)) == 1)
