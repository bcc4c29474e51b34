"""One measurement, and measurements as CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sparing.study.lines import from_text, names_of, to_text, values_of
from sparing.study.mna.grid import Cell


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
        return cls(Cell(**values_of(Cell, line)), **values_of(cls, line))


def to_csv(rows: Sequence[Row]) -> str:
    """All rows with a header."""
    names = names_of(Cell) + [name for name in names_of(Row) if name != "cell"]
    return to_text(names, (row.flat() for row in rows))


def from_csv(text: str) -> list[Row]:
    """The inverse of `to_csv`."""
    return [Row.of(line) for line in from_text(text)]
