"""What CONTRIBUTING.md says of layers is what import-linter checks."""

import re
import tomllib

from tests.docs.pages import ROOT, text_of


def test_the_layers_are_those_of_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [re.findall(r"\w+", layer) for layer in contracts[0]["layers"]]
    sentence = re.search(r"The packages form layers: (.*?)\.", " ".join(text_of("CONTRIBUTING.md").split()))[1]
    assert [re.findall(r"`(\w+)`", part) for part in re.split(r",", sentence)] == layers
