"""Windows, and the notification window ranges (NWRs) that they give rise to.

Time windows mean what `window(ts, duration, slide, start)` means in Spark: half open, aligned to the epoch plus
`start`. A slide longer than the duration (sampling) leaves gaps that belong to no window. All times are whole
microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Windows `[start + n * slide, start + n * slide + duration)` for every whole n."""

    duration: int
    slide: int
    start: int = 0

    def starts(self, time: int) -> list[int]:
        """Starts of the windows that contain a time, earliest first.

        >>> TimeWindow(10, 5).starts(12)
        [5, 10]
        >>> TimeWindow(2, 24).starts(3)  # sampling: between two windows
        []
        """
        last = time - (time - self.start) % self.slide
        first = last - (self.duration - 1) // self.slide * self.slide
        return [start for start in range(first, last + 1, self.slide) if time < start + self.duration]

    @property
    def most(self) -> int:
        """The most windows that one moment can lie in."""
        return -(-self.duration // self.slide)


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Every `size` consecutive matching publications, a new window every `shift` of them."""

    size: int
    shift: int


class NWR(NamedTuple):
    """A notification window range. Its tuple order is the global decision order: end, then subscription."""

    end: int
    subscription: str
    start: int


def window_starts(
    times: np.ndarray, duration: np.ndarray, slide: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """`TimeWindow.starts` for many (time, window) pairs at once.

    Returns the index of the pair and the window's start, one entry for each window that holds the pair's time.
    """
    last = times - (times - start) % slide
    most = -(-duration // slide)
    pair = np.repeat(np.arange(len(times)), most)
    step = np.arange(len(pair)) - np.repeat(np.cumsum(most) - most, most)
    starts = last[pair] - step * slide[pair]
    inside = times[pair] < starts + duration[pair]
    return pair[inside], starts[inside]
