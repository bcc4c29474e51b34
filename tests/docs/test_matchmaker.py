"""The figures of docs/matchmaker.md."""

from __future__ import annotations

import yaml

from sparing.control.plan import Plan
from sparing.control.summary.plan_summary import summary_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.model.policy import Matchmaker
from tests.docs.pages import ROOT, names, table

PAGE = "docs/matchmaker.md"
RING = ROOT / "docs" / "examples" / "ring.yaml"


def ring(**policy: str) -> Plan:
    return plan_of(Deployment.of(yaml.safe_load(RING.read_text()) | {"policy": policy}))


def test_what_each_policy_sends() -> None:
    kinds = ["advertisement", "subscription", "channel", "coordination"]
    rows = table(PAGE, 7, code=["tree", "matchmaker", *kinds]).rows
    assert len(rows) == 6
    for tree, matchmaker, *shown in rows:
        found = summary_of(ring(tree=names(tree)[0], matchmaker=names(matchmaker)[0]))
        told = found.advertised, found.subscribed.with_covering, found.channels.with_covering, found.coordination
        assert shown == [str(count) for count in (found.markings[0].cost, *told)]


def test_every_value_is_told_about() -> None:
    assert table(PAGE, 2, keys=Matchmaker)
    assert table(PAGE, 2, keys=["shared", "per-source"])
