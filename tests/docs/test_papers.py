"""Every technique of docs/papers.md is where the page says, and every link policy has a row."""

import re
from importlib import import_module

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
    files = {name: row["file"] for row in table(PAGE, *COLUMNS) for name in re.findall(r"`(.+?)`", row["technique"])}
    assert files.keys() == POLICIES.keys()
    for name, file in files.items():
        module = import_module(file.strip("`").removesuffix(".py").replace("/", "."))
        assert POLICIES[name] in vars(module).values(), file


def test_papers_are_named():
    known = {row["short name"] for row in table(PAGE, "short name", "paper")} | {"not from a paper"}
    for row in [*table(PAGE, *COLUMNS), *table(PAGE, "technique", "paper, section")]:
        assert row["paper, section"].split(",")[0] in known, row
