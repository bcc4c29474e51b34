"""`sparing plan`: what it prints for a few brokers and for many, the JSON, and times."""

from __future__ import annotations

import json
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner

from sparing.cli import build
from sparing.model.errors import SparingError
from tests.docs.pages import ROOT
from tests.messages import missing, says

OFFERS = ROOT / "docs" / "examples" / "offers.yaml"


def planned(*arguments: object, columns: int = 120) -> str:
    result = CliRunner().invoke(build(), ["plan", *map(str, arguments)], env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.stdout


def figures(text: str) -> dict[str, list[str]]:
    """The rows of tables: first cell -> numbers."""
    rows = (line.split() for line in text.splitlines())
    return {row[0]: row[1:] for row in rows if len(row) > 2 and all(cell.strip("%").isdigit() for cell in row[1:])}


@pytest.mark.parametrize("columns", [80, 120])
def test_a_small_plan_is_printed_completely(columns):
    text = planned(OFFERS, columns=columns)
    assert says(text.splitlines()[0], "offers 4 2 11 shared")
    rows = figures(text)
    assert rows["hub"] == ["0", "8", "8", "11", "6", "11"]
    assert rows["north"] == ["6", "0", "6", "6", "4", "6"]
    assert rows["subscription"] == ["0", "0"]
    assert rows["channel"] == ["14", "22"]
    assert rows["coordination"] == ["12", "12"]
    assert rows["advertisement"] == ["6", "6"]
    assert rows["hub>mall"] == ["0", "0", "6", "2"]
    for line in (
        "shop mall offers (price >= 1 AND price < 1001)",
        "3 (subscription.budget - price)",
        "7 5 mall 11 14",
        "club mall tickets",
        "8 36.4%",
    ):
        assert says(text, line), line


def test_json_has_the_complete_plan(tmp_path):
    out = tmp_path / "plan.json"
    planned(OFFERS, "--json", out)
    found = json.loads(out.read_text())
    assert (found["deployment"], found["covering"], found["at"]) == ("offers", "ancestor", None)
    assert found["messages"] == {
        "advertisement": 6,
        "subscription": {"with_covering": 0, "without_covering": 0},
        "channel": {"with_covering": 14, "without_covering": 22},
        "coordination": 12,
        "saved_percent": 36.4,
    }
    assert [broker["broker"] for broker in found["brokers"]] == ["hub", "mall", "north", "south"]
    assert found["brokers"][0]["holds"] == {"with_covering": 8, "without_covering": 11}
    assert [(offer["publishers"], offer["technique"]) for offer in found["advertisements"]] == [
        (["shop"], "AncestorCoverK"),
        (["club"], "RegularCover"),
    ]
    assert len(found["links"]) == 6
    assert found["changes"] == {"subscriptions": 0, "messages": 0}
    assert (found["matchmaker"], found["tree"]) == ("min-cost", "shared")
    offers = found["markings"][0]
    assert (offers["cost"], offers["publish_everywhere"], offers["subscribe_everywhere"]) == (3, 3, 14)
    assert offers["links"][0] == {
        "source": "mall", "target": "hub", "mark": "p", "sigma": 1, "tau": 7, "eta": -6, "weight": 1,
    }  # fmt: skip


RING = ROOT / "docs" / "examples" / "ring.yaml"


def test_markings_are_shown_and_drawn(tmp_path):
    out = tmp_path / "ring.svg"
    text = planned(RING, "--plot", out)
    assert says(text, "ring 6 4 9 min-cost")
    assert says(text, "23 25 45")
    assert says(text, "east west northwest southeast northeast")
    rows = {
        row[0]: row[1:]
        for line in text.splitlines()
        if (row := line.split()) and row[-2:-1] in (["p-link"], ["s-link"])
    }
    assert rows["northwest>northeast"] == ["3", "6", "-9", "p-link", "3"]
    assert rows["southwest>southeast"] == ["2", "1", "+1", "s-link", "1"]
    picture = ElementTree.fromstring(out.read_text())
    titles = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}title")]
    assert len(rows) == 11
    assert len(set(titles) - {"How links are marked: alarms"}) == 11
    assert says("\n".join(titles), "northwest>northeast p-link sigma 3 tau 6 eta -9")


def test_an_overlay_without_publishers_can_be_drawn(tmp_path):
    what = yaml.safe_load(RING.read_text()) | {"publishers": []}
    (tmp_path / "ring.yaml").write_text(yaml.safe_dump(what))
    planned(tmp_path / "ring.yaml", "--plot", tmp_path / "ring.svg")
    picture = ElementTree.fromstring((tmp_path / "ring.svg").read_text())
    texts = {element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert texts >= {"west", "southeast"}
    assert int(picture.attrib["height"]) > 100


def test_names_in_a_picture_are_escaped(tmp_path):
    (tmp_path / "ring.yaml").write_text(RING.read_text().replace("northwest", "<n&w>"))
    planned(tmp_path / "ring.yaml", "--plot", tmp_path / "ring.svg")
    picture = ElementTree.fromstring((tmp_path / "ring.svg").read_text())
    assert [one.text for one in picture.iter("{http://www.w3.org/2000/svg}text")].count("<n&w>") == 1


def test_an_unwritable_picture_is_rejected(tmp_path):
    out = tmp_path / "no" / "ring.svg"
    result = CliRunner().invoke(build(), ["plan", str(RING), "--plot", str(out)])
    assert result.exit_code != 0
    assert isinstance(result.exception, SparingError)
    assert missing(str(result.exception), f"{out} {out.parent}") == []
    assert result.stdout == ""  # nothing has been worked out


@pytest.fixture
def changing(tmp_path):
    """The example with subscriptions that come and go."""
    what = yaml.safe_load(OFFERS.read_text())
    for subscription in what["subscriptions"]:
        if subscription["id"] in ("a1", "f2"):
            subscription["from"] = "2026-01-01T10:00:00Z"
    (tmp_path / "offers.yaml").write_text(yaml.safe_dump(what))
    return tmp_path / "offers.yaml"


def test_changes_counts_the_messages_of_joins_and_leaves(changing, monkeypatch):
    text = planned(changing)
    assert "11 subscriptions, 9 of them in force before the first change; shared" in text
    assert says(text, "2 subscriptions later 9 messages")
    monkeypatch.setattr("sparing.control.summary.plan_summary.MOST_WORK", 0)
    uncounted = planned(changing)
    assert says(uncounted, "2 subscriptions later --changes")
    assert not says(uncounted, "2 subscriptions later 9 messages")
    assert says(planned(changing, "--changes"), "2 subscriptions later 9 messages")


def test_the_plan_at_a_time_has_the_subscriptions_in_force(changing, tmp_path):
    now = planned(changing, "--at", "2026-01-01T10:00:00Z")
    assert figures(now) == figures(planned(OFFERS))
    assert "in force" not in now
    before = planned(changing, "--at", "2026-01-01T09:59:59+00:00", "--json", tmp_path / "plan.json")
    assert figures(before) == figures(planned(changing))
    assert "9 of them in force at 2026-01-01T09:59:59Z" in before
    assert json.loads((tmp_path / "plan.json").read_text())["at"] == "2026-01-01T09:59:59Z"


def test_long_lists_are_shortened(tmp_path):
    what = {
        "name": "star",
        "overlay": {"brokers": ["hub", *(f"e{n}" for n in range(20))], "links": [["hub", f"e{n}"] for n in range(20)]},
        "topics": {"t": {"time": "ts", "fields": {"x": "int", "ts": "timestamp"}}},
        "publishers": [{"id": f"p{n}", "at": f"e{n}", "topic": "t"} for n in range(20)],
        "subscribers": [{"id": f"u{n}", "at": f"e{n}"} for n in range(20)],
        "subscriptions": [
            {"id": f"s{n}", "subscriber": f"u{n}", "sql": f"SELECT * FROM t WHERE x = {n}"} for n in range(20)
        ],
    }
    file, out = tmp_path / "star.yaml", tmp_path / "plan.json"
    file.write_text(yaml.safe_dump(what))
    text = planned(file, "--json", out)
    for line in ("11 brokers --json", "10 advertisements", "30 links"):
        assert says(text, line), line
    found = json.loads(out.read_text())
    assert (len(found["brokers"]), len(found["advertisements"]), len(found["links"])) == (21, 20, 40)


def test_a_plan_without_publishers_has_no_messages(tmp_path):
    what = {
        "name": "quiet",
        "overlay": {"brokers": ["a"]},
        "topics": {"t": {"time": "ts", "fields": {"ts": "timestamp"}}},
    }
    (tmp_path / "quiet.yaml").write_text(yaml.safe_dump(what))
    assert says(planned(tmp_path / "quiet.yaml"), "quiet 1 0")


def test_the_command_does_not_import_spark():
    program = f"""
import sys
from xml.etree import ElementTree
sys.modules["pyspark"] = None  # to import it is an error now
sys.argv = ["sparing", "plan", {str(OFFERS)!r}]
from sparing.cli import main
main()
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "AncestorCoverK" in found.stdout


SLIDES = """
name: slides
overlay: {brokers: [p, b2, b1], links: [[p, b2], [b2, b1]]}
topics:
  t: {time: ts, fields: {x: double, ts: timestamp}}
publishers:
  - {id: pub, at: p, topic: t, where: "x BETWEEN 0 AND 10"}
subscribers:
  - {id: a, at: b1}
  - {id: b, at: b1}
  - {id: c, at: [b2, b1]}
subscriptions:
  - {id: s1, subscriber: a, sql: "SELECT * FROM t WHERE x BETWEEN 0 AND 4", until: 2026-01-01T00:01:00Z}
  - {id: s2, subscriber: b, sql: "SELECT * FROM t WHERE x BETWEEN 3 AND 10"}
  - {id: s3, subscriber: c, sql: "SELECT * FROM t WHERE x BETWEEN 4 AND 9"}
policy: {covering: none, matchmaker: subscribe-everywhere, folding: mefa, theta: 3}
"""


def test_folds_are_printed_with_brokers_and_risk(tmp_path):
    file, out = tmp_path / "slides.yaml", tmp_path / "plan.json"
    file.write_text(SLIDES)
    text = planned(file, "--json", out)
    assert says(text, "mefa 3 risk 8")
    assert says(text, "c b2 distance")
    lines = [line.split() for line in text.splitlines()]
    assert ["s1,", "s2,", "s3", "b2,", "b1", "3", "4", "2", "8"] in lines
    assert ["subscription", "2", "5", "5"] in lines
    assert ["b2>p", "0", "3", "0", "0", "-2"] in lines
    found = json.loads(out.read_text())
    (topic,) = found["folding"]["topics"]
    assert found["folding"] | {"topics": []} == {"method": "mefa", "saved": 3, "topics": []}
    assert (topic["saved"], topic["possible"], topic["cost"], topic["space"]) == (3, 3, 8.0, 10.0)
    (cluster,) = topic["clusters"]
    assert cluster["brokers"] == ["b2", "b1"]
    assert (cluster["subscriptions"], cluster["risk"]) == (["s1", "s2", "s3"], 8.0)
    assert found["changes"] == {"subscriptions": 1, "messages": 2}
    assert [(a["who"], a["broker"], a["by"]) for a in found["attached"]] == [("c", "b2", "distance")]


def test_ds_trees_are_explained(tmp_path):
    file = tmp_path / "slides.yaml"
    file.write_text(SLIDES.replace("theta: 3", "theta: 3, trees: ds, gamma: 1"))
    text = planned(file)
    assert says(text, "c b1 similarity 5 1 b2")
    file.write_text(SLIDES.replace("theta: 3", "theta: 3, trees: ds, gamma: 6"))
    assert says(planned(file), "c b2 distance")


def test_an_unconnected_broker_is_reported(tmp_path):
    file, out = tmp_path / "slides.yaml", tmp_path / "plan.json"
    file.write_text(SLIDES.replace("[p, b2, b1]", "[p, b2, b1, island]").replace("at: [b2, b1]", "at: [b2, island]"))
    assert says(planned(file, "--json", out), "c b2 distance 1 island")
    (attached,) = json.loads(out.read_text())["attached"]
    assert attached["alternatives"] == {"b2": 1.0, "island": None}
