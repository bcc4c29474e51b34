"""One measurement, and measurements as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sparing.study.lines import from_text, names_of, to_text, values_of


@dataclass(frozen=True)
class Row:
    """One number: `what` was found of a method for so many subscriptions and a k.

    k is 0 where it plays no part. `distance` counts the core brokers between publisher and subscriber, 0 for all.
    """

    subscriptions: int
    narrowest: float
    widest: float
    k: int
    method: str
    seed: int
    distance: int
    what: str
    value: float

    def flat(self) -> dict[str, Any]:
        """As one line of a table."""
        return asdict(self)

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Row:
        """The inverse of `flat`; values may be texts."""
        return cls(**values_of(cls, line))


def to_csv(rows: Sequence[Row]) -> str:
    """All rows with a header."""
    return to_text(names_of(Row), (row.flat() for row in rows))


def from_csv(text: str) -> Iterator[Row]:
    """The inverse of `to_csv`."""
    return map(Row.of, from_text(text))
