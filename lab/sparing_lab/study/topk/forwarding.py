"""Figure 5: the share of subscriptions that are forwarded to the publisher's edge broker.

What is forwarded is worked out broker by broker over the overlay, and must be what filtering all at once gives.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sparing.control.plan import Plan
from sparing.control.routing.tables import table_of
from sparing.model.errors import SparingError
from sparing.model.policy import Covering
from sparing_lab.study.topk.grid import ANCESTOR_COVER_K, CORE, RANK_COVER_K, RANK_TREE, REGULAR_COVER, ForwardingCell
from sparing_lab.study.topk.rank_tree import rank_tree
from sparing_lab.study.topk.row import TopkRow
from sparing_lab.study.topk.world import RangeSubscriptions, plan, ranges

FORWARDED = "forwarded, %"
DEEPEST = "depth of the tree"
COVERINGS = {RANK_COVER_K: Covering.RANK, ANCESTOR_COVER_K: Covering.ANCESTOR}


def forwarding(cell: ForwardingCell) -> list[TopkRow]:
    """Return the rows of a cell."""
    made = ranges(cell.subscriptions, cell.width, cell.seed)
    found: list[TopkRow] = []
    for method in cell.methods:
        for k, what, value in _tree(made, cell) if method == RANK_TREE else _over_hops(made, cell, method):
            found.append(TopkRow(cell.subscriptions, *cell.width, k, method, cell.seed, 0, what, value))
    return found


def _tree(made: RangeSubscriptions, cell: ForwardingCell) -> Iterator[tuple[int, str, float]]:
    depths = rank_tree(made, cell.seed)
    for k in cell.ks:
        yield k, FORWARDED, 100 * float((depths <= k).mean())
    yield 0, DEEPEST, float(depths.max())


def _over_hops(made: RangeSubscriptions, cell: ForwardingCell, method: str) -> Iterator[tuple[int, str, float]]:
    if method == REGULAR_COVER:
        yield 0, FORWARDED, 100 * forwarded(plan(made, CORE, [None]), 0) / len(made)
        return
    planned = plan(made, CORE, cell.ks, COVERINGS[method])
    for number, k in enumerate(cell.ks):
        yield k, FORWARDED, 100 * forwarded(planned, number) / len(made)


def forwarded(planned: Plan, advertisement: int) -> int:
    """Return the number of subscriptions that reach the publisher's broker."""
    matching_set = planned.matching_sets[advertisement]
    table = table_of(matching_set, planned.broker_of, planned.routes, weighted=False)
    reached = table.known[-1].numbers
    at_once = matching_set.numbers[matching_set.forwarded(np.arange(len(matching_set.numbers)))]
    if not np.array_equal(reached, at_once):
        raise SparingError("Filtering hop by hop and all at once differ, which is a mistake in Sparing.")
    return len(reached)
