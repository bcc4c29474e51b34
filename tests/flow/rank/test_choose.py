"""Choosing the k best: as everybody would, fairly where lots are drawn, and the same however rows are batched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from sparing.control.plan import Plan, make_plan
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.rank.by_hops import Weighted
from sparing.flow.rank.choose import Chooser
from sparing.flow.walk import Walk
from sparing.match.columns import Column
from sparing.model.bill import MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.expression import Attribute
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Covering, Policy
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, TIMESTAMP, Kind, code_float, float_code
from tests.control.routing.worlds import Codes, best, plans, points
from tests.flow.rank.test_draws import SURE


def publications(plan: Plan, points_: Sequence[Codes], times: Sequence[int], advertisement: int = 0) -> Publications:
    size = len(points_)
    columns = {}
    for name, kind in plan.topics["t"].fields.items():
        codes = [point.get(name) for point in points_]
        valid = np.array([code is not None for code in codes])
        if kind.kind is Kind.TEXT:
            columns[name] = Column(kind, np.array(codes, dtype=object), valid)
        elif kind.kind is Kind.FLOATING:
            columns[name] = Column(kind, np.array([0.0 if c is None else code_float(c) for c in codes]), valid)
        else:
            columns[name] = Column(kind, np.array([0 if c is None else c for c in codes]), valid)
    columns["ts"] = Column(TIMESTAMP, np.array(times, dtype=np.int64), np.ones(size, bool))
    at = plan.routes.number[plan.advertisements[advertisement].broker]
    ids = np.array([f"p{n}" for n in range(size)], dtype=object)
    return Publications(
        "t",
        np.array(times, dtype=np.int64),
        ids,
        np.full(size, plan.advertisements[advertisement].publisher, dtype=object),
        np.full(size, at, dtype=np.int32),
        columns,
        np.full(size, "{}", dtype=object),
        np.full(size, advertisement, dtype=np.int64),
    )


def matches(plan: Plan, published: Publications, points_: Sequence[Codes]) -> Pairs:
    found = [
        (row, number)
        for row, point in enumerate(points_)
        for number in reversed(range(len(plan.subscriptions)))
        if plan.subscriptions[number].query.box.admits(point)
    ]
    return Pairs.of(np.array([r for r, _ in found], np.int32), np.array([n for _, n in found], np.int32))


def chosen(plan: Plan, published: Publications, points_: Sequence[Codes]) -> list[set[int]]:
    pairs = Chooser(plan).choose(published, matches(plan, published, points_)).pairs
    found: list[set[int]] = [set() for _ in points_]
    for row, number in zip(pairs.rows.tolist(), pairs.subscriptions.tolist(), strict=True):
        found[row].add(number)
    return found


@given(plans(), st.lists(points, min_size=1, max_size=6), st.data())
def test_without_lots_it_is_regular_k(plan: Plan, published: list[Codes], data: st.DataObject) -> None:
    for advertisement, matching_set in enumerate(plan.matching_sets):
        inside = [point for point in published if matching_set.advertisement.box.admits(point)]
        if matching_set.advertisement.top_k is None or not inside:
            continue
        rows = publications(plan, inside, range(len(inside)), advertisement)
        wishes = [data.draw(st.integers(0, matching_set.advertisement.top_k)) for _ in inside]
        rows = replace(rows, top_k=np.array(wishes))
        for point, wish, found in zip(inside, wishes, chosen(plan, rows, inside), strict=True):
            k = wish or matching_set.advertisement.top_k
            assert found == set(best(plan, matching_set, range(len(plan.subscriptions)), point, k))


def fair_rank(by: BoxScore | Attribute | None, fair: Fairness) -> Rank:
    return Rank(by, fair)


fair_ranks = st.builds(
    fair_rank,
    st.sampled_from([None, BoxScore.AREA, BoxScore.DIVERSE, Attribute("w")]),
    st.sampled_from([Fairness.WEIGHTED, Fairness.EXACT]),
)


@given(plans(), fair_ranks, st.lists(points, min_size=1, max_size=6), st.integers(0, 3))
def test_with_lots_the_best_are_among_the_k(plan: Plan, rank: Rank, published: list[Codes], seed: int) -> None:
    """As many as there can be, all that surely belong to the k best, and nobody who surely does not."""
    offered = tuple(replace(ad, rank=rank) for ad in plan.advertisements)
    plan = replace(plan, advertisements=offered).with_policy(seed=seed)
    for advertisement, matching_set in enumerate(plan.matching_sets):
        k = matching_set.advertisement.top_k
        inside = [point for point in published if matching_set.advertisement.box.admits(point)]
        if k is None or not inside:
            continue
        rows = publications(plan, inside, range(len(inside)), advertisement)
        found = chosen(plan, rows, inside)
        assert found == chosen(plan, rows, inside), "the same again"
        for point, mine in zip(inside, found, strict=True):
            everybody = [n for n, s in enumerate(plan.subscriptions) if s.query.box.admits(point)]
            assert mine <= set(everybody)
            assert len(mine) == min(k, len(everybody))
            if rank.by is not BoxScore.DIVERSE and matching_set.scores is not None:
                own = dict(zip(matching_set.numbers.tolist(), matching_set.scores.tolist(), strict=True))
                ranked = sorted((own[n] for n in everybody), reverse=True)
                assert sorted((own[n] for n in mine), reverse=True) == ranked[:k]


@given(plans(), fair_ranks, st.lists(points, min_size=2, max_size=8), st.integers(1, 7))
def test_batches_do_not_matter(plan: Plan, rank: Rank, published: list[Codes], cut: int) -> None:
    plan = replace(plan, advertisements=tuple(replace(ad, rank=rank) for ad in plan.advertisements))
    inside = [point for point in published if plan.advertisements[0].box.admits(point)]
    cut = min(cut, len(inside))
    if not inside:
        return
    whole = publications(plan, inside, range(len(inside)))
    parts = []
    for first, last in ((0, cut), (cut, len(inside))):
        if first < last:
            part = publications(plan, inside[first:last], range(first, last))
            parts += chosen(plan, replace(part, id=whole.id[first:last]), inside[first:last])
    assert parts == chosen(plan, whole, inside)


# Fairness in the paper's setting: 5 core brokers in a chain, 5 edge brokers at each, 10 subscribers at each of those.

FIELDS = {"x": DOUBLE, "ts": TIMESTAMP}


def papers_plan(k: int, fair: Fairness, covering: Covering = Covering.ANCESTOR) -> Plan:
    rng = np.random.default_rng(8)
    cores = [f"c{n}" for n in range(5)]
    edges = [f"e{core}{n}" for core in range(5) for n in range(5)]
    links = [Link(one, other) for one, other in pairwise(cores)]
    links += [Link(f"c{edge[1]}", edge) for edge in edges]
    subscriptions, homes = [], {}
    for number in range(250):
        width = rng.uniform(0.3, 0.6)
        low = rng.random() * (1 - width)
        box = Box.of({"x": between(DOUBLE, float_code(low), float_code(low + width))})
        assert box is not None
        subscriptions.append(Subscription(f"s{number:03}", f"u{number}", Query("t", box)))
        homes[f"u{number}"] = (edges[number // 10],)
    return make_plan(
        Overlay((*cores, *edges), tuple(links)),
        {"t": Topic("t", "ts", FIELDS)},
        (Advertisement("p", "e00", "t", Box(), k, Rank(None, fair)),),
        homes,
        tuple(subscriptions),
        bucket=1000,
        policy=Policy(covering=covering),
    )


def received(plan: Plan, times: int, forget_weights: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """How many publications each subscription got, and how many it would get on average if chances were equal."""
    values = np.random.default_rng(9).random(times)
    rows = publications(plan, [{"x": float_code(value)} for value in values.tolist()], range(times))
    low = np.array([code_float(s.query.box.on("x").ranges[0][0]) for s in plan.subscriptions])
    high = np.array([code_float(s.query.box.on("x").ranges[0][1]) for s in plan.subscriptions])
    inside = (low[None, :] <= values[:, None]) & (values[:, None] < high[None, :])
    row, number = np.nonzero(inside)
    chooser = Chooser(plan)
    if forget_weights:
        weighted = chooser._weights(0, 0)
        chooser._weighted[0, 0] = Weighted(weighted.starts, weighted.numbers, np.ones(len(weighted.weights)))
    pairs = chooser.choose(rows, Pairs.of(row.astype(np.int32), number.astype(np.int32))).pairs
    got = np.bincount(pairs.subscriptions, minlength=len(plan.subscriptions))
    k = plan.advertisements[0].top_k
    assert k is not None
    chance = np.minimum(k / np.maximum(inside.sum(axis=1), 1), 1.0)
    return got, (inside * chance[:, None]).sum(axis=0)


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("covering", [Covering.ANCESTOR, Covering.NONE])
def test_exact_is_as_fair_as_can_be(k: int, covering: Covering) -> None:
    """Indistinguishable from k/n each, by a chi-square test."""
    got, expected = received(papers_plan(k, Fairness.EXACT, covering), 4000)
    there = expected > 0
    statistic = ((got[there] - expected[there]) ** 2 / expected[there]).sum()
    assert chi2.sf(statistic, int(there.sum()) - 1) > SURE


def test_without_covering_a_shuffle_is_exactly_fair() -> None:
    got, expected = received(papers_plan(3, Fairness.WEIGHTED, Covering.NONE), 4000)
    there = expected > 0
    statistic = ((got[there] - expected[there]) ** 2 / expected[there]).sum()
    assert chi2.sf(statistic, int(there.sum()) - 1) > SURE


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_ancestor_fair_is_at_least_twice_as_fair_as_ancestor_cover(k: int) -> None:
    plan = papers_plan(k, Fairness.WEIGHTED)
    unfair, expected = received(plan, 3000, forget_weights=True)
    fair, _ = received(plan, 3000)
    assert fair.sum() == unfair.sum()
    assert 2 * np.abs(fair - expected).sum() <= np.abs(unfair - expected).sum()


def test_weights_conserve_mass() -> None:
    """At every broker, what the known stand for adds up to the subscriptions behind it and its own."""
    plan = papers_plan(3, Fairness.WEIGHTED)
    table = plan.table(0, 0)
    for entry in table.known:
        behind = sum(
            plan.routes.hops[home, table.root]
            == plan.routes.hops[home, entry.broker] + plan.routes.hops[entry.broker, table.root]
            for home in plan.broker_of.tolist()
        )
        assert entry.weights.sum() == pytest.approx(behind)
    assert table.known[-1].broker == table.root
    assert table.known[-1].weights.sum() == pytest.approx(250)
    assert len(table.known[-1].numbers) < 250


def test_a_question_and_an_answer_for_every_link_on_the_way() -> None:
    plan = papers_plan(2, Fairness.EXACT)
    rows = publications(plan, [{"x": float_code(0.5)}], [10])
    bill = Walk(plan).feed([rows]).bill
    asked = bill.only(MessageKind.COORDINATION).by_link()
    matching = {
        home
        for home, s in zip(plan.broker_of.tolist(), plan.subscriptions, strict=True)
        if s.query.box.admits({"x": float_code(0.5)})
    }
    at = plan.routes.number["e00"]
    links = plan.routes.crossings(np.zeros(len(matching), int), np.full(len(matching), at), np.array(sorted(matching)))
    assert len(asked) == 2 * len(links[1])
    assert set(asked.values()) == {1}
    assert bill.by_kind()["notification"] == 2


def test_only_the_k_count_in_windows_and_others_hear_nothing() -> None:
    plan = papers_plan(2, Fairness.NONE)
    delivered = Walk(plan).feed([publications(plan, [{"x": float_code(n / 50)} for n in range(50)], range(50))])
    assert max(Counter(id_ for _, id_ in delivered.plain).values()) == 2


def test_draws_follow_the_tables_of_the_time() -> None:
    """A subscription that is not in force stands for nobody, and is not chosen."""
    plan = papers_plan(3, Fairness.WEIGHTED)
    half = tuple(replace(s, valid_from=100) if n % 2 else s for n, s in enumerate(plan.subscriptions))
    plan = replace(plan, subscriptions=half)
    assert plan.table(0, 0).known[-1].weights.sum() == pytest.approx(125)
    assert plan.table(0, 1).known[-1].weights.sum() == pytest.approx(250)
    points_: list[Codes] = [{"x": float_code(0.5)}] * 40
    rows = publications(plan, points_, [*range(80, 120)])
    events = Walk(plan).feed([rows]).plain
    early = {number for number, id_ in events if int(id_[1:]) < 20}
    late = {number for number, id_ in events if int(id_[1:]) >= 20}
    assert all(number % 2 == 0 for number in early)
    assert any(number % 2 for number in late)
    assert len(events) == 3 * 40
