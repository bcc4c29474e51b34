"""Notifications: what a subscription is told, one by one or many as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Notification:
    """A window's result, a digest or a count window, for one subscription."""

    subscription: int
    start: int
    end: int
    payload: str


@dataclass(frozen=True)
class Notifications:
    """Many of them, as columns."""

    subscription: np.ndarray
    start: np.ndarray
    end: np.ndarray
    payload: list[str]

    def __len__(self) -> int:
        return len(self.payload)

    def __iter__(self) -> Iterator[Notification]:
        columns = self.subscription.tolist(), self.start.tolist(), self.end.tolist(), self.payload
        return (Notification(*row) for row in zip(*columns, strict=True))
