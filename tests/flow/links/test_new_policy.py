"""A link policy takes a file and a line: with these two, the file, the walk, explanations and replays know it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import sparing

ROOT, PACKAGE = Path(__file__).parents[3], Path(sparing.__file__).parent
LAST = '    SUBSCRIBER_EDGE = "subscriber-edge", True\n'
LINE = '    EVERY_OTHER = "every-other"\n'
TECHNIQUE = '''
"""Every other window is aggregated, by its number."""

from __future__ import annotations

import numpy as np

from sparing.flow.links.policy import LinkPolicy
from sparing.model.policy import DecisionRule


class EveryOther(LinkPolicy):
    name = DecisionRule.EVERY_OTHER

    def table(self, arrays, links, subscriptions):
        return np.repeat((subscriptions % 2 == 0)[None, :], len(links), axis=0)

    def why(self, context):
        return f"window {context.nwr} of {context.name_of(context.nwr)} has its turn"


POLICY = EveryOther()
'''


@pytest.fixture
def paths(tmp_path: Path) -> str:
    """Where Python finds the package with the new policy: links to all files, except the one with the line."""
    package = tmp_path / "sparing"
    _link("", package, {"model", "flow"})
    _link("model", package, {"policy.py", "__pycache__"})  # what is compiled of the changed file must not replace ours
    _link("flow", package, {"links"})
    _link("flow/links", package, {"__pycache__"})
    before = (PACKAGE / "model" / "policy.py").read_text()
    assert before.count(LAST) == 1
    (package / "model" / "policy.py").write_text(before.replace(LAST, LAST + LINE))
    (package / "flow" / "links" / "every_other.py").write_text(TECHNIQUE)
    return os.pathsep.join([str(tmp_path), str(ROOT)])


def _link(folder: str, package: Path, changed: set[str]) -> None:
    (package / folder).mkdir()
    for entry in (PACKAGE / folder).iterdir():
        if entry.name not in changed:
            (package / folder / entry.name).symlink_to(entry)


def run(paths: str, *arguments: str) -> str:
    """What Python says."""
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=paths.split(os.pathsep, maxsplit=1)[0],  # Python and Spark's workers look for the package here first
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


EVERYWHERE = """
import json
from sparing.control.routing.folded import foldable
from sparing.deployment.deployment import Deployment
from sparing.deployment.reference import reference
from sparing.deployment.schema import schema
from sparing.flow.links import POLICIES
from sparing.flow.walk import Walk
from sparing.model.box import Box
from tests.flow.links.test_families import STEP, nwrs, published
from tests.flow.strategies import batches
from tests.flow.windows.test_explain import explained
from tests.deployment.examples import toronto

asked = Deployment.of(toronto() | {"policy": {"decision": "every-other"}})
plan = nwrs([Box(), Box()]).with_policy(decision="every-other")
rows = published([2, 1])
delivered = Walk(plan).feed(batches(plan, rows))
print(json.dumps({
    "file": asked.policy.decision,
    "schema": schema()["$defs"]["PolicyEntry"]["properties"]["decision"]["enum"][-1],
    "reference": "`every-other`" in reference(),
    "results": sorted(n.payload for n in delivered.notifications),
    "same": sorted(n.payload for n in Walk(plan.with_policy(decision="adock")).feed(batches(plan, rows)).notifications),
    "bill": delivered.bill.between_brokers(),
    "why": [d.why for d in explained(plan, POLICIES["every-other"], rows, "N01", STEP).decisions],
}))
"""


def test_file_schema_walk_and_explanation_know_a_policy_by_one_line(paths):
    found = json.loads(run(paths, "-c", EVERYWHERE))
    assert (found["file"], found["schema"], found["reference"]) == ("every-other", "every-other", True)
    assert found["results"] == found["same"] != []
    assert found["bill"] > 0
    assert found["why"] == ["window 0 of N01 has its turn"]


@pytest.mark.spark
def test_a_replay_knows_it_too(paths, tmp_path):
    rows = [{"publisher": "p", "ts": f"2026-01-01T00:00:0{n}Z", "x": n} for n in range(5)]
    (tmp_path / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    deployment = {
        "name": "toy",
        "overlay": {"brokers": ["a", "b"], "links": [["a", "b"]]},
        "topics": {"t": {"time": "ts", "fields": {"ts": "timestamp", "x": "int"}}},
        "publishers": [{"id": "p", "at": "a", "topic": "t"}],
        "subscribers": [{"id": "u", "at": "b"}],
        "subscriptions": [
            {"id": f"s{n}", "subscriber": "u", "sql": "SELECT sum(x) AS x FROM t GROUP BY window(ts, '10 seconds')"}
            for n in range(2)
        ],
        "source": {"format": "json", "path": str(tmp_path / "rows.json")},
    }
    (tmp_path / "toy.yaml").write_text(yaml.safe_dump(deployment))
    command = "from sparing.cli import main; main()"
    bills = str(tmp_path / "bills.json")
    run(paths, "-c", command, "replay", str(tmp_path / "toy.yaml"), "--decision", "every-other,adock", "--json", bills)
    found = json.loads(Path(bills).read_text())
    assert list(found) == ["every-other", "adock"]
