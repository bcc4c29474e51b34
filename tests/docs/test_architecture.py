"""The picture and the table of the packages say what the import contract and the code say."""

import re
import tomllib

import grimp
import pytest

from tests.docs.pages import ROOT, blocks, names, table, text_of

PAGE = "docs/architecture.md"
LAYERS = [
    [name.strip() for name in layer.split("|")]
    for layer in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
]


def packages(line):
    """The packages that a line of the picture names."""
    named = re.match(r" (\w+(?: · \w+)*)", line)
    return named[1].split(" · ") if named else None


@pytest.fixture(scope="module")
def imports():
    """Package -> the packages that its modules import."""
    graph = grimp.build_graph("sparing")
    found = {name.split(".")[1]: set() for name in graph.find_children("sparing")}
    for module in graph.modules - {"sparing"}:
        package = module.split(".")[1]
        used = {name.split(".")[1] for name in graph.find_modules_directly_imported_by(module) if "." in name}
        found[package] |= used - {package}
    return found


def test_the_picture_has_the_layers_of_the_contract():
    picture = blocks(PAGE, "text")[0].text
    drawn = [named for line in picture.splitlines() if (named := packages(line))]
    assert drawn == LAYERS


def test_the_table_has_every_package_with_what_it_imports(imports):
    rows = table(PAGE, 3, keys=imports).rows
    assert {names(package)[0]: set(names(imported)) for package, _, imported in rows} == imports


def test_named_modules_are_there():
    for path in re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", text_of(PAGE)):
        if path.split("/")[0] in {name for layer in LAYERS for name in layer}:
            assert (ROOT / "sparing" / path).exists(), path
