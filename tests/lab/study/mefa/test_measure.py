"""What is measured of a sample: every method saves what it was asked for, and none beats the least cost."""

import pytest

from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.grid import (
    DO,
    EXACT,
    FACEBOOK_AVERAGE,
    GAMMAS,
    LINKS,
    METHODS,
    PAIRS,
    PRINTED,
    SHARES,
    TARGETS,
    FoldingBatch,
    MefaExperiment,
    MefaPoint,
    ds,
    exact_point,
)
from sparing_lab.study.mefa.measure import measure
from sparing_lab.workloads.ranges import Distribution

SMALL_TREE = (46, 20)


def cell_of(kind, count=2, first=0):
    return FoldingBatch(MefaPoint(kind, *SMALL_TREE, 35, Distribution.UNIFORM), first, count)


def facebook_cell():
    tree = facebook_tree()
    return FoldingBatch(
        MefaPoint(MefaExperiment.FACEBOOK, tree.nodes, 60, FACEBOOK_AVERAGE, Distribution.UNIFORM), 0, 1, tree
    )


@pytest.mark.parametrize("cell", [cell_of(MefaExperiment.AGGREGATION), facebook_cell()], ids=["drawn", "facebook"])
def test_every_method_saves_the_target_if_possible(cell):
    rows = measure(cell)
    for row in rows:
        assert row.cost >= 0
        assert row.benefit <= row.possible < row.told
        if row.method != PRINTED:
            assert row.benefit >= min(row.theta, row.possible), row
    for number in range(cell.count):
        mine = [row for row in rows if row.sample == number]
        assert [(row.target, row.method) for row in mine] == [
            (PAIRS, PRINTED),
            *((target, method) for target in TARGETS for method in METHODS),
        ]
        (printed,) = (row for row in mine if row.method == PRINTED)
        assert {row.theta for row in mine if row.target == PAIRS} == {100, printed.benefit}
        assert {row.theta for row in mine if row.target == LINKS} == {100}


def test_counting_pairs_saves_fewer_links():
    """Pairs overlap, so 100 of them come to fewer links."""
    for row in measure(cell_of(MefaExperiment.AGGREGATION)):
        if row.method == PRINTED:
            assert row.benefit < 100


def test_all_trees_have_the_same_target():
    rows = measure(cell_of(MefaExperiment.TREES))
    trees = (DO, *map(ds, GAMMAS))
    for number in range(2):
        mine = [row for row in rows if row.sample == number and row.method != PRINTED]
        assert [(row.tree, row.target) for row in mine] == [(tree, target) for tree in trees for target in TARGETS]
        for target in TARGETS:
            assert len({row.theta for row in mine if row.target == target}) == 1
        told = [next(row.told for row in mine if row.tree == tree) for tree in trees]
        assert min(told) == told[0], "nobody is nearer than in the DO tree"
        moved = [next(row.moved for row in mine if row.tree == tree) for tree in trees]
        assert moved[0] == 0 < moved[1]


@pytest.mark.parametrize("distribution", Distribution)
def test_no_method_is_below_the_least_cost(distribution):
    rows = measure(FoldingBatch(exact_point(distribution), 0, 3))
    costs = {(row.sample, row.target, row.method): row.cost for row in rows}
    assert len(costs) == 3 * len(SHARES) * (1 + len(METHODS))
    for (sample, target, _), cost in costs.items():
        assert cost >= costs[sample, target, EXACT]


@pytest.mark.parametrize("kind", [MefaExperiment.AGGREGATION, MefaExperiment.TREES])
def test_measurements_are_deterministic(kind):
    assert measure(cell_of(kind)) == measure(cell_of(kind, 1)) + measure(cell_of(kind, 1, first=1))
