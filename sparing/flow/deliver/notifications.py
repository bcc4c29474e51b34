"""Notifications of windows and digests, as single records or as columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sparing.flow.deliver.identity import about_window


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification of a window, digest or count window; its id is a hash of `about`."""

    subscription: int
    start: int
    end: int
    payload: str
    about: str


@dataclass(frozen=True)
class Notifications:
    """Notifications as columns; without `about`, ids are hashes of the windows' times."""

    subscription: np.ndarray
    start: np.ndarray
    end: np.ndarray
    payload: list[str]
    about: list[str] | None = None

    def __len__(self) -> int:
        return len(self.payload)

    def __iter__(self) -> Iterator[Notification]:
        starts, ends = self.start.tolist(), self.end.tolist()
        about = map(about_window, starts, ends) if self.about is None else self.about
        columns = self.subscription.tolist(), starts, ends, self.payload, about
        return (Notification(*row) for row in zip(*columns, strict=True))
