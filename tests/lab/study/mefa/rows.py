"""Constructed measurements with comparisons that can be computed by hand."""

from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.grid import (
    AA,
    DO,
    DRAWN,
    EXACT,
    GAMMAS,
    LINKS,
    MEFA,
    METHODS,
    PAIRS,
    PRINTED,
    SHARES,
    SPA,
    TARGETS,
    MefaExperiment,
    MefaScale,
    ds,
)
from sparing_lab.study.mefa.results import MefaResults
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.workloads.ranges import Distribution

TINY = MefaScale("tiny", samples=4, small_samples=4, trees=((46, 20), (96, 40)), averages=(20, 35))
COSTS = {MEFA: 60, SPA: 80, AA: 120, PRINTED: 64, EXACT: 50}
DS_COSTS = dict(zip((DO, *map(ds, GAMMAS)), (60, 30, 45, 60), strict=True))


def results() -> MefaResults:
    cells = TINY.cells(facebook_tree())
    return MefaResults(TINY, [row for cell in cells for number in range(4) for row in rows_of(cell.point, number)])


def rows_of(point, number):
    if point.kind is MefaExperiment.TREES:
        return [
            row_of(point, number, tree, target, MEFA, cost) for tree, cost in DS_COSTS.items() for target in TARGETS
        ]
    if point.kind is MefaExperiment.EXACT:
        asked = [(target, method) for target in SHARES for method in (EXACT, *METHODS)]
    else:
        asked = [(PAIRS, PRINTED), *((target, method) for target in TARGETS for method in METHODS)]
    return [row_of(point, number, DRAWN, target, method, _cost(point, number, method)) for target, method in asked]


def _cost(point, number, method):
    """Sample 0 of the small trees costs nothing if it is the best; MEFA is dearest in sample 3; AA is dearer skewed."""
    cost = COSTS[method]
    if point.kind is MefaExperiment.EXACT and number == 0:
        return 0 if method in (EXACT, MEFA) else cost
    if method == MEFA and number == 3:
        return 160
    return 2 * cost if method == AA and point.distribution is Distribution.EXPONENTIAL_SIZES else cost


def row_of(point, number, tree, target, method, cost):
    return MefaRow(
        point=point,
        sample=number,
        tree=tree,
        target=target,
        method=method,
        theta=100 if target in (LINKS, PAIRS) else 20,
        told=160,
        possible=99 + number,
        benefit=50,
        cost=float(cost),
        moved=0 if tree in (DRAWN, DO) else 8,
    )
