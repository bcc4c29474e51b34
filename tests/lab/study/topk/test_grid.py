"""The grid is what the paper's section V.A says."""

import pytest

from sparing_lab.study.topk.grid import FEW, MANY, PAPER, SCALES, SMALL, FairnessCell, ForwardingCell, OverheadCell
from sparing_lab.study.topk.printed import SIZES


def test_the_paper_scale_spans_the_ranges_of_the_paper():
    assert (min(PAPER.subscriptions), max(PAPER.subscriptions)) == (10_000, 50_000)
    assert PAPER.low_k == tuple(range(1, 11))
    assert (min(PAPER.selectivities), max(PAPER.selectivities)) == (0.1, 10)
    assert {(0.1, 0.6), (0.5, 0.6), (0.3, 0.4), (0.3, 0.6)} <= set(PAPER.widths)
    assert PAPER.fair == (250, 500)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_every_point_that_the_paper_prints_is_measured(scale):
    assert {FEW, MANY} <= set(scale.subscriptions)
    assert {1, 10} <= set(scale.low_k)
    assert {0.1, 1, 5, 10} <= set(scale.selectivities)
    assert set(SIZES) <= set(scale.widths)
    assert {cell.k for cell in scale.fairness(250)} == {1, 2, 3, 4, 5}


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_cells_are_distinct_and_large_ones_come_first(scale):
    cells = scale.cells()
    assert len(set(cells)) == len(cells)
    assert {type(cell) for cell in cells} == {ForwardingCell, FairnessCell, OverheadCell}
    assert [cell.work for cell in cells] == sorted((cell.work for cell in cells), reverse=True)


def test_the_small_scale_is_a_part_of_the_papers():
    assert set(SMALL.low_k) <= set(PAPER.low_k)
    assert set(SMALL.widths) <= set(PAPER.widths)
    assert set(SMALL.selectivities) <= set(PAPER.selectivities)
    assert set(SMALL.grown) <= set(PAPER.grown)
    assert SMALL.sets(FEW) == 5
    assert SMALL.sets(MANY) == 1
