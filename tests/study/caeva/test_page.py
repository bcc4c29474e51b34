"""The page stands alone, and has every table and figure."""

from sparing.study.caeva.figures import figures
from sparing.study.caeva.page import page
from sparing.study.caeva.results import Results
from sparing.study.exhibits import NOT_MEASURED
from tests.study.caeva.rows import TINY, results


def test_it_has_tables_and_drawings_and_leads_nowhere():
    text = page(results())
    assert text.count("<svg") == 4
    assert text.count("<table>") == 1 + 5 + 4
    assert "http" not in text
    assert "<script" not in text
    assert "266,722 (0.909)" in text
    assert NOT_MEASURED not in text


def test_without_measurements_it_says_so():
    text = page(Results(TINY, []))
    assert NOT_MEASURED in text
    assert "<svg" not in text


def test_figures_have_their_panels_and_points():
    cycles, locality, distances, ahead = figures(results())
    assert [len(figure.panels) for figure in (cycles, locality, distances, ahead)] == [3, 3, 8, 4]
    assert cycles.panels[0].lines["CAEVA"] == ((0, 74.75), (10, 74.75))
    assert cycles.panels[1].lines["Agele"] == ((0, 0), (10, 5))
    assert cycles.panels[2].lines["CAEVA"] == ((0, 74.75), (5, 74.75))
    assert [along for along, _ in locality.panels[0].lines["Agele"]] == [20, 50, 85]
    assert distances.panels[0].lines["fixed"] == ((1, 1100), (2, 1000), (3, 1200))
    assert distances.panels[0].lines["adaptive"] == ((1, 1010), (3, 1010))
    assert [along for along, _ in ahead.panels[1].lines["with coordination"]] == [1, 2, 3]
