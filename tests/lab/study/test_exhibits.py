"""The tables and figures of every study stand alone, and all of them are there."""

from html.parser import HTMLParser

import pytest

from sparing.report.plots import svg
from sparing_lab.study.report import page
from tests.lab.study.studies import report_of

SHOWN = {"mna": (4, 2), "topk": (6, 1), "matchmaker": (5, 3), "mefa": (8, 7), "caeva": (4, 5)}  # figures, tables


class Seen(HTMLParser):
    """Counts tags, and gathers whatever leads to another place."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.leads = {}, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.leads += [value for name, value in attrs if name in ("href", "src") and not value.startswith("#")]


@pytest.mark.parametrize("name", SHOWN)
def test_pages_have_tables_and_drawings_without_external_links(monkeypatch, name):
    report = report_of(monkeypatch, name)
    # One panel of each figure is drawn, since drawing takes longest.
    monkeypatch.setattr("sparing_lab.study.exhibits.svg", lambda panels, named: svg(panels[:1], named))
    text = page(report)
    figures, tables = SHOWN[name]
    seen = Seen(text)
    assert seen.tags["svg"] == figures
    assert seen.tags["table"] == 1 + tables + figures  # claims, tables, and the numbers of each figure
    assert seen.leads == []
    assert "http" not in text
    assert not {"script", "link", "img", "iframe"} & seen.tags.keys()


@pytest.mark.parametrize("name", SHOWN)
def test_exhibits_without_measurements_say_so(monkeypatch, name):
    text = page(report_of(monkeypatch, name, []))
    assert text.count("Not measured.") == SHOWN[name][0]
    assert "<svg" not in text
