"""Windows.

Time windows mean what `window(ts, duration, slide, start)` means in Spark: half open, aligned to the epoch plus
`start`. A slide longer than the duration (sampling) leaves gaps that belong to no window. All times are whole
microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass


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
