"""What is measured of a sample, on worlds so small that some of it is known."""

from dataclasses import replace

import pytest

from sparing.model.policy import EventMerging, Policy
from sparing_lab.study.caeva.grid import (
    ADAPTIVE,
    AGELE,
    FIXED,
    LITERAL,
    PINNED,
    REPLAY,
    CaevaExperiment,
    CaevaPoint,
    CaevaSample,
    OverlayShape,
    PublisherPlaces,
)
from sparing_lab.study.caeva.measure import measure, row_of
from sparing_lab.study.caeva.world import draw

POINT = CaevaPoint(CaevaExperiment.FIGURE_3, brokers=15, publishers=5, cycle=5)
TREE = CaevaPoint(CaevaExperiment.TABLE_I, OverlayShape.BINARY, brokers=31, publishers=7, reports=40.0)


@pytest.mark.parametrize("cycle", [0, 1, 5, 10])
def test_suppressed_messages_and_delays_are_within_bounds(cycle):
    rows = {row.method: row for row in measure(CaevaSample(replace(POINT, cycle=cycle), 10, 0))}
    assert set(rows) == {AGELE, ADAPTIVE}
    for row in rows.values():
        assert row.siena == 14 * row.made  # every report to all other brokers
        assert 0 < row.data < row.siena
        assert 0 <= row.delay <= cycle
        assert (row.delay == 0) == (cycle == 0)
    assert rows[AGELE].down == rows[ADAPTIVE].down
    assert rows[AGELE].delay == rows[ADAPTIVE].delay


def test_siena_counts_the_messages_without_merging():
    cell = CaevaSample(POINT, 10, 1)
    world = draw(POINT, 10, 1)
    row = row_of(world, cell, "Siena", Policy(events=EventMerging.SIENA))
    assert row.data == row.siena == 14 * row.made
    assert (row.down, row.coordination) == (0, 0)


def test_agele_sends_every_report_to_the_center():
    world = draw(POINT, 10, 2)
    row = row_of(world, CaevaSample(POINT, 10, 2), AGELE, Policy(events=EventMerging.AGELE))
    (tree,) = world.trees(Policy(events=EventMerging.AGELE))
    assert row.up == sum(tree.hops(report.at, tree.center) for event in world.events for report in event.reports)


def test_distances_change_upward_messages_only():
    rows = {row.method: row for row in measure(CaevaSample(TREE, 12, 0))}
    assert set(rows) == {AGELE, *(f"{FIXED}{hops}" for hops in (1, 2, 3)), ADAPTIVE, REPLAY, LITERAL, PINNED}
    assert len({(row.siena, row.down, row.made, row.redundant, row.delay) for row in rows.values()}) == 1
    fixed = [row for method, row in rows.items() if method.startswith(FIXED)]
    assert [row.hops for row in fixed] == [1, 2, 3]
    assert all(row.moves == 0 for row in fixed)
    least, most = min(row.up for row in fixed), max(row.up for row in fixed)
    assert least < most < rows[AGELE].up
    for method in (ADAPTIVE, REPLAY):
        assert rows[method].up <= most
        assert 1 <= rows[method].hops <= 3


def test_measurements_are_deterministic():
    cell = CaevaSample(replace(TREE, kind=CaevaExperiment.TABLE_II, who=PublisherPlaces.CHANGING, phase=3), 9, 1)
    assert measure(cell) == measure(cell)


@pytest.mark.parametrize("sample", range(2))
def test_adaptive_placement_is_near_the_best_distance_or_better_if_publishers_change(sample):
    """Few events on small trees: the study's own numbers are tighter."""
    steady = CaevaPoint(
        CaevaExperiment.TABLE_I, OverlayShape.BINARY, brokers=63, publishers=15, reports=60.0, subscribing=0.1
    )
    changing = replace(steady, kind=CaevaExperiment.TABLE_II, who=PublisherPlaces.CHANGING, phase=15)
    for point, bound in ((steady, 1.05), (changing, 1.0)):
        cell, world = CaevaSample(point, 45, sample), draw(point, 45, sample)
        fixed = [row_of(world, cell, f"{FIXED}{hops}", Policy(placement=hops)).data for hops in range(1, 5)]
        assert row_of(world, cell, ADAPTIVE, Policy()).data <= bound * min(fixed)
