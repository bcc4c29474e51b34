"""Windows.

Time windows are those of `window(ts, duration, slide, start)` in Spark: half open, aligned to the epoch plus `start`.
A slide longer than the duration (sampling) leaves gaps between windows. All times are in microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """The windows `[start + n * slide, start + n * slide + duration)` for every whole number n."""

    duration: int
    slide: int
    start: int = 0

    def starts(self, time: int) -> list[int]:
        """Return the starts of the windows that contain a time, earliest first.

        >>> TimeWindow(10, 5).starts(12)
        [5, 10]
        >>> TimeWindow(2, 24).starts(3)  # sampling: between two windows
        []
        """
        last = time - (time - self.start) % self.slide
        first = last - (self.duration - 1) // self.slide * self.slide
        return [start for start in range(first, last + 1, self.slide) if time < start + self.duration]

    @property
    def max_overlap(self) -> int:
        """The largest number of windows that contain one moment."""
        return -(-self.duration // self.slide)


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Windows of `size` consecutive matching publications; a new one starts every `shift` publications."""

    size: int
    shift: int
