"""One page and one text for all studies: every claim, figure and table, and a summary that adds up."""

import re

import pytest

from sparing_lab.commands.study import NAMES
from sparing_lab.study.exhibits import claims_table, tally
from sparing_lab.study.markdown import markdown, table
from sparing_lab.study.report import page, page_of_all, summary, tally_sentence
from sparing_lab.study.verdicts import RULES, Verdict
from tests.lab.study.studies import report_of


@pytest.fixture
def every(monkeypatch):
    return {name: report_of(monkeypatch, name) for name in NAMES}


def test_the_summary_counts_all_claims(every):
    names, rows = summary(every)
    assert names == ["paper", "claims", *(verdict.value for verdict in Verdict)]
    assert [row[0] for row in rows] == [*NAMES, "all"]
    for row in rows:
        assert int(row[1]) == sum(map(int, row[2:]))
    assert [int(one) for one in rows[-1][1:]] == [sum(int(row[at]) for row in rows[:-1]) for at in range(1, 6)]
    assert rows[0][2:] == [str(count) for count in tally(every["mna"].claims)]


def test_the_page_of_all_studies_is_complete_and_self_contained(every):
    text = page_of_all(every)
    assert text.count("<svg") == 4 + 6 + 5 + 8 + 4
    # A summary, then the claims of each paper, its tables, and the numbers behind each figure.
    assert text.count("<table>") == 1 + 5 + (2 + 1 + 3 + 7 + 5) + 27
    assert text.count("<html") == 1
    assert "http" not in text
    assert "<script" not in text
    assert [f'<h1 id="{name}">' in text for name in NAMES] == [True] * 5
    assert set(re.findall(r'href="([^"]*)"', text)) == {f"#{name}" for name in NAMES}
    assert text.index("not reproduced") < text.index("<svg")


def test_a_page_has_the_claims_and_our_measurements(every):
    text = page(every["caeva"])
    assert "266,722 (0.909)" in text
    assert text.count("<tr>") > len(every["caeva"].claims)
    assert tally_sentence(every["caeva"]) in text


def test_markdown_has_all_claims_by_paper(every):
    text = markdown(every, "sparing study all --scale small")
    assert "```sh\nsparing study all --scale small\n```" in text
    assert table(summary(every)) in text
    for name, found in every.items():
        section = text.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert found.scale in section
        assert table(claims_table(found.claims), 6) in section
    assert all(f"- {rule}" in text for rule in RULES)


def test_pages_without_measurements_say_so(monkeypatch):
    nothing = {name: report_of(monkeypatch, name, []) for name in NAMES}
    assert summary(nothing)[1][-1][2:5] == ["4", "0", "0"]  # the slides' example needs none
    assert "<svg" not in page_of_all(nothing)
    assert "Not measured at this scale." in markdown(nothing, "")
