"""Measure one cell, whichever figure it is for. One process, no Spark."""

from __future__ import annotations

from sparing_lab.study.topk.fairness import fairness
from sparing_lab.study.topk.forwarding import forwarding
from sparing_lab.study.topk.grid import Cell, Fairness, Forwarding
from sparing_lab.study.topk.overhead import overhead
from sparing_lab.study.topk.row import Row


def measure(cell: Cell) -> list[Row]:
    """The rows of a cell."""
    match cell:
        case Forwarding():
            return forwarding(cell)
        case Fairness():
            return fairness(cell)
        case _:
            return overhead(cell)
