"""The grid is what the paper's section 4 says."""

import pytest

from sparing.workloads.transit_stub import Rounding
from sparing_lab.study.matchmaker.grid import BATCH, MIDDLE, PAPER, SCALES, SMALL, MatchmakerPoint, _work


def test_the_paper_scale_has_the_numbers_of_the_paper():
    assert PAPER.samples == 1000
    assert (PAPER.counts[0], PAPER.counts[-1]) == (5, 50)
    assert {point.publishers for point in PAPER.by_subscribers} == {10}
    assert {point.subscribers for point in PAPER.by_publishers} == {10}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_every_sample_of_every_point_is_in_one_cell(scale):
    found = [(c.point, number) for c in scale.cells() for number in range(c.first, c.first + c.count)]
    assert len(set(found)) == len(found) == scale.samples * len(scale.points)
    assert {MIDDLE, MatchmakerPoint(10, 10, Rounding.NEAREST)} <= set(scale.points)
    assert all(cell.count <= BATCH for cell in scale.cells())
    assert [_work(c) for c in scale.cells()] == sorted(map(_work, scale.cells()), reverse=True)


def test_the_small_scale_is_a_part_of_the_papers():
    assert set(SMALL.points) <= set(PAPER.points)
    assert SMALL.samples < PAPER.samples
