"""What the page about the matchmaker says is so."""

from __future__ import annotations

import yaml

from sparing.control.plan import Plan
from sparing.control.summary import summary_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.schema import PolicyEntry
from sparing.model.policy import Matchmaker
from tests.docs.pages import ROOT, table

PAGE = "docs/matchmaker.md"
RING = ROOT / "docs" / "examples" / "ring.yaml"


def ring(**policy: str) -> Plan:
    return plan_of(Deployment.of(yaml.safe_load(RING.read_text()) | {"policy": policy}))


def test_what_each_policy_sends() -> None:
    columns = ("`tree`", "`matchmaker`", "descriptors, before covering")
    kinds = ("`advertisement`", "`subscription`", "`channel`", "`coordination`")
    rows = table(PAGE, *columns, *kinds)
    assert len(rows) == 6
    for row in rows:
        found = summary_of(ring(tree=row["`tree`"].strip("`"), matchmaker=row["`matchmaker`"].strip("`")))
        told = found.advertised, found.subscribed.with_covering, found.channels.with_covering, found.coordination
        assert [row[kind] for kind in kinds] == [str(count) for count in told]
        assert row[columns[2]] == str(found.markings[0].cost)


def test_every_value_is_told_about() -> None:
    names = [
        row["`matchmaker`"].strip("`") for row in table(PAGE, "`matchmaker`", "advertisements and subscriptions meet")
    ]
    assert names == [matchmaker.value for matchmaker in Matchmaker]
    trees = [row["`tree`"].strip("`") for row in table(PAGE, "`tree`", "the way of a publication")]
    assert trees == ["shared", "per-source"]
    defaults = PolicyEntry()
    assert (defaults.matchmaker, defaults.tree) == (names[0], trees[0])
