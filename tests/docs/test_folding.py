"""The examples and figures of docs/folding.md."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from sparing.control.folding.fold import SHARE
from sparing.control.folding.measures import union
from sparing.control.folding.problem import Problem
from sparing.control.plan import Plan
from sparing.control.routing.billing import changes_of, control_bill, start_of
from sparing.control.routing.folded import foldable, ranges_of
from sparing.control.summary.fold_summary import FoldingSummary
from sparing.control.summary.plan_summary import summary_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.schema import PolicyEntry
from sparing.model.bill import total
from sparing.model.policy import Folding
from sparing_lab.algorithms.literal_mefa import Account, rounds
from tests.docs import walks
from tests.docs.pages import Table, blocks, names, same_words, table, tables

PAGE = "docs/folding.md"
POLICY, EXAMPLE, HANG = (block.text for block in blocks(PAGE, "yaml"))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def plan(what: str = EXAMPLE, more: dict[str, Any] | None = None, **policy: Any) -> Plan:
    """The plan of an example with some of its policy changed; None leaves a key out."""
    found = yaml.safe_load(what)
    chosen = {key: value for key, value in (found["policy"] | policy).items() if value is not None}
    return plan_of(Deployment.of(found | {"policy": chosen} | (more or {})))


def folding(found: Plan) -> FoldingSummary:
    (only_topic,) = summary_of(found).foldings
    return only_topic


def test_covering_would_leave_one_out() -> None:
    assert summary_of(plan(covering="ancestor")).subscribed.with_covering == 4


def test_the_policy_that_is_shown_is_the_default_but_for_the_method() -> None:
    shown = yaml.safe_load(POLICY)["policy"]
    assert PolicyEntry(**shown) == PolicyEntry(folding="mefa")
    assert PolicyEntry().folding == "none"
    assert table(PAGE, 2, keys=shown).keys == list(shown)


def test_every_method_is_told_about() -> None:
    methods = [method.value for method in Folding if method is not Folding.NONE]
    assert table(PAGE, 2, keys=methods).keys == methods


def test_who_is_folded() -> None:
    decisions = ["adock", "subscriber-edge"]
    *rows, last = table(PAGE, 3, code=decisions).rows
    assert len(rows) == 5
    told = []
    ranked = [yaml.safe_load(EXAMPLE)["publishers"][0] | {"top_k": 1, "rank": "area"}]
    for row in rows:
        asked = {"subscriptions": [{"id": "q", "subscriber": "ann", "sql": names(row[0])[0]}]}
        for column, decision in enumerate(decisions, 1):
            told.append((bool(foldable(plan(more=asked, decision=decision)).all()), row[column]))
            may = foldable(plan(more=asked | {"publishers": ranked}, decision=decision)).any()
            told.append((bool(may), last[column]))
    assert {may for may, _ in told} == {True, False}
    assert same_words(told), told


def test_the_rounds() -> None:
    problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    found = [
        [str(number), f"s{pair.one + 1}, s{pair.two + 1}", str(pair.benefit), f"{pair.cost:.0f}"]
        for number, one in enumerate(rounds(problem, 3, account=Account.PAIRS), 1)
        for pair in one.candidates
    ]
    assert found in [one.rows for one in tables(PAGE)]


def test_what_each_method_makes_of_the_example() -> None:
    rows = table(PAGE, 5, code=["folding", "theta"]).rows
    assert len(rows) == 4
    for method, theta, *told in rows:
        found = folding(plan(folding=names(method)[0], theta=int(theta)))
        (cluster,) = found.clusters
        assert told == [", ".join(cluster.subscriptions), str(found.saved), f"{found.cost:.0f}"]
    assert folding(plan(theta="auto")).target == 2
    assert SHARE == 0.5
    assert folding(plan(delta=0.3)).clusters == ()
    assert folding(plan(delta=0.24)).clusters != ()


def _measures(found: Table) -> bool:
    return all(names(row[1]) and re.fullmatch(r"[\d.]+(, [\d.]+)*", row[2]) for row in found.rows)


@pytest.mark.parametrize("row", table(PAGE, 3, where=_measures).rows, ids=lambda row: row[1])
def test_how_ranges_are_measured(row: list[str]) -> None:
    advertised, subscribed, measured = row
    conditions = names(subscribed)
    what = yaml.safe_load(EXAMPLE)
    where = {"where": names(advertised)[0]} if names(advertised) else {}
    more = {
        "topics": {
            "readings": {"time": "ts", "fields": {"x": "double", "n": "int", "room": "string", "ts": "timestamp"}}
        },
        "publishers": [what["publishers"][0] | where],
        "subscriptions": [
            {"id": f"s{n}", "subscriber": "ann", "sql": f"SELECT * FROM readings WHERE {condition}"}
            for n, condition in enumerate(conditions)
        ],
    }
    problem = ranges_of(plan(more=more), "readings").problem
    counted = [union(problem, [number]) for number in range(len(conditions))]
    assert ", ".join(f"{amount:g}" for amount in counted) == measured


# Somebody leaves


def second(text: str) -> int:
    """Microseconds of a time of day on the page."""
    moment = datetime.fromisoformat(f"2026-01-01T{text}+00:00")
    return (moment - EPOCH) // timedelta(microseconds=1)


def readings() -> str:
    """What the sensor publishes."""
    rows = [{"publisher": "sensor", "x": n % 10 + 0.5, "ts": f"2026-01-01T08:00:{n:02}Z"} for n in range(30)]
    return "\n".join(json.dumps(row) for row in rows)


def test_how_long_something_is_false() -> None:
    times = table(PAGE, 2, where=lambda found: all(re.match(r"\d\d:\d\d:\d\d", row[0]) for row in found.rows)).keys
    left, decided, over = map(second, times)
    found = plan()
    assert found.changed is not None
    assert [(stale_member.since, stale_member.until) for stale_member in found.changed.stale_members] == [
        (left, over)
    ] * 2
    at_once = plan(hop="0 seconds")
    assert at_once.changed is not None
    assert [stale_member.until for stale_member in at_once.changed.stale_members] == [decided] * 2


def test_the_bill() -> None:
    rows = table(PAGE, 3, code=["folding: none", "folding: mefa"]).rows
    for method, column in (("none", 1), ("mefa", 2)):
        found = plan(folding=method, theta=3 if method == "mefa" else None)
        bill = total([control_bill(found), walks.walked(found, readings(), "adock").bill]).by_kind()
        shown = {names(row[0])[0]: int(row[column]) for row in rows}
        assert {kind: count for kind, count in shown.items() if count} == bill


def test_a_rate_that_is_declared_too_low() -> None:
    """The figures of decision 0022."""
    assert walks.walked(plan(rate=0.1), readings(), "adock").bill.by_kind()["false_positive"] == 12
    changed = plan(rate=0.1, hop="0 seconds").changed
    assert changed is not None
    assert {(stale_member.until - stale_member.since) // 1_000_000 for stale_member in changed.stale_members} == {33}


def test_who_comes_into_a_false_range() -> None:
    condition = "x >= 0 AND x < 3"
    newcomer = {
        "id": "s4",
        "subscriber": "bob",
        "sql": f"SELECT * FROM readings WHERE {condition}",
        "from": "2026-01-01T08:00:12Z",
    }
    found = plan(more={"subscriptions": [*yaml.safe_load(EXAMPLE)["subscriptions"], newcomer]})
    assert changes_of(start_of(found)).bill.total() == 0
    bill = walks.walked(found, readings(), "adock").bill.by_kind()
    assert bill["false_positive"] == 4  # at 08:00:10 and 08:00:11, on two links


def test_a_ghost_whose_range_others_want_stays_for_free() -> None:
    wanted = {"id": "s0", "subscriber": "bob", "sql": "SELECT * FROM readings WHERE x BETWEEN 0 AND 3.5"}
    found = plan(more={"subscriptions": [wanted, *yaml.safe_load(EXAMPLE)["subscriptions"]]}, theta=10)
    assert len(changes_of(start_of(found)).stale_members) == 2
    assert changes_of(start_of(found)).bill.total() == 0
    assert "false_positive" not in walks.walked(found, readings(), "adock").bill.by_kind()


def test_reconfigurations_are_coordination() -> None:
    bill = changes_of(start_of(plan())).bill
    assert bill.by_kind() == {"coordination": 2}
    assert {key.bucket for key in bill} == {second("08:00:00")}


# Trees


def test_what_trees_make_of_it() -> None:
    rows = table(PAGE, 7, code=["trees", "gamma"]).rows
    assert len(rows) == 3
    for trees, gamma, *shown in rows:
        found = plan(HANG, trees=names(trees)[0], gamma=float(gamma) if gamma[0].isdigit() else None)
        routes, summary = found.routes, summary_of(found)
        (way,) = (at for at in ("left", "right") if routes.distance("edge", at) == 1)
        number = next(n for n, s in enumerate(found.subscriptions) if s.subscriber == "sam")
        at = routes.brokers[found.broker_of[number]]
        folds = folding(found)
        told = summary.subscribed.with_covering
        assert shown == [way, at, str(told), str(folds.saved), f"{folds.cost:.0f}"]
