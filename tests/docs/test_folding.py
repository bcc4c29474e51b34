"""What the page about folding says is so."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from sparing.control.fold_summary import FoldingSummary
from sparing.control.folding.kernels.greedy import MOST_PIECES as MOST_BOXES
from sparing.control.folding.measures import union
from sparing.control.folding.mefa import FEW, MANY
from sparing.control.folding.policy import SHARE, Folding
from sparing.control.folding.problem import Problem
from sparing.control.folding.ranges import MOST_PIECES
from sparing.control.plan import Plan
from sparing.control.routing.billing import changes_of, control_bill, start_of
from sparing.control.routing.churn import DRIFT, LEAST
from sparing.control.routing.folded import foldable, ground_of
from sparing.control.summary import summary_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.deployment.schema import PolicyEntry
from sparing.model.bill import total
from sparing_lab.algorithms.literal_mefa import Account, rounds
from tests.docs import walks
from tests.docs.pages import blocks, table, text_of

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
    keys = [row["key"].strip("`") for row in table(PAGE, "key", "meaning")]
    assert keys == list(shown)


def test_every_method_is_told_about() -> None:
    methods = [row["`folding`"].strip("`") for row in table(PAGE, "`folding`", "what is joined next")]
    assert methods == [method.value for method in Folding if method is not Folding.NONE]


def test_who_is_folded() -> None:
    columns = ("subscription", "with `adock`", "with `subscriber-edge`")
    *rows, last = table(PAGE, *columns)
    assert len(rows) == 5
    ranked = [yaml.safe_load(EXAMPLE)["publishers"][0] | {"top_k": 1, "rank": "area"}]
    for row in rows:
        asked = {"subscriptions": [{"id": "q", "subscriber": "ann", "sql": row["subscription"].strip("`")}]}
        for column in columns[1:]:
            decision = column.removeprefix("with ").strip("`")
            may = foldable(plan(more=asked, decision=decision)).all()
            assert row[column] == ("folded" if may else "alone"), row
            assert last[column] == "alone"
            assert not foldable(plan(more=asked | {"publishers": ranked}, decision=decision)).any()


def test_the_rounds() -> None:
    problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    found = [
        {
            "round": str(number),
            "pair": f"s{pair.one + 1}, s{pair.two + 1}",
            "benefit": str(pair.benefit),
            "added risk": f"{pair.cost:.0f}",
        }
        for number, one in enumerate(rounds(problem, 3, account=Account.PAIRS), 1)
        for pair in one.candidates
    ]
    assert found == table(PAGE, "round", "pair", "benefit", "added risk")


def test_what_each_method_makes_of_the_example() -> None:
    rows = table(PAGE, "`folding`", "`theta`", "told as one", "entries saved", "risk")
    assert len(rows) == 4
    for row in rows:
        found = folding(plan(folding=row["`folding`"].strip("`"), theta=int(row["`theta`"])))
        (cluster,) = found.clusters
        assert row["told as one"] == ", ".join(cluster.subscriptions)
        assert (row["entries saved"], row["risk"]) == (str(found.saved), f"{found.cost:.0f}")
    assert "`theta: auto` asks for 2 here" in text_of(PAGE)
    assert folding(plan(theta="auto")).target == 2
    assert SHARE == 0.5
    assert "`delta: 0.3` nothing is folded" in text_of(PAGE)
    assert folding(plan(delta=0.3)).clusters == ()
    assert folding(plan(delta=0.24)).clusters != ()


MEASURED = table(PAGE, "advertised", "subscriptions", "they count")


@pytest.mark.parametrize("row", MEASURED, ids=lambda row: row["subscriptions"])
def test_how_ranges_are_measured(row: dict[str, str]) -> None:
    conditions = [condition.strip(" `") for condition in row["subscriptions"].split(";")]
    what = yaml.safe_load(EXAMPLE)
    where = {} if row["advertised"] == "everything" else {"where": row["advertised"].strip("`")}
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
    problem = ground_of(plan(more=more), "readings").problem
    counted = [union(problem, [number]) for number in range(len(conditions))]
    assert ", ".join(f"{amount:g}" for amount in counted) == row["they count"]


def test_limits_that_are_named() -> None:
    assert f"more than {MOST_PIECES} pieces" in text_of(PAGE)
    assert f"below {DRIFT:.0%} of what theta asks for" in text_of(PAGE)
    assert f"counts as {LEAST:.0%} of the space" in text_of(PAGE)
    assert f"cut into more than {MOST_BOXES:,} boxes" in text_of(PAGE)


def test_how_many_are_few_and_many() -> None:
    rows = table(PAGE, "subscriptions", "pairs that are tried", "afterwards")
    few, more, many = (row["subscriptions"] for row in rows)
    assert few.startswith(f"up to {FEW:,},")
    assert more.startswith("more, ")
    assert many == f"more than {MANY:,}"


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
    left, decided, over = (second(row["time"]) for row in table(PAGE, "time", "what happens"))
    found = plan()
    assert found.changed is not None
    assert [(ghost.since, ghost.until) for ghost in found.changed.ghosts] == [(left, over)] * 2
    at_once = plan(hop="0 seconds")
    assert at_once.changed is not None
    assert [ghost.until for ghost in at_once.changed.ghosts] == [decided] * 2


def test_the_bill() -> None:
    columns = ("kind of message", "`folding: none`", "`folding: mefa`")
    rows = table(PAGE, *columns)
    assert [row[columns[0]].strip("`") for row in rows][-1] == "notification"
    for method, column in (("none", columns[1]), ("mefa", columns[2])):
        found = plan(folding=method, theta=3 if method == "mefa" else None)
        bill = total([control_bill(found), walks.walked(found, readings(), "adock").bill]).by_kind()
        shown = {row[columns[0]].strip("`"): int(row[column]) for row in rows}
        assert {kind: count for kind, count in shown.items() if count} == bill


def test_a_rate_that_is_declared_too_low() -> None:
    """The figures of decision 0022."""
    assert walks.walked(plan(rate=0.1), readings(), "adock").bill.by_kind()["false_positive"] == 12
    changed = plan(rate=0.1, hop="0 seconds").changed
    assert changed is not None
    assert {(ghost.until - ghost.since) // 1_000_000 for ghost in changed.ghosts} == {33}


def test_who_comes_into_a_false_range() -> None:
    condition = "x >= 0 AND x < 3"
    assert f"`{condition}` from 08:00:12 on" in text_of(PAGE)
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
    assert len(changes_of(start_of(found)).ghosts) == 2
    assert changes_of(start_of(found)).bill.total() == 0
    assert "false_positive" not in walks.walked(found, readings(), "adock").bill.by_kind()


def test_reconfigurations_are_coordination() -> None:
    bill = changes_of(start_of(plan())).bill
    assert bill.by_kind() == {"coordination": 2}
    assert {key.bucket for key in bill} == {second("08:00:00")}


# Trees


def test_what_trees_make_of_it() -> None:
    columns = ("`trees`", "`gamma`", "edge hangs at", "sam hangs at", "entries before folding", "entries saved", "risk")
    rows = table(PAGE, *columns)
    assert len(rows) == 3
    for row in rows:
        gamma = None if row["`gamma`"] == "none" else float(row["`gamma`"])
        found = plan(HANG, trees=row["`trees`"].strip("`"), gamma=gamma)
        routes, summary = found.routes, summary_of(found)
        (way,) = (at for at in ("left", "right") if routes.distance("edge", at) == 1)
        number = next(n for n, s in enumerate(found.subscriptions) if s.subscriber == "sam")
        at = routes.brokers[found.broker_of[number]]
        folds = folding(found)
        told = summary.subscribed.with_covering
        facts = way, at, str(told), str(folds.saved), f"{folds.cost:.0f}"
        assert facts == tuple(row[column] for column in columns[2:])
