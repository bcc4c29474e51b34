"""What docs/deployment.md says besides the table of keys, which has a test of its own, is so."""

import pytest

from sparing.deployment.deployment import Deployment
from sparing.deployment.mistakes import DeploymentError
from tests.docs.pages import blocks, only

PAGE = "docs/deployment.md"


def test_the_mistakes_that_are_shown(tmp_path, monkeypatch):
    (city,) = (block.text for block in blocks(PAGE, "yaml") if block.file == "city.yaml")
    edits = {"[c1, e1]": "[c1, e11]", "speed < 20": "sped < 20"}
    for right, wrong in edits.items():
        assert city.count(right) == 1
        city = city.replace(right, wrong)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "city.yaml").write_text(city)
    with pytest.raises(DeploymentError) as caught:
        Deployment.read("city.yaml")
    assert str(caught.value).splitlines() == only(PAGE, "text").splitlines()
