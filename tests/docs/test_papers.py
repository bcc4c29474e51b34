"""Every technique of docs/papers.md is where the page says, and every link policy has a row."""

from importlib import import_module

from sparing.flow.links import POLICIES
from tests.docs.pages import ROOT, names, table

PAGE = "docs/papers.md"
TECHNIQUES = table(PAGE, 6).rows  # technique; paper, section; file; test; figure; departures


def test_files_and_tests_are_there():
    assert TECHNIQUES
    for _, _, file, test, *_ in TECHNIQUES:
        for path in (file, test):
            assert (ROOT / path.strip("`")).is_file(), path


def test_every_link_policy_has_a_row():
    files = {name: file for technique, _, file, *_ in TECHNIQUES for name in names(technique)}
    assert files.keys() == POLICIES.keys()
    for name, file in files.items():
        module = import_module(file.strip("`").removesuffix(".py").replace("/", "."))
        assert POLICIES[name] in vars(module).values(), file


def test_papers_are_named():
    known = set(table(PAGE, 2, where=lambda found: "matchmaker" in found.keys).keys)
    for row in TECHNIQUES:
        paper, _, section = row[1].partition(", ")
        assert paper in known or not section, row
