"""What is measured of a sample: markings, repairs, pairs that never meet, links that are not monotone."""

import pytest
from hypothesis import given

from sparing.control.matchmaker.demand import ROOT
from sparing_lab.algorithms.mark_as_printed import mark_as_printed
from sparing_lab.study.grid import Batch
from sparing_lab.study.matchmaker.grid import BY_CHANCE, PER_SOURCE, SHARED, TREES, MatchmakerPoint
from sparing_lab.study.matchmaker.measure import measure, p_repaired, parted, row_of, s_repaired, unmonotone
from tests.control.matchmaker.test_marking import demand_of, demands, ring_of_four


def slowly_parted(demand, marking):
    """Walk from every subscriber up to every publisher."""
    found = 0
    for tree in demand.trees:
        for place, link in enumerate(tree.links.tolist()):
            if demand.subscribed[demand.target[link]]:
                way = []
                above = place
                while above != ROOT:
                    way.append(bool(marking[tree.links[above]]))
                    above = int(tree.parent[above])
                found += way != sorted(way, reverse=True)
    return found


@given(demands(shared=False))
def test_repairs_are_valid_and_cost_at_least_the_minimum(demand):
    printed = mark_as_printed(demand)
    row = row_of(demand, MatchmakerPoint(3, 3), PER_SOURCE, 0)
    below, above = s_repaired(demand, printed), p_repaired(demand, printed)
    assert demand.valid(below)
    assert demand.valid(above)
    assert (below >= printed).all()
    assert (above <= printed).all()
    assert row.printed <= row.mcm <= min(row.s_repaired, row.p_repaired, row.pub_e, row.sub_e)
    if row.valid:
        assert row.printed == row.mcm == row.s_repaired == row.p_repaired


@given(demands(shared=False))
def test_pairs_that_never_meet_are_those_with_an_s_link_before_a_p_link(demand):
    for marking in (mark_as_printed(demand), demand.eta >= 0):
        assert parted(demand, marking) == slowly_parted(demand, marking)


def test_the_printed_marking_separates_a_pair_in_a_ring_of_four():
    demand = ring_of_four()
    row = row_of(demand, MatchmakerPoint(3, 4), PER_SOURCE, 0)
    assert (row.valid, row.parted > 0) == (0, True)
    assert row.entangled > 0


def test_figure_5_is_not_monotone():
    """AB has more advertisements than each of the two links that follow, and those after them."""
    p1, p2, s, a, b, c, d = range(7)
    demand = demand_of([[[p1, a, b, c, s]], [[p2, a, b, d, s]]], [2, 2], {s: 3})
    number = {(int(x), int(y)): n for n, (x, y) in enumerate(zip(demand.source, demand.target, strict=True))}
    expected = {number[pair] for pair in ((a, b), (b, c), (c, s), (b, d), (d, s))}
    assert set(unmonotone(demand).tolist()) == expected


@given(demands(shared=True))
def test_shared_trees_are_monotone(demand):
    row = row_of(demand, MatchmakerPoint(3, 3), SHARED, 0)
    assert (row.unmonotone, row.entangled, row.valid, row.printed) == (0, 0, 1, row.mcm)


def test_a_cell_has_a_row_for_each_sample_and_kind_of_trees():
    rows = measure(Batch(MatchmakerPoint(5, 10), 3, 2))
    assert [(row.sample, row.trees) for row in rows] == [(n, trees) for n in (3, 4) for trees in TREES]
    assert rows == measure(Batch(MatchmakerPoint(5, 10), 3, 1)) + measure(Batch(MatchmakerPoint(5, 10), 4, 1))
    assert all(row.mcm < min(row.pub_e, row.sub_e) for row in rows)


@pytest.mark.parametrize("trees", TREES)
def test_costs_are_close_to_the_paper(trees):
    """Few samples: wide bounds, but a wrong tree or cost would be far outside."""
    rows = [row for row in measure(Batch(MatchmakerPoint(10, 10), 0, 60)) if row.trees == trees]

    def middle(values):
        return sorted(values)[30]

    assert 150 < middle(row.mcm for row in rows) < 300
    assert 600 < middle(row.pub_e for row in rows) < 1100
    assert 600 < middle(row.sub_e for row in rows) < 1100
    assert any(row.unmonotone for row in rows) == (trees != SHARED)
    if trees == BY_CHANCE:
        assert sum(row.unmonotone > 0 for row in rows) > 40
