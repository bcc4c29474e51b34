"""Alarms about publishers' clocks: many rows of one publisher are late or from the future."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sparing.flow.admit.admission import QuarantineReason

FIRST = 10  # rows of a publisher before the first alarm; each further alarm needs ten times as many


@dataclass(frozen=True)
class Alarm:
    """The rows of a publisher that were late, and from the future, since the stream started."""

    publisher: str
    late: int
    from_the_future: int

    def __str__(self) -> str:
        return (
            f"Check the clock of publisher {self.publisher}: since the start, {self.late:,} of its rows were late and "
            f"{self.from_the_future:,} were from the future."
        )


class ClockAlarms:
    """Counts over a run of rows that were late or from the future, by publisher."""

    def __init__(self) -> None:
        self._rows: dict[str, Counter[str]] = {}
        self._due: dict[str, int] = {}

    def count(self, rows: Mapping[tuple[str, str], int]) -> list[Alarm]:
        """Add rows by publisher and reason; return an alarm for each publisher that has reached 10, 100, 1,000, ...

        >>> alarms = ClockAlarms()
        >>> [len(alarms.count({("p1", "late"): n})) for n in (9, 1, 89, 1, 5)]
        [0, 1, 0, 1, 0]
        """
        for (publisher, reason), count in rows.items():
            self._rows.setdefault(publisher, Counter())[reason] += count
        publishers = sorted({publisher for publisher, _ in rows})
        return [self._alarm(publisher) for publisher in publishers if self._reached(publisher)]

    def totals(self) -> dict[tuple[str, str], int]:
        """Return all rows so far by publisher and reason, for publishers with an alarm."""
        return {(publisher, reason): n for publisher in self._due for reason, n in self._rows[publisher].items()}

    def _reached(self, publisher: str) -> bool:
        due, total = self._due.get(publisher, FIRST), self._rows[publisher].total()
        if total < due:
            return False
        while due <= total:
            due *= 10
        self._due[publisher] = due
        return True

    def _alarm(self, publisher: str) -> Alarm:
        rows = self._rows[publisher]
        return Alarm(publisher, rows[QuarantineReason.LATE.value], rows[QuarantineReason.FUTURE.value])
