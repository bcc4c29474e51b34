"""The grid is what the paper's section IV says."""

import pytest

from sparing_lab.study.caeva.grid import PAPER, SCALES, SMALL, OverlayShape, PublisherPlaces


def test_the_paper_scale_has_the_numbers_of_the_paper():
    assert PAPER.cycles == tuple(range(11))
    assert PAPER.publishers == (3, 7, 31, 255)
    assert {(point.who.value, point.redundancy) for point in PAPER.figure_4} == {
        (who, share) for who in "HML" for share in (0.85, 0.5, 0.2)
    }
    assert {point.cycle for point in PAPER.figure_4 + PAPER.table_i + PAPER.table_ii} == {10}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_every_sample_of_every_point_is_a_cell(scale):
    found = [(cell.point, cell.sample) for cell in scale.cells()]
    assert len(set(found)) == len(found) == scale.samples * len(scale.points)
    assert [c.work for c in scale.cells()] == sorted((c.work for c in scale.cells()), reverse=True)
    assert all(point.publishers <= point.brokers for point in scale.points)


def test_only_changing_publishers_have_several_phases():
    for point in PAPER.table_ii:
        assert bool(point.phase) == (point.who is PublisherPlaces.CHANGING)
        assert 3 * point.phase <= SMALL.events
    assert {point.shape for point in PAPER.table_ii} == set(OverlayShape)
    assert PAPER.table_ii[0] in PAPER.table_i  # measured once


def test_the_small_scale_is_a_part_of_the_papers():
    assert set(SMALL.points) <= set(PAPER.points)
    assert SMALL.samples < PAPER.samples
