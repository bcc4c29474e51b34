"""The page stands alone, and has every table and figure."""

from sparing.study.exhibits import NOT_MEASURED
from sparing.study.mefa.figures import TREES, figures
from sparing.study.mefa.grid import METHODS, PRINTED
from sparing.study.mefa.page import page
from sparing.study.mefa.results import Results
from tests.study.mefa.rows import TINY, results


def test_it_has_tables_and_drawings_and_leads_nowhere():
    text = page(results())
    assert text.count("<svg") == 8
    assert text.count("<table>") == 8 + 8
    assert "http" not in text
    assert "<script" not in text
    assert "2, 9*1; 1, 9*2; 1, 2*2" in text
    assert NOT_MEASURED not in text


def test_without_measurements_it_says_so():
    text = page(Results(TINY, []))
    assert NOT_MEASURED in text
    assert "<svg" not in text


def test_figures_have_their_panels_and_points():
    found = figures(results())
    assert [len(figure.panels) for figure in found] == [3] * 8
    by_nodes, by_size, half, _, shares, _, trees, ratios = (figure.panels[0] for figure in found)
    assert list(by_nodes.lines) == [*METHODS, PRINTED]
    assert by_nodes.lines[PRINTED] == ((46.0, 64.0), (96.0, 64.0))
    assert [at for at, _ in by_size.lines[PRINTED]] == [20, 35]
    assert list(half.lines) == list(shares.lines) == list(ratios.lines) == list(METHODS)
    assert list(trees.lines) == list(TREES)
    assert trees.lines[TREES[1]] == ((46, 30.0), (96, 30.0))
