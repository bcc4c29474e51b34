"""One measurement, and measurements as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

_READ = {"str": str, "int": int, "float": float}


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
        return cls(**{f.name: _READ[str(f.type)](line[f.name]) for f in fields(cls)})


def to_csv(rows: Sequence[Row]) -> str:
    """All rows with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [field.name for field in fields(Row)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.flat() for row in rows)
    return text.getvalue()


def from_csv(text: str) -> Iterator[Row]:
    """The inverse of `to_csv`."""
    return (Row.of(line) for line in csv.DictReader(io.StringIO(text)))
