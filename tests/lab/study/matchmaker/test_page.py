"""Figures have all panels and points."""

from sparing_lab.study.matchmaker.figures import SHOWN, figures
from sparing_lab.study.matchmaker.grid import BY_CHANCE, PER_SOURCE
from sparing_lab.study.matchmaker.results import MCM, PUB_E, SUB_E
from tests.lab.study.matchmaker.rows import results


def test_figures_have_all_panels_and_points():
    costs, ratios, shared, own, failures = figures(results())
    assert [len(figure.panels) for figure in (costs, ratios, shared, own, failures)] == [3, 3, 2, 4, 4]
    assert list(costs.panels[0].lines) == [PUB_E, SUB_E, MCM]
    assert [percent for _, percent in costs.panels[0].lines[MCM]] == list(SHOWN)
    assert (150, 50) in costs.panels[0].lines[MCM]
    assert (1 / 3, 50) in ratios.panels[2].lines["MCM / SubE"]
    assert shared.panels[0].lines[PUB_E] == ((5, 425.0), (10, 450.0), (50, 650.0))
    assert [panel.x for panel in own.panels] == ["subscribers", "publishers"] * 2
    assert failures.panels[0].lines[PER_SOURCE] == ((5, 0.0), (10, 0.0), (50, 0.0))
    assert failures.panels[3].lines[BY_CHANCE][0][1] == 100 * 5 / 11
