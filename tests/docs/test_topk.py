"""The examples of docs/topk.md: who is told, who gets what, how fair lots are, and what the commands print."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from sparing.cli import build
from sparing.control.covering.contest import Covering
from sparing.control.plan import Plan
from sparing.control.routing.spread import spread_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.rank.explain import Choice, choice_of, shown
from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind
from tests.control.covering import judge
from tests.docs import walks
from tests.docs.pages import ROOT, blocks, only, table, text_of

PAGE = "docs/topk.md"
OFFERS, TABLE_I, LOTS, DIVERSE = (block.text for block in blocks(PAGE, "yaml"))
EXAMPLES = ROOT / "docs" / "examples"


def printed(heading: str) -> list[str]:
    """The lines of an output on the page that begins with a heading, without those that are only drawn."""
    (text,) = (block.text for block in blocks(PAGE, "text") if block.text.startswith(heading))
    return essential(text)


def essential(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip() and "─" not in line]


def flat() -> str:
    return " ".join(text_of(PAGE).split())


def test_the_example_is_the_one_in_its_folder():
    assert (EXAMPLES / "offers.yaml").read_text() == OFFERS
    assert only(PAGE, "json") == (EXAMPLES / "offers" / "day.json").read_text()


def test_the_plan_that_is_shown():
    assert "sparing plan offers.yaml\n" in text_of(PAGE)
    result = CliRunner().invoke(build(), ["plan", str(EXAMPLES / "offers.yaml")], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    shown_lines = printed("offers: 4 brokers")
    assert shown_lines[:1] + shown_lines[-1:] == [
        "offers: 4 brokers, 2 publishers, 11 subscriptions; shared tree, matchmaker min-cost, covering ancestor.",
        "Covering saves 8 messages about subscriptions, 36.4%.",
    ]
    found = essential(result.stdout)
    headings = [line for line in shown_lines if "told by neighbours" in line]  # may be broken on a narrow terminal
    assert [line for line in shown_lines if line not in found and line not in headings] == []


@pytest.mark.spark
def test_the_explanation_and_the_replay(spark, monkeypatch, tmp_path):
    @contextmanager
    def running(*_):
        yield spark

    shutil.copytree(EXAMPLES, tmp_path / "examples")
    monkeypatch.setattr("sparing.cli.explain.spark_session", running)
    monkeypatch.setattr("sparing.cli.replay.spark_session", running)
    command = "sparing explain offers.yaml --publication bike --subscription d1"
    assert command in text_of(PAGE)
    file = str(tmp_path / "examples" / "offers.yaml")
    result = CliRunner().invoke(build(), command.replace("offers.yaml", file).split()[1:], env={"COLUMNS": "120"})
    assert result.exit_code == 0, result.output
    assert essential(result.stdout) == printed("bike, by shop")

    out = tmp_path / "bill.json"
    result = CliRunner().invoke(build(), ["replay", file, "--json", str(out)])
    assert result.exit_code == 0, result.output
    kinds = json.loads(out.read_text())["adock"]["by_kind"]
    assert (kinds["advertisement"], kinds["channel"], kinds["coordination"]) == (6, 14, 24)
    quarantined = [row["row"] for row in spark.read.parquet(f"{tmp_path}/examples/out/replay/quarantine").collect()]
    assert [json.loads(row)["id"] for row in quarantined] == ["yacht"]


# Table I


def offered(covering: str, top_k: int | None) -> Plan:
    what = yaml.safe_load(TABLE_I) | {"policy": {"covering": covering, "matchmaker": "publish-everywhere"}}
    (publisher,) = what["publishers"]
    assert (publisher["top_k"], publisher["rank"]) == (2, "area")
    if top_k is None:
        del publisher["top_k"], publisher["rank"]
    else:
        publisher["top_k"] = top_k
    return plan_of(Deployment.of(what))


def test_table_i():
    contest = offered("ancestor", 2).contests[0]
    boxes = [s.query.box for s in offered("ancestor", 2).subscriptions]
    scores = contest.scores.tolist()
    covered_by = judge.rank_covers(boxes, judge.by_score(boxes, scores))
    found = [
        {
            "subscription": f"s{n + 1}",
            "area": f"{scores[n]:.0f}",
            "rank": str(1 + sum(other > scores[n] for other in scores)),
            "rank-covered by": ", ".join(f"s{other + 1}" for other in covered_by[n]) or "nobody",
        }
        for n in range(7)
    ]
    assert table(PAGE, "subscription", "area", "rank", "rank-covered by") == found


def test_what_is_told():
    columns = {"no `top_k`": None, "`top_k: 2`": 2, "`top_k: 3`": 3}
    rows = table(PAGE, "`covering`", *columns)
    assert [row["`covering`"].strip("`") for row in rows] == [covering.value for covering in Covering]
    for row in rows:
        for column, top_k in columns.items():
            plan = offered(row["`covering`"].strip("`"), top_k)
            ((_, numbers),) = spread_of(plan, plan.in_force(None)).told.items()
            told = [plan.subscriptions[number].id for number in numbers.tolist()]
            assert row[column] == ("all seven" if len(told) == 7 else ", ".join(told))


def test_every_covering_is_told_about():
    columns = ("`covering`", "what a broker does not tell its neighbour towards a publisher")
    assert [row[columns[0]].strip("`") for row in table(PAGE, *columns)] == [covering.value for covering in Covering]


# Lots and diversity


def same_publications(plan: Plan, count: int, x: int) -> str:
    """Publications that differ by their ids alone, as JSON lines."""
    row = {"publisher": "p", "x": x, "ts": "2026-01-01T00:00:00+00:00"}
    return "\n".join(json.dumps(row | {"id": str(n)}) for n in range(count))


def test_lots():
    rows = table(PAGE, "`fair`", "`x`", "s1", "s2", "s3", "s4", "coordination messages")
    assert len(rows) == 4
    for row in rows:
        what = yaml.safe_load(LOTS)
        what["publishers"][0]["rank"]["fair"] = {"`true`": True}.get(row["`fair`"], "exact")
        plan = plan_of(Deployment.of(what))
        made = walks.published(plan, same_publications(plan, 10_000, int(row["`x`"])))
        delivered = Walk(plan).feed([made])
        got = Counter(plan.subscriptions[number].id for number, _ in delivered.events)
        assert {name: row[name] for name in ("s1", "s2", "s3", "s4")} == {
            name: f"{got[name]:,}" for name in ("s1", "s2", "s3", "s4")
        }
        asked = delivered.bill.only(MessageKind.COORDINATION)
        assert row["coordination messages"] == f"{sum(asked.values()):,}"


def test_what_the_tickets_cost():
    plan = walks.plan_of(OFFERS)
    tickets = walks.published(plan, only(PAGE, "json"), "tickets")
    assert len(tickets) == 2
    asked = Walk(plan).feed([tickets]).bill.only(MessageKind.COORDINATION)
    assert sum(asked.values()) == 12
    assert "the two tickets cost twelve" in flat()


def test_another_seed_draws_other_lots():
    chosen = []
    for seed in (0, 0, 1):
        plan = plan_of(Deployment.of(yaml.safe_load(LOTS) | {"policy": {"seed": seed}}))
        made = walks.published(plan, same_publications(plan, 50, 5))
        chosen.append(sorted(Walk(plan).feed([made]).events))
    assert chosen[0] == chosen[1] != chosen[2]


def choice(plan: Plan, lines: str, topic: str, at: int = 0) -> Choice:
    made = walks.published(plan, lines, topic).take(np.array([at]))
    ((matching, chosen),) = AtOnce(Interests.of(plan)).chosen(made)
    return choice_of(plan, made, matching, chosen.pairs)


def test_diversity():
    plan = walks.plan_of(DIVERSE)
    rows = table(PAGE, "subscription", "distances to the others", "score", "gets it")
    found = choice(plan, same_publications(plan, 1, 7), "t").candidates
    assert [(row["subscription"], row["score"], row["gets it"]) for row in rows] == [
        (c.subscription, shown(c.score), "yes" if c.chosen else "no") for c in found
    ]
    for row, candidate in zip(rows, found, strict=True):
        terms = [eval(term) for term in row["distances to the others"].split(" + ")]
        assert sum(terms) == pytest.approx(candidate.score)
    assert plan.contests[0].method is Covering.NONE


def test_a_wish_of_its_own():
    plan = walks.plan_of(OFFERS)
    names = [row["id"] for row in map(json.loads, only(PAGE, "json").splitlines()) if row["publisher"] == "shop"]
    found = choice(plan, only(PAGE, "json"), "offers", names.index("bell"))
    assert (found.top_k, found.wish, sum(c.chosen for c in found.candidates)) == (3, 1, 1)
    assert "`bell` goes to one" in flat()


def test_equal_publications_without_an_id_draw_the_same():
    """Their id is the same hash, and nothing else decides the lots."""
    plan = walks.plan_of(LOTS)
    lines = "\n".join(same_publications(plan, 1, 5).splitlines() * 2)
    one, other = Walk(plan).feed([walks.published(plan, lines)]).events
    assert one == other
