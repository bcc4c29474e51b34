"""Notifications of windows, digests and merged events, as single records or as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.deliver.identity import about_window
from sparing.flow.deliver.json_columns import texts
from sparing.flow.deliver.nested import Objects


@dataclass(frozen=True)
class Payloads:
    """Payloads of several shapes: for each shape, the numbers of the notifications and their payloads as columns."""

    parts: Sequence[tuple[np.ndarray, Objects]]

    def texts(self) -> list[str]:
        """Return the payload of each notification as JSON text."""
        written: dict[int, str] = {}
        for numbers, objects in self.parts:
            written.update(zip(numbers.tolist(), texts(objects), strict=True))
        return [written[number] for number in range(len(written))]


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
    payloads: Payloads
    about: list[str] | None = None

    def __len__(self) -> int:
        return len(self.subscription)

    def __iter__(self) -> Iterator[Notification]:
        starts, ends = self.start.tolist(), self.end.tolist()
        about = map(about_window, starts, ends) if self.about is None else self.about
        columns = self.subscription.tolist(), starts, ends, self.payloads.texts(), about
        return (Notification(*row) for row in zip(*columns, strict=True))
