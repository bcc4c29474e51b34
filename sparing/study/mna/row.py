"""One measurement, and measurements as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sparing.study.mna.grid import Cell

_READ = {"str": str, "int": int, "float": float}


@dataclass(frozen=True)
class Row:
    """One cell under one policy.

    `messages` are those between brokers, `results` the partial results among them. `matching_seconds` is the CPU time
    of matching and plain delivery, the same for policies that hold the same publications; `walk_seconds` that of the
    walk of held publications with all its decisions.
    """

    cell: Cell
    policy: str
    publications: int
    selectivity: float
    messages: int
    results: int
    notifications: int
    matching_seconds: float
    walk_seconds: float

    @property
    def seconds(self) -> float:
        """The computation cost."""
        return self.matching_seconds + self.walk_seconds

    def flat(self) -> dict[str, Any]:
        """As one line of a table."""
        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "cell"}
        return asdict(self.cell) | own

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Row:
        """The inverse of `flat`; values may be texts."""
        own = {f.name: _READ[str(f.type)](line[f.name]) for f in fields(cls) if f.name != "cell"}
        return cls(Cell(**{f.name: _READ[str(f.type)](line[f.name]) for f in fields(Cell)}), **own)


def to_csv(rows: Sequence[Row]) -> str:
    """All rows with a header."""
    names = [field.name for field in fields(Cell)] + [field.name for field in fields(Row) if field.name != "cell"]
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.flat() for row in rows)
    return text.getvalue()


def from_csv(text: str) -> list[Row]:
    """The inverse of `to_csv`."""
    return [Row.of(line) for line in csv.DictReader(io.StringIO(text))]
