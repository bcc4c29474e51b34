"""Explanations of a choice agree with the choice: ranks, picks of brokers, the sentence for each subscription."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.rank.choose import Chooser
from sparing.flow.rank.explain import Choice, choice_of, score_text, verdict
from sparing.model.expression import Attribute
from sparing.model.functions import function
from sparing.model.policy import Covering
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Aggregation, Output, Query
from sparing.model.window import TimeWindow
from tests.control.routing.test_network import three_brokers
from tests.control.routing.worlds import Codes, best, plans, points
from tests.flow.rank.test_choose import fair_ranks, matches, publications

BY_AREA = Rank(BoxScore.AREA, Fairness.NONE)
INSIDE: Codes = {"x": 4, "y": 3}  # in all boxes of Table I but s4


def explained(plan: Plan, rows: Publications, points_: Sequence[Codes]) -> tuple[Choice, set[int]]:
    """Return the choice for one publication, and the chosen subscriptions."""
    found = matches(plan, rows, points_)
    chosen = Chooser(plan).choose(rows, found).pairs
    return choice_of(plan, rows, found, chosen), set(chosen.subscriptions.tolist())


def check(plan: Plan, rows: Publications, point: Codes) -> Choice:
    choice, chosen = explained(plan, rows, [point])
    ids = {plan.subscriptions[number].id for number in chosen}
    matching = {s.id for s in plan.subscriptions if s.query.box.admits(point)}
    assert {c.subscription for c in choice.candidates} == matching
    assert {c.subscription for c in choice.candidates if c.chosen} == ids
    if choice.allowed is not None:
        assert [c.chosen for c in choice.candidates] == [at < choice.allowed for at in range(len(matching))]
        check_hops(choice)
    for number, subscription in enumerate(plan.subscriptions):
        found = verdict(plan, rows, choice, number)
        assert found.chosen == (subscription.id in ids)
        assert found.why.startswith(f"{subscription.id} ")
        assert found.why.endswith(".")
        assert (" receives it" in found.why) == found.chosen
        assert ("does not match" in found.why) == (subscription.id not in matching)
    return choice


def check_hops(choice: Choice) -> None:
    """Check that each broker picks the requested number of those it knows."""
    wanted = {choice.broker: min(choice.allowed or 0, len(choice.candidates))}
    for hop in choice.hops:
        assert hop.picked <= hop.known <= hop.matching
        if hop.onward is not None and hop.picked:
            assert hop.onward not in wanted
            wanted[hop.onward] = hop.picked
    picked = dict.fromkeys(wanted, 0)
    for hop in choice.hops:
        picked[hop.broker] += hop.picked
    assert picked == wanted


@given(plans(), st.lists(points, min_size=1, max_size=4), st.data())
def test_choices_by_score(plan: Plan, published: list[Codes], data: st.DataObject) -> None:
    for number, matching_set in enumerate(plan.matching_sets):
        k = matching_set.advertisement.top_k
        for point in published:
            if matching_set.advertisement.box.admits(point):
                wish = data.draw(st.integers(0, k or 0))
                rows = replace(publications(plan, [point], [3], number), top_k=np.array([wish]))
                choice = check(plan, rows, point)
                assert (choice.top_k, choice.wish, choice.allowed) == (k, wish or None, wish or k)
                if k is not None:
                    everybody = best(plan, matching_set, range(len(plan.subscriptions)), point, len(plan.subscriptions))
                    names = [plan.subscriptions[n].id for n in everybody]
                    assert [c.subscription for c in choice.candidates] == names


@given(plans(), fair_ranks, st.lists(points, min_size=1, max_size=4), st.integers(0, 3))
def test_explanations_agree_with_choices_by_lot(plan: Plan, rank: Rank, published: list[Codes], seed: int) -> None:
    offered = tuple(replace(ad, rank=rank) for ad in plan.advertisements)
    plan = replace(plan, advertisements=offered).with_policy(seed=seed)
    for number, advertisement in enumerate(plan.advertisements):
        for point in published:
            if advertisement.box.admits(point):
                check(plan, publications(plan, [point], [3], number), point)


def why(plan: Plan, subscription: str, wish: int = 0, point: Codes = INSIDE, time: int = 3) -> str:
    rows = replace(publications(plan, [point], [time]), top_k=np.array([wish]))
    choice, _ = explained(plan, rows, [point])
    number = [s.id for s in plan.subscriptions].index(subscription)
    return verdict(plan, rows, choice, number).why


def test_the_reason_names_scores_and_ranks() -> None:
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 3)  # s8, at B3, has the box of s2
    assert why(plan, "s2") == "s2 receives it: with a score of 50 it is number 2 of the 3 best."
    last = "s8, the last of the 3 best, has a score of 50, and s3 has a score of 40."
    assert why(plan, "s3") == f"s3 does not receive it: {last}"
    first = "s1, the best one, has a score of 100, and s2 has a score of 50."
    assert why(plan, "s2", wish=1) == f"s2 does not receive it: {first}"
    assert why(plan, "s1", wish=1) == "s1 receives it: with a score of 100 it is the best one."
    tie = "2 subscriptions have a score of 50, for 1 place, and the lower id comes first."
    assert why(plan, "s2", wish=2) == f"s2 receives it: {tie}"
    assert why(plan, "s8", wish=2) == f"s8 does not receive it: {tie}"
    failed = "x >= 9 AND x < 11"
    assert why(plan, "s4") == f"s4 does not match: ({failed}) fails: x is 4; (y >= 9 AND y < 11) fails: y is 3."
    assert why(plan, "s4", point={"y": 9}) == f"s4 does not match: ({failed}) fails: x is missing."
    assert why(plan, "s1", point={"x": 9, "y": 9}) == "s1 receives it: 2 subscriptions match, and at most 3 receive it."


def test_nearly_equal_scores_are_shown_with_all_digits() -> None:
    plan = three_brokers(Covering.ANCESTOR, Rank(Attribute("w"), Fairness.NONE), 1)
    near = [replace(s, attributes=(("w", 0.1 + n * 1e-9),)) for n, s in enumerate(plan.subscriptions)]
    plan = replace(plan, subscriptions=tuple(near))
    assert why(plan, "s7").endswith("has a score of 0.100000007, and s7 has a score of 0.100000006.")
    without = [replace(s, attributes=()) if s.id == "s7" else s for s in near]
    assert why(replace(plan, subscriptions=tuple(without)), "s7").endswith("has a score of 0.1, and s7 has no score.")


def test_the_reason_names_draws_and_picks_of_brokers() -> None:
    plan = three_brokers(Covering.ANCESTOR, Rank(), 2)
    tie = "7 subscriptions match and have the same rank, for 2 places, and lots were drawn, by the publication's id"
    reasons = {s.id: why(plan, s.id) for s in plan.subscriptions if s.id != "s4"}
    drawn = {name for name in reasons if f"{name} receives it: {tie}: {name} was drawn" in reasons[name]}
    assert len(drawn) == 2
    others = {name for name in reasons if f"{name} does not receive it: {tie}: {name} was not drawn" in reasons[name]}
    assert others == set(reasons) - drawn
    assert "B1 had to pick 2 of 4 known, and picked" in reasons["s7"]
    exact = three_brokers(Covering.ANCESTOR, Rank(None, Fairness.EXACT), 2)
    assert "B1 had to pick 2 of 7 matching, and picked" in why(exact, "s7")
    alone = three_brokers(Covering.NONE, Rank(), 2)
    assert why(alone, "s7").endswith("drawn.")


def test_the_reason_names_a_missing_top_k_and_another_topic() -> None:
    plan = three_brokers(Covering.ANCESTOR, Rank(), None)  # type: ignore[arg-type]
    assert why(plan, "s5") == "s5 receives it: p has no top_k, so all matching subscriptions receive it."
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 2)
    plan = replace(
        plan,
        topics={**plan.topics, "u": replace(plan.topics["t"], name="u")},
        subscriptions=tuple(
            replace(s, query=Query("u", s.query.box)) if s.id == "s8" else s for s in plan.subscriptions
        ),
    )
    rows = publications(plan, [INSIDE], [3])
    nobody = Pairs.of(np.zeros(0, np.int64), np.zeros(0, np.int32))
    choice = choice_of(plan, rows, nobody, nobody)
    assert choice.candidates == choice.hops == ()
    assert verdict(plan, rows, choice, 7).why == "s8 is a subscription on u, and the publication is on t."


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ({"valid_from": 1_500_000}, "it is in force from 1970-01-01T00:00:01.500000Z."),
        ({"valid_until": 1_000_000}, "it was in force until 1970-01-01T00:00:01Z."),
    ],
)
def test_the_reason_says_when_a_subscription_is_in_force(bounds: dict[str, int], sentence: str) -> None:
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 2)
    plan = replace(plan, subscriptions=(replace(plan.subscriptions[0], **bounds), *plan.subscriptions[1:]))
    rows = publications(plan, [INSIDE], [1_200_000])
    others = matches(plan, rows, [INSIDE])
    others = others.only(others.subscriptions > 0)
    choice = choice_of(plan, rows, others, others)
    assert verdict(plan, rows, choice, 0).why == f"s1 matches, but was not in force: {sentence}"


def test_a_gap_between_sampling_windows_is_mentioned() -> None:
    plan = three_brokers(Covering.ANCESTOR, BY_AREA, 3)
    output = Output("n", function("count", None), None)
    sampling = Aggregation((output,), TimeWindow(2, 10))
    first = plan.subscriptions[0]
    changed = replace(first, query=replace(first.query, aggregation=sampling))
    plan = replace(plan, subscriptions=(changed, *plan.subscriptions[1:]))
    received = "s1 receives it: with a score of 100 it is number 1 of the 3 best."
    assert why(plan, "s1", time=1) == received
    assert why(plan, "s1", time=3) == f"{received} None of its windows counts it: it was published between two of them."


def test_scores_are_shown_with_few_digits() -> None:
    assert [score_text(score) for score in (1e3, -2.5, 1e20, float("inf"))] == ["1,000", "-2.5", "1e+20", "inf"]
