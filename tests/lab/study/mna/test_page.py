"""Figures have all panels and points."""

import pytest

from sparing.report import plots
from sparing_lab.study.mna.figures import figures
from sparing_lab.study.mna.study import possible_saving
from tests.lab.study.mna.rows import results


def test_the_possible_saving_is_shown():
    (sentence,) = possible_saving(results())
    assert "at most 0.00% in these experiments" in sentence
    assert possible_saving(results(("wad",))) == []


def test_figures_of_few_policies_have_lines():
    assert all(figure.panels for figure in figures(results(("publisher-edge", "subscriber-edge"))))


def test_figures_have_all_panels_and_points():
    six, seven, eight, nine = figures(results())
    assert [len(figure.panels) for figure in (six, seven, eight, nine)] == [12, 8, 16, 6]
    assert six.panels[0].title == "(a) traffic, tumbling"
    assert six.panels[0].lines["wad"] == ((162, 10071), (1080, 10071))
    assert six.panels[4].lines["wad"] == ((162, 1071), (1080, 1071))
    assert "subscriber-edge" not in six.panels[4].lines
    assert ("traffic", "tumbling", "162", "subscriber-edge", "10,000", "1,000", "") in six.rows
    assert seven.panels[0].lines["adock"] == ((162, 4.0), (1080, 4.0))
    assert eight.panels[0].x == "subscriptions"
    assert nine.panels[3].lines["wad"] == ((1.5, pytest.approx(5.0)), (6.0, pytest.approx(5.0)))
    assert "adock" not in nine.panels[3].lines


def test_drawings_are_deterministic():
    panels = figures(results())[0].panels[:1]
    assert plots.svg(panels, "Figure 6") == plots.svg(panels, "Figure 6")
