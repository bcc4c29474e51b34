"""The examples of docs/topk.md: who is told, who gets what, and how fair lots are."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
import yaml

from sparing.control.plan import Plan
from sparing.control.routing.spread import spread_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.flow.rank.explain import Choice, choice_of, score_text
from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind
from sparing.model.policy import Covering
from tests.control.covering import judge
from tests.docs import walks
from tests.docs.pages import blocks, only, same_words, table

PAGE = "docs/topk.md"
OFFERS, TABLE_I, LOTS, DIVERSE = (block.text for block in blocks(PAGE, "yaml"))


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
    matching_set = offered("ancestor", 2).matching_sets[0]
    boxes = [s.query.box for s in offered("ancestor", 2).subscriptions]
    scores = matching_set.scores.tolist()
    covered_by = judge.rank_covers(boxes, judge.by_score(boxes, scores))
    found = [
        [
            f"s{n + 1}",
            f"{scores[n]:.0f}",
            str(1 + sum(other > scores[n] for other in scores)),
            [f"s{other + 1}" for other in covered_by[n]],
        ]
        for n in range(7)
    ]
    rows = table(PAGE, 4, keys=[f"s{n + 1}" for n in range(7)]).rows
    assert [[*row[:3], re.findall(r"\bs\d\b", row[3])] for row in rows] == found


def test_what_is_told():
    shown = table(PAGE, 4, keys=Covering, code=["covering", "top_k", "top_k: 2", "top_k: 3"])
    for covering, (_, *cells) in zip(shown.keys, shown.rows, strict=True):
        for cell, top_k in zip(cells, (None, 2, 3), strict=True):
            plan = offered(covering, top_k)
            ((_, numbers),) = spread_of(plan, plan.in_force(None)).forwarded.items()
            told = [plan.subscriptions[number].id for number in numbers.tolist()]
            listed = re.findall(r"\bs\d\b", cell)
            assert told == listed or (len(told) == 7 and not listed)


def test_every_covering_is_told_about():
    assert len(table(PAGE, 2, keys=Covering).rows) == len(Covering)


# Lots and diversity


def same_publications(plan: Plan, count: int, x: int) -> str:
    """Publications that differ by their ids alone, as JSON lines."""
    row = {"publisher": "p", "x": x, "ts": "2026-01-01T00:00:00+00:00"}
    return "\n".join(json.dumps(row | {"id": str(n)}) for n in range(count))


def test_lots():
    rows = table(PAGE, 7, code=["fair", "x"]).rows
    assert len(rows) == 4
    for fair, x, *numbers in rows:
        what = yaml.safe_load(LOTS)
        what["publishers"][0]["rank"]["fair"] = {"`true`": True}.get(fair, "exact")
        plan = plan_of(Deployment.of(what))
        made = walks.published(plan, same_publications(plan, 10_000, int(x)))
        delivered = Walk(plan).feed([made])
        got = Counter(plan.subscriptions[number].id for number, _ in delivered.plain)
        asked = sum(delivered.bill.only(MessageKind.COORDINATION).values())
        assert numbers == [f"{number:,}" for number in (*(got[f"s{n}"] for n in range(1, 5)), asked)]


def test_what_the_tickets_cost():
    plan = walks.plan_of(OFFERS)
    tickets = walks.published(plan, only(PAGE, "json"), "tickets")
    assert len(tickets) == 2
    asked = Walk(plan).feed([tickets]).bill.only(MessageKind.COORDINATION)
    assert sum(asked.values()) == 12


def test_another_seed_draws_other_lots():
    chosen = []
    for seed in (0, 0, 1):
        plan = plan_of(Deployment.of(yaml.safe_load(LOTS) | {"policy": {"seed": seed}}))
        made = walks.published(plan, same_publications(plan, 50, 5))
        chosen.append(sorted(Walk(plan).feed([made]).plain))
    assert chosen[0] == chosen[1] != chosen[2]


def choice(plan: Plan, lines: str, topic: str, at: int = 0) -> Choice:
    made = walks.published(plan, lines, topic).take(np.array([at]))
    ((matching, chosen),) = AtOnce(Interests.of(plan)).chosen(made)
    return choice_of(plan, made, matching, chosen.pairs)


def test_diversity():
    plan = walks.plan_of(DIVERSE)
    rows = table(PAGE, 4, where=lambda table: "/" in table.rows[0][1]).rows
    found = choice(plan, same_publications(plan, 1, 7), "t").candidates
    assert [(name, score) for name, _, score, _ in rows] == [(c.subscription, score_text(c.score)) for c in found]
    assert same_words((c.chosen, gets) for (*_, gets), c in zip(rows, found, strict=True))
    for (_, distances, *_), candidate in zip(rows, found, strict=True):
        assert sum(eval(term) for term in distances.split(" + ")) == pytest.approx(candidate.score)
    assert plan.matching_sets[0].method is Covering.NONE


def test_a_wish_of_its_own():
    plan = walks.plan_of(OFFERS)
    names = [row["id"] for row in map(json.loads, only(PAGE, "json").splitlines()) if row["publisher"] == "shop"]
    found = choice(plan, only(PAGE, "json"), "offers", names.index("bell"))
    assert (found.top_k, found.wish, sum(c.chosen for c in found.candidates)) == (3, 1, 1)


def test_equal_publications_without_an_id_draw_the_same():
    """Their id is the same hash, and nothing else decides the lots."""
    plan = walks.plan_of(LOTS)
    lines = "\n".join(same_publications(plan, 1, 5).splitlines() * 2)
    one, other = Walk(plan).feed([walks.published(plan, lines)]).plain
    assert one == other
