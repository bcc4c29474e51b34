"""Constructed measurements with comparisons that can be computed by hand."""

from sparing_lab.study.topk.fairness import CHI_SQUARE, DELIVERIES, FREEDOM, FROM_EXPECTED, FROM_REGULAR_K, SURPLUS
from sparing_lab.study.topk.figures import HELD, TIMED
from sparing_lab.study.topk.forwarding import DEEPEST, FORWARDED
from sparing_lab.study.topk.grid import (
    AGAIN,
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    EXACT,
    RANK_TREE,
    REGULAR_COVER,
    REGULAR_K,
    WIDTH,
    FairnessCell,
    ForwardingCell,
    TopkScale,
)
from sparing_lab.study.topk.overhead import AT_FIRST, EVERYWHERE, ON_THE_WAY
from sparing_lab.study.topk.results import TopkResults
from sparing_lab.study.topk.row import TopkRow

TINY = TopkScale(
    "tiny",
    drawn=50_000,
    trees=2,
    low_k=(1, 10),
    subscriptions=(10_000, 50_000),
    selectivities=(0.1, 1, 5, 10),
    widths=((0.1, 0.6), (0.3, 0.6), (0.5, 0.6), (0.3, 0.4)),
    fair=(250, 500),
    populations=2,
    publications=100,
    timed=100,
    grown=(250, 500),
)
OFF = {REGULAR_K: 10.0, AGAIN: 10.0, EXACT: 10.0, ANCESTOR_COVER_K: 60.0}  # percent of deliveries; others 20
CHI = {ANCESTOR_COVER_K: 10_000.0, ANCESTOR_FAIR_K: 2_000.0}  # of 249 degrees; others 249
MICROSECONDS = {REGULAR_COVER: 1.0, REGULAR_K: 4.0, ANCESTOR_COVER_K: 2.0, ANCESTOR_FAIR_K: 5.0, EXACT: 3.0}


def results() -> TopkResults:
    return TopkResults(TINY, [row for cell in TINY.cells() for row in rows(cell)])


def rows(cell) -> list[TopkRow]:
    if isinstance(cell, ForwardingCell):
        return list(_forwarded(cell))
    return list(_fair(cell) if isinstance(cell, FairnessCell) else _timed(cell))


def _forwarded(cell):
    share = 100 * cell.width[0]  # of the space, and that is what RegularCover forwards of it
    for method in cell.methods:
        if method == REGULAR_COVER:
            yield TopkRow(cell.subscriptions, *cell.width, 0, method, cell.seed, 0, FORWARDED, share)
            continue
        for k in cell.ks:
            percent = 100 * k / cell.subscriptions
            value = 80.0 + 2 * cell.seed if method == RANK_TREE else share + percent
            yield TopkRow(cell.subscriptions, *cell.width, k, method, cell.seed, 0, FORWARDED, value)
        if method == RANK_TREE:
            yield TopkRow(cell.subscriptions, *cell.width, 0, method, cell.seed, 0, DEEPEST, 18.0 + 2 * cell.seed)


def _fair(cell):
    deliveries = 100.0 * cell.k
    for method in (*HELD, AGAIN):
        off = OFF.get(method, 20.0) * cell.k
        numbers = {FROM_REGULAR_K: 2 * off, FROM_EXPECTED: off, DELIVERIES: deliveries}
        numbers |= {CHI_SQUARE: CHI.get(method, 249.0), FREEDOM: 249.0}
        for what, value in numbers.items():
            yield TopkRow(cell.subscriptions, *WIDTH, cell.k, method, cell.seed, 0, what, value)
        for distance in range(1, 6):
            there = {FROM_EXPECTED: abs(distance - 4) * off / 10, SURPLUS: 0.0, DELIVERIES: deliveries / 5}
            for what, value in there.items():
                yield TopkRow(cell.subscriptions, *WIDTH, cell.k, method, cell.seed, distance, what, value)


def _timed(cell):
    for method in TIMED:
        for what in (ON_THE_WAY, EVERYWHERE, AT_FIRST):
            yield TopkRow(cell.subscriptions, *WIDTH, cell.k, method, cell.seed, 0, what, MICROSECONDS[method])
