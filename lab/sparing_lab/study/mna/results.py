"""Statistics of the rows that claims, tables and figures need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from sparing_lab.study.mna.grid import MnaCell, MnaScale
from sparing_lab.study.mna.measure import STUDIED
from sparing_lab.study.mna.row import MnaRow
from sparing_lab.study.results import Results


class MnaResults(Results[MnaScale, MnaRow]):
    """Rows by experiment and policy."""

    key = ("cell", "policy")

    @cached_property
    def policies(self) -> tuple[str, ...]:
        """The policies that were measured, in the order of the study."""
        measured = {row.policy for row in self.rows}
        return tuple(name for name in STUDIED if name in measured)

    @cached_property
    def cells(self) -> list[MnaCell]:
        """The experiments that were measured."""
        return list(dict.fromkeys(row.cell for row in self.rows))

    def row(self, cell: MnaCell, policy: str) -> MnaRow | None:
        """Return one measurement."""
        return next(iter(self.samples(cell, policy)), None)

    def ratio(self, cell: MnaCell, policy: str, base: str, of: Callable[[MnaRow], float]) -> float | None:
        """Return a value of one policy as a multiple of another's."""
        one, other = self.row(cell, policy), self.row(cell, base)
        if one is None or other is None or not of(other):
            return None
        return of(one) / of(other)

    def over(self, cell: MnaCell, policy: str, base: str, of: Callable[[MnaRow], float]) -> float | None:
        """Return how far a value of one policy is above another's, in percent."""
        times = self.ratio(cell, policy, base, of)
        return None if times is None else 100 * (times - 1)


def messages(row: MnaRow) -> float:
    """Return all messages between brokers."""
    return row.messages


def for_aggregation(row: MnaRow) -> float:
    """Return the communication cost: messages between brokers, without those for plain subscriptions."""
    return row.for_aggregation


def seconds(row: MnaRow) -> float:
    """Return the computation cost: matching and walk."""
    return row.seconds


def walk_seconds(row: MnaRow) -> float:
    """Return the part of the computation cost that depends on decisions."""
    return row.walk_seconds
