"""Figures have all panels and points."""

from sparing_lab.study.mefa.figures import TREES, figures
from sparing_lab.study.mefa.grid import METHODS, PRINTED
from tests.lab.study.mefa.rows import results


def test_figures_have_all_panels_and_points():
    found = figures(results())
    assert [len(figure.panels) for figure in found] == [3] * 8
    by_nodes, by_size, half, _, shares, _, trees, ratios = (figure.panels[0] for figure in found)
    assert list(by_nodes.lines) == [*METHODS, PRINTED]
    assert by_nodes.lines[PRINTED] == ((46.0, 64.0), (96.0, 64.0))
    assert [at for at, _ in by_size.lines[PRINTED]] == [20, 35]
    assert list(half.lines) == list(shares.lines) == list(ratios.lines) == list(METHODS)
    assert list(trees.lines) == list(TREES)
    assert trees.lines[TREES[1]] == ((46, 30.0), (96, 30.0))
