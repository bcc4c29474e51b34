"""Figures have all panels and points."""

import pytest

from sparing_lab.study.topk.figures import figures
from sparing_lab.study.topk.grid import AGAIN, ANCESTOR_COVER_K, EXACT, RANK_TREE, REGULAR_COVER
from tests.lab.study.topk.rows import results


def test_figures_have_all_panels_and_points():
    low, share, width, fair, by_k, grown = figures(results())
    assert [len(figure.panels) for figure in (low, share, width, fair, by_k, grown)] == [2, 2, 2, 8, 4, 4]
    assert low.panels[0].lines[REGULAR_COVER] == ((1, 30.0), (10, 30.0))
    assert low.panels[1].lines[RANK_TREE] == ((1, 81.0), (10, 81.0))
    assert share.panels[0].lines["50,000"] == ((0.1, 30.1), (1, 31.0), (5, 35.0), (10, 40.0))
    assert share.panels[1].lines["50,000"][-1] == (10, 0.0)
    assert width.panels[0].lines["k = 5%"] == ((10.0, 15.0), (30.0, 35.0), (50.0, 55.0))
    assert width.panels[1].lines[REGULAR_COVER] == ((40.0, 30.0), (60.0, 30.0))
    assert fair.panels[0].lines[ANCESTOR_COVER_K][0] == (1, 120.0)
    assert fair.panels[2].lines[ANCESTOR_COVER_K][3] == (4, pytest.approx(0.0))
    assert list(fair.panels[0].lines) == [AGAIN, ANCESTOR_COVER_K, "AncestorFairK", EXACT]
    assert by_k.panels[1].lines[EXACT][0] == (2, 3.0)
    assert [at for at, _ in grown.panels[0].lines[REGULAR_COVER]] == [250, 500]
