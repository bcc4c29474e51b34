"""One measurement, and measurements as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from sparing_lab.study.lines import Line, names_of, values_of
from sparing_lab.study.mna.grid import Cell


@dataclass(frozen=True)
class Row(Line):
    """One cell under one policy.

    `messages` are those between brokers, `for_aggregation` those of them that were not sent for plain subscriptions:
    partial results (`results`) and the raw publications that an NWR's decision forwards. `matching_seconds` is the CPU
    time of matching and plain delivery, the same for policies that hold the same publications; `walk_seconds` that of
    the walk of held publications with all its decisions.
    """

    cell: Cell
    policy: str
    publications: int
    selectivity: float
    messages: int
    for_aggregation: int
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
    def of(cls, line: Mapping[str, Any]) -> Self:
        """The inverse of `flat`; values may be texts."""
        return cls(Cell(**values_of(Cell, line)), **values_of(cls, line))

    @classmethod
    def columns(cls) -> list[str]:
        """The names in a line."""
        return names_of(Cell) + [name for name in names_of(cls) if name != "cell"]
