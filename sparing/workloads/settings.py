"""What all workloads have in common, as one value that has been checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from sparing.model.errors import SparingError
from sparing.model.types import EPOCH, MICROSECOND

SECOND = 1_000_000
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class WorkloadSettings:
    """How much of a workload there is, and how rough it is. Times are in seconds of event time.

    `aggregate` is the ratio of aggregate to plain subscriptions, `sliding` the share of sliding windows among the
    aggregate ones, `columns` the share of plain ones that ask for some columns only. With `staggered`, every aggregate
    one's windows begin at a time of its own, as if each had been issued at another moment. `selectivity` is the share
    of the publications that a subscription matches on average; None leaves it as it comes. `missing` is the share of
    values left out, `disorder` how much later than due a publication may be written, `bad` how many bad rows a JSON
    trace gets for each publication.
    """

    seed: int = 0
    rate: float = 1000.0
    duration: float = 100.0
    subscriptions: int = 90
    aggregate: tuple[int, int] = (1, 2)
    sliding: float = 0.5
    window: float = 10.0
    slide: float = 5.0
    staggered: bool = False
    columns: float = 0.0
    selectivity: float | None = None
    missing: float = 0.0
    start: datetime = NEW_YEAR
    disorder: float = 0.0
    bad: float = 0.0

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise SparingError(f"The seed is {self.seed}: give a whole number that is not negative.")
        for name in ("rate", "duration", "window", "slide"):
            if not 0 < getattr(self, name) < math.inf:
                raise SparingError(f"The {name} is {getattr(self, name):g}: it must be above zero.")
        for name in ("window", "slide"):
            if not (getattr(self, name) * 1000).is_integer():
                raise SparingError(f"The {name} is {getattr(self, name)!r} seconds: give whole milliseconds.")
        if self.subscriptions < 0:
            raise SparingError(f"The number of subscriptions is {self.subscriptions}: it cannot be negative.")
        if min(self.aggregate) < 0 or sum(self.aggregate) == 0:
            shown = ":".join(map(str, self.aggregate))
            raise SparingError(f"The ratio is {shown}: give two whole numbers as in 1:2, not both of them 0.")
        for name in ("sliding", "columns", "missing", "bad"):
            if not 0 <= getattr(self, name) <= 1:
                raise SparingError(f"The share {name} is {getattr(self, name):g}: it must lie between 0 and 1.")
        if self.selectivity is not None and not 0 < self.selectivity <= 1:
            raise SparingError(f"The selectivity is {self.selectivity:g}: it must be above 0 and at most 1.")
        if not 0 <= self.disorder < math.inf:
            raise SparingError(f"The disorder is {self.disorder:g} seconds: it cannot be negative.")
        if self.size == 0:
            raise SparingError(
                f"A rate of {self.rate:g} over {self.duration:g} seconds makes no publication: raise one of them."
            )

    @property
    def size(self) -> int:
        """The number of publications."""
        return round(self.rate * self.duration)

    @property
    def origin(self) -> int:
        """The start in microseconds since 1970 (a start without a time zone is UTC)."""
        aware = self.start if self.start.tzinfo else self.start.replace(tzinfo=UTC)
        return (aware - EPOCH) // MICROSECOND

    @property
    def watermark(self) -> str:
        """A lateness that no publication exceeds."""
        return f"{max(10, math.ceil(self.disorder) + 1)} seconds"


def ratio(text: str) -> tuple[int, int]:
    """A ratio such as 1:2.

    >>> ratio("1:2")
    (1, 2)
    """
    ends = text.split(":")
    if len(ends) != 2 or not all(end.strip().isdecimal() for end in ends):
        raise SparingError(f"{text!r} is not a ratio: write it as aggregate:plain, for example 1:2.")
    return int(ends[0]), int(ends[1])
