"""Measure one cell, whichever figure it is for. One process, no Spark."""

from __future__ import annotations

from sparing.study.topk.fairness import fairness
from sparing.study.topk.forwarding import forwarding
from sparing.study.topk.grid import Cell, Fairness, Forwarding
from sparing.study.topk.overhead import overhead
from sparing.study.topk.row import Row


def measure(cell: Cell) -> list[Row]:
    """The rows of a cell."""
    match cell:
        case Forwarding():
            return forwarding(cell)
        case Fairness():
            return fairness(cell)
        case _:
            return overhead(cell)
