"""Measurement of one cell of any figure. One process, no Spark."""

from __future__ import annotations

from sparing_lab.study.topk.fairness import fairness
from sparing_lab.study.topk.forwarding import forwarding
from sparing_lab.study.topk.grid import FairnessCell, ForwardingCell, TopkCell
from sparing_lab.study.topk.overhead import overhead
from sparing_lab.study.topk.row import TopkRow


def measure(cell: TopkCell) -> list[TopkRow]:
    """Return the rows of a cell."""
    match cell:
        case ForwardingCell():
            return forwarding(cell)
        case FairnessCell():
            return fairness(cell)
        case _:
            return overhead(cell)
