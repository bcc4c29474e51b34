"""The grid is what the slides say."""

import pytest

from sparing_lab.study.mefa.facebook import facebook_tree
from sparing_lab.study.mefa.grid import BATCH, PAPER, SCALES, SMALL, MefaExperiment, usual
from sparing_lab.workloads.ranges import Distribution


def test_the_paper_scale_has_the_numbers_of_the_slides():
    assert PAPER.trees[0] == (46, 20)
    assert PAPER.trees[-1] == (96, 40)
    assert (PAPER.averages[0], PAPER.averages[-1]) == (20, 50)


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
def test_every_sample_of_every_point_is_in_one_cell(scale):
    tree = facebook_tree()
    cells = scale.cells(tree)
    found = [(cell.point, number) for cell in cells for number in range(cell.first, cell.first + cell.count)]
    assert len(set(found)) == len(found)
    for kind in MefaExperiment:
        points = {point for point, _ in found if point.kind is kind}
        samples = scale.small_samples if kind is MefaExperiment.EXACT else scale.samples
        assert len([one for one in found if one[0].kind is kind]) == samples * len(points) > 0
    assert set(scale.points) == {point for point, _ in found if point.kind is not MefaExperiment.FACEBOOK}
    assert all((cell.tree == tree) == (cell.point.kind is MefaExperiment.FACEBOOK) for cell in cells)
    assert all(cell.count <= BATCH for cell in cells)


def test_the_small_scale_is_a_part_of_the_papers():
    assert set(SMALL.points) <= set(PAPER.points)
    assert SMALL.samples < PAPER.samples
    assert SMALL.small_samples < PAPER.small_samples


@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("distribution", Distribution)
def test_all_sweeps_contain_the_default_point(scale, distribution):
    both = {*scale.by_nodes(MefaExperiment.AGGREGATION, distribution)} & {*scale.by_average(distribution)}
    assert both == {usual(MefaExperiment.AGGREGATION, distribution)}
    assert usual(MefaExperiment.TREES, distribution) in scale.points
