"""The page stands alone, and has every table and figure."""

import importlib.util
from html.parser import HTMLParser

import pytest

from sparing.model.errors import SparingError
from sparing.report import plots
from sparing.study.exhibits import NOT_MEASURED
from sparing.study.mna.figures import figures
from sparing.study.mna.page import page, to_gain
from tests.study.mna.rows import results


class Seen(HTMLParser):
    """Counts tags, and gathers whatever leads to another place."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.leads, self.open = {}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.leads += [value for name, value in attrs if name in ("href", "src") and not value.startswith("#")]


def test_it_has_tables_and_drawings_and_leads_nowhere():
    text = page(results())
    seen = Seen(text)
    assert seen.tags["svg"] == 4
    assert seen.tags["table"] == 3 + 4
    assert seen.leads == []
    assert "http" not in text
    assert not {"script", "link", "img", "iframe"} & seen.tags.keys()


def test_the_printed_numbers_stand_beside_ours():
    text = page(results())
    assert "28.67%" in text
    assert "almost 1,200 s" in text
    assert NOT_MEASURED not in text


def test_it_says_how_much_there_is_to_gain():
    (sentence,) = to_gain(results())
    assert "at most 0.00% in these experiments" in sentence
    assert to_gain(results(("wad",))) == []


def test_with_few_policies_it_says_what_was_not_measured():
    text = page(results(("publisher-edge", "subscriber-edge")))
    assert NOT_MEASURED in text
    assert Seen(text).tags["svg"] == 4


def test_figures_have_their_panels_and_points():
    six, seven, eight, nine = figures(results())
    assert [len(figure.panels) for figure in (six, seven, eight, nine)] == [8, 8, 12, 4]
    assert six.panels[0].title == "(a) traffic, tumbling"
    assert six.panels[0].lines["wad"] == ((162, 1071), (1080, 1071))
    assert seven.panels[0].lines["adock"] == ((162, 4.0), (1080, 4.0))
    assert eight.panels[0].along == "subscriptions"
    assert nine.panels[2].lines["wad"] == ((1.5, pytest.approx(5.0)), (6.0, pytest.approx(5.0)))
    assert "adock" not in nine.panels[2].lines


def test_a_drawing_is_the_same_every_time():
    panels = figures(results())[0].panels
    assert plots.svg(panels, "Figure 6") == plots.svg(panels, "Figure 6")


def test_without_matplotlib_there_is_one_sentence(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(SparingError, match=r"install it with pip install 'sparing\[bench\]'"):
        plots.need_matplotlib()
