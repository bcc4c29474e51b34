"""Markings of samples with every method. One process, no Spark."""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.broadcast import publish_everywhere, subscribe_everywhere
from sparing.control.matchmaker.demand import ROOT, Demand
from sparing.control.matchmaker.entangled import FREE, entangled
from sparing.control.matchmaker.per_source import mark_per_source
from sparing.control.matchmaker.shared_tree import mark_shared_tree
from sparing_lab.algorithms.mark_as_printed import mark_as_printed, upstream
from sparing_lab.study.grid import Batch
from sparing_lab.study.matchmaker.grid import SHARED, TREES, MatchmakerPoint
from sparing_lab.study.matchmaker.row import MatchmakerRow
from sparing_lab.study.matchmaker.sample import demand_of, draw


def measure(batch: Batch[MatchmakerPoint]) -> list[MatchmakerRow]:
    """Return a row for each sample and kind of trees."""
    rows = []
    for number in batch.numbers:
        sample = draw(batch.point, number)
        rows += [row_of(demand_of(sample, trees), batch.point, trees, number) for trees in TREES]
    return rows


def row_of(demand: Demand, point: MatchmakerPoint, trees: str, number: int) -> MatchmakerRow:
    """Return the measurements of a sample. An invalid best marking stops the study."""
    best = mark_shared_tree(demand) if trees == SHARED else mark_per_source(demand)
    if not demand.valid(best):
        raise AssertionError(f"not a valid marking: {trees}, sample {number} of {point}")
    printed = mark_as_printed(demand)
    return MatchmakerRow(
        point=point,
        trees=trees,
        sample=number,
        links=int((demand.sigma > 0).sum()),
        pub_e=_cost(demand, publish_everywhere(demand)),
        sub_e=_cost(demand, subscribe_everywhere(demand)),
        mcm=_cost(demand, best),
        unmonotone=len(unmonotone(demand)),
        entangled=int((entangled(demand.eta, *demand.requires) != FREE).sum()),
        valid=int(demand.valid(printed)),
        printed=_cost(demand, printed),
        s_repaired=_cost(demand, s_repaired(demand, printed)),
        p_repaired=_cost(demand, p_repaired(demand, printed)),
        parted=parted(demand, printed),
    )


def _cost(demand: Demand, marking: np.ndarray) -> int:
    return int(demand.cost(marking))


def unmonotone(demand: Demand) -> np.ndarray:
    """Return the links that violate the paper's Property 3, monotonicity.

    Links of a tree violate it if the upper one has more advertisements or fewer subscriptions than the lower one.
    """
    above, below = upstream(demand)
    broken = (demand.sigma[above] > demand.sigma[below]) | (demand.tau[above] < demand.tau[below])
    return np.union1d(above[broken], below[broken])


def s_repaired(demand: Demand, marking: np.ndarray) -> np.ndarray:
    """Return the marking repaired by turning all links below s-links into s-links."""
    above, below = demand.requires
    return _spread(marking, above, below)


def p_repaired(demand: Demand, marking: np.ndarray) -> np.ndarray:
    """Return the marking repaired by turning all links above p-links into p-links."""
    above, below = demand.requires
    return ~_spread(~marking, below, above)


def _spread(marked: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the marked links and all links reachable from them along pairs (one, other)."""
    found = marked.copy()
    while (more := found[one] & ~found[other]).any():
        found[other[more]] = True
    return found


def parted(demand: Demand, marking: np.ndarray) -> int:
    """Return the number of publisher-subscriber pairs with an s-link before a p-link on their path: they never meet."""
    if demand.valid(marking):
        return 0
    found = 0
    for tree in demand.trees:
        s_link = marking[tree.links].tolist()
        stopped, lost = [False] * len(s_link), [False] * len(s_link)  # by an s-link before, and a p-link after that
        for place, above in enumerate(tree.parent.tolist()):
            if above != ROOT:
                stopped[place] = stopped[above] or s_link[above]
                lost[place] = lost[above] or (stopped[place] and not s_link[place])
        wanted = demand.subscribed[demand.target[tree.links]] > 0
        found += int((np.array(lost, dtype=bool) & wanted).sum())
    return found
