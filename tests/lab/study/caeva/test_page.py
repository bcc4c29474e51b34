"""Figures have all panels and points."""

from sparing_lab.study.caeva.figures import figures
from tests.lab.study.caeva.rows import results


def test_figures_have_all_panels_and_points():
    cycles, locality, distances, ahead = figures(results())
    assert [len(figure.panels) for figure in (cycles, locality, distances, ahead)] == [3, 3, 8, 4]
    assert cycles.panels[0].lines["CAEVA"] == ((0, 74.75), (10, 74.75))
    assert cycles.panels[1].lines["Agele"] == ((0, 0), (10, 5))
    assert cycles.panels[2].lines["CAEVA"] == ((0, 74.75), (5, 74.75))
    assert [along for along, _ in locality.panels[0].lines["Agele"]] == [20, 50, 85]
    assert distances.panels[0].lines["fixed"] == ((1, 1100), (2, 1000), (3, 1200))
    assert distances.panels[0].lines["adaptive"] == ((1, 1010), (3, 1010))
    assert [along for along, _ in ahead.panels[1].lines["with coordination"]] == [1, 2, 3]
