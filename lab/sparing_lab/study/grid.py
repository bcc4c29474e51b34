"""Samples of one grid point, the unit of work of studies that draw many small samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")


@dataclass(frozen=True)
class Batch(Generic[P]):
    """Consecutive samples of a point; a sample's number is its seed."""

    point: P
    first: int
    count: int

    @property
    def numbers(self) -> range:
        """The numbers of the samples."""
        return range(self.first, self.first + self.count)


def batches(samples: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the first number and the size of each batch.

    >>> list(batches(25, 10))
    [(0, 10), (10, 10), (20, 5)]
    """
    for first in range(0, samples, size):
        yield first, min(size, samples - first)
