"""Every technique of docs/papers.md is where the page says, and every link policy has a row."""

from sparing.flow.links import POLICIES
from tests.docs.pages import ROOT, table

PAGE = "docs/papers.md"
COLUMNS = ("technique", "paper, section", "file", "test", "figure", "departures")


def test_files_and_tests_are_there():
    rows = table(PAGE, *COLUMNS)
    assert rows
    for row in rows:
        for path in (row["file"], row["test"]):
            assert (ROOT / path.strip("`")).is_file(), path


def test_every_link_policy_has_a_row():
    files = {row["file"].strip("`") for row in table(PAGE, *COLUMNS)}
    for policy in POLICIES.values():
        assert type(policy).__module__.replace(".", "/") + ".py" in files


def test_papers_are_named():
    known = {row["short name"] for row in table(PAGE, "short name", "paper")} | {"not from a paper"}
    for row in [*table(PAGE, *COLUMNS), *table(PAGE, "technique", "paper, section")]:
        assert row["paper, section"].split(",")[0] in known, row
