"""docs/reproduction.md is what the studies write: its claims are theirs, its counts add up, and it cannot be edited."""

import re
from itertools import pairwise

from sparing_lab.commands.study import NAMES
from sparing_lab.study.exhibits import CLAIMS, claims_table
from sparing_lab.study.markdown import markdown, table
from sparing_lab.study.report import summary, tally_sentence
from sparing_lab.study.verdicts import Verdict
from tests.docs.pages import only, text_of
from tests.lab.study.studies import module

PAGE = "docs/reproduction.md"
HINT = "write the page anew with the command that stands in it"


def scale_of(name):
    """At which scale the page says that a study was measured."""
    return re.search(r"^Scale (\w+):", section(name), re.MULTILINE)[1]


def section(name):
    return text_of(PAGE).split(f"\n## {name}\n")[1].split("\n## ")[0]


def rows_of(name):
    """The claims of a paper as they stand on the page."""
    return cells_of(section(name))


def cells_of(text):
    """The cells of the only table of a text."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |")) for line in lines]


def unmeasured():
    """What the studies would write if nothing had been measured."""
    return {name: module(name, "study").STUDY.report(scale_of(name), []) for name in NAMES}


def test_it_has_the_claims_of_the_studies():
    for name, shown in unmeasured().items():
        expected = [line[:3] for line in claims_table(shown.claims)[1]]
        written = [[re.sub(r"\\(.)", r"\1", cell) for cell in row[:3]] for row in rows_of(name)[2:]]
        assert written == expected, HINT
        assert rows_of(name)[0] == list(CLAIMS)


def test_its_counts_are_those_of_its_claims():
    counts = {name: [row[4] for row in rows_of(name)[2:]] for name in NAMES}
    names, _, *rows = cells_of(text_of(PAGE).split("\n## ")[0])
    assert names == ["paper", "claims", *Verdict]
    lines = {row[0]: row[1:] for row in rows}
    assert list(lines) == [*NAMES, "all"]
    for name, found in counts.items():
        assert set(found) <= set(Verdict)
        tally = [found.count(verdict) for verdict in Verdict]
        assert lines[name] == [str(len(found)), *map(str, tally)]
        told = ", ".join(f"{count} {verdict}" for count, verdict in zip(tally, Verdict, strict=True))
        assert f"Of {len(found)} claims: {told}." in section(name)
    assert lines["all"] == [str(sum(int(lines[name][at]) for name in NAMES)) for at in range(len(Verdict) + 1)]


def test_what_is_measured_has_numbers_and_all_have_reasons():
    for name in NAMES:
        for *_, ours, verdict, why in rows_of(name)[2:]:
            assert bool(ours) == (verdict != Verdict.NOT_MEASURED)
            assert why.endswith(".")


def test_all_else_is_as_the_studies_write_it():
    """But for what was measured: the summary, counts and tables of claims."""
    found = unmeasured()
    expected = markdown(found, only(PAGE, "sh").strip())
    for shown in found.values():
        expected = expected.replace(table(claims_table(shown.claims), len(CLAIMS)), "").replace(
            tally_sentence(shown), ""
        )
    expected = expected.replace(table(summary(found)), "")
    written = re.sub(r"^(\|.*|Of \d+ claims: .*)$", "", text_of(PAGE), flags=re.MULTILINE)
    assert written.split() == expected.split(), HINT


def test_the_command_names_the_scales():
    command = only(PAGE, "sh").split()
    at_papers = {name for word, name in pairwise(command) if word == "--paper"}
    assert {name for name in NAMES if scale_of(name) == "paper"} == at_papers
    assert command[-2:] == ["--markdown", PAGE]
