"""What holds for every page: links lead somewhere, named files are there, examples say what they are."""

import re

import pytest

from tests.docs.pages import NAMES, ROOT, blocks


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files_and_headings(name):
    page = ROOT / name
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, heading = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}, target


@pytest.mark.parametrize("name", NAMES)
def test_named_files_are_there(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for path in re.findall(r"`((?:sparing|lab|tests|docs)/[\w/.-]+)`", text):
        assert (ROOT / path).exists(), path
    if name == "docs/walk.md":  # names files without the package in front
        for path in re.findall(r"\b((?:control|flow|model|spark)/[\w/]+\.py)", text):
            assert (ROOT / "sparing" / path).exists(), path


def test_every_example_says_what_it_is():
    known = {"sh", "text", "yaml", "json", "python", "sql", "sql where", "sql refused", "sql spark"}
    known |= {"sql score", "sql score refused"}
    for name in NAMES:
        assert {block.info for block in blocks(name)} <= known, name


@pytest.mark.parametrize("name", NAMES)
def test_examples_that_are_in_the_repository_are_the_same_there(name):
    for block in blocks(name):
        if block.file and block.file.startswith("docs/examples/"):
            assert block.text == (ROOT / block.file).read_text(encoding="utf-8"), block.name
