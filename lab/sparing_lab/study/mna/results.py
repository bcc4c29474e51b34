"""Measurements, looked up and set against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sparing_lab.study.mna.grid import Cell, Scale
from sparing_lab.study.mna.measure import STUDIED
from sparing_lab.study.mna.row import Row


class Results:
    """All rows of a run at one scale. What was not measured is None."""

    def __init__(self, scale: Scale, rows: Sequence[Row]) -> None:
        self.scale = scale
        self.rows = list(rows)
        self._found = {(row.cell, row.policy): row for row in rows}
        there = {row.policy for row in rows}
        self.policies = tuple(name for name in STUDIED if name in there)
        self.cells = list(dict.fromkeys(row.cell for row in rows))

    def row(self, cell: Cell, policy: str) -> Row | None:
        """One measurement."""
        return self._found.get((cell, policy))

    def ratio(self, cell: Cell, policy: str, base: str, of: Callable[[Row], float]) -> float | None:
        """How many times as much of something one policy needs as another."""
        one, other = self.row(cell, policy), self.row(cell, base)
        if one is None or other is None or not of(other):
            return None
        return of(one) / of(other)

    def over(self, cell: Cell, policy: str, base: str, of: Callable[[Row], float]) -> float | None:
        """How much more of something one policy needs than another, in percent."""
        times = self.ratio(cell, policy, base, of)
        return None if times is None else 100 * (times - 1)


def messages(row: Row) -> float:
    """All messages between brokers."""
    return row.messages


def for_aggregation(row: Row) -> float:
    """The communication cost: messages between brokers but for those that plain subscriptions take anyway."""
    return row.for_aggregation


def seconds(row: Row) -> float:
    """The computation cost: matching and walk."""
    return row.seconds


def walk_seconds(row: Row) -> float:
    """The part of the computation cost that depends on decisions."""
    return row.walk_seconds
