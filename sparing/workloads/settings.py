"""The settings shared by all workloads, validated."""

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
    """Size, subscriptions and errors of a workload. Times are in seconds of event time.

    `aggregate` is the ratio of aggregate to plain subscriptions, `sliding` the share of sliding windows among aggregate
    ones, `columns` the share of plain ones with a column list. With `staggered`, each aggregate subscription has its
    own window start, as if issued at different times. `selectivity` is the share of publications that a subscription
    matches on average; None sets no target. `missing` is the share of missing values, `disorder` the maximum delay of
    a publication, `bad` the number of bad rows per publication in a JSON trace.
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
            raise SparingError(f"The seed is {self.seed}: it must not be negative.")
        for name in ("rate", "duration", "window", "slide"):
            if not 0 < getattr(self, name) < math.inf:
                raise SparingError(f"The {name} is {getattr(self, name):g}: it must be greater than 0.")
        for name in ("window", "slide"):
            if not (getattr(self, name) * 1000).is_integer():
                raise SparingError(f"The {name} is {getattr(self, name)!r} seconds: it must be whole milliseconds.")
        if self.subscriptions < 0:
            raise SparingError(f"The number of subscriptions is {self.subscriptions}: it must not be negative.")
        if min(self.aggregate) < 0 or sum(self.aggregate) == 0:
            shown = ":".join(map(str, self.aggregate))
            raise SparingError(f"The ratio is {shown}: use two whole numbers as in 1:2, not both 0.")
        for name in ("sliding", "columns", "missing", "bad"):
            if not 0 <= getattr(self, name) <= 1:
                raise SparingError(f"The share {name} is {getattr(self, name):g}: it must be between 0 and 1.")
        if self.selectivity is not None and not 0 < self.selectivity <= 1:
            raise SparingError(f"The selectivity is {self.selectivity:g}: it must be greater than 0 and at most 1.")
        if not 0 <= self.disorder < math.inf:
            raise SparingError(f"The disorder is {self.disorder:g} seconds: it must be finite and not negative.")
        if self.size == 0:
            raise SparingError(
                f"A rate of {self.rate:g} over {self.duration:g} seconds gives no publication: increase one of them."
            )

    @property
    def size(self) -> int:
        """The number of publications."""
        return round(self.rate * self.duration)

    @property
    def origin(self) -> int:
        """The start in microseconds since 1970; without a time zone it is UTC."""
        aware = self.start if self.start.tzinfo else self.start.replace(tzinfo=UTC)
        return (aware - EPOCH) // MICROSECOND

    @property
    def watermark(self) -> str:
        """A watermark for which no publication is late."""
        return f"{max(10, math.ceil(self.disorder) + 1)} seconds"


def parse_ratio(text: str) -> tuple[int, int]:
    """Return the numbers of a ratio such as 1:2.

    >>> parse_ratio("1:2")
    (1, 2)
    """
    ends = text.split(":")
    if len(ends) != 2 or not all(end.strip().isdecimal() for end in ends):
        raise SparingError(f"{text!r} is not a ratio: use AGGREGATE:PLAIN, e.g. 1:2.")
    return int(ends[0]), int(ends[1])
