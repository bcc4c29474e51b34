"""The walk of merged events against the judge: who is told what, and when."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.events.walk import EventState
from sparing.model.bill import MessageKind
from sparing.model.merge import Outage, RedundancyRule
from sparing.model.policy import Policy
from tests.flow.events.strategies import (
    AGELE,
    SIENA,
    World,
    batches,
    billed,
    by_bucket,
    caeva,
    filters,
    frail_worlds,
    policies,
    worlds,
)
from tests.flow.events.world import FIELDS, WITHIN, Sub, Walked, plan_for, walk, walk_batches, with_own
from tests.judges.events import Heard, Said, events_of
from tests.tries import tries


def told(walked: Walked) -> Counter[Heard]:
    return Counter(walked.heard)


def siena_of(walked: Walked) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for outcome in walked.outcomes:
        found.update(outcome.siena)
    return found


@settings(max_examples=tries(150))
@given(worlds())
def test_subscribers_are_told_what_the_judge_says(world: World) -> None:
    walked = walk(world.plan(), world.reports)
    assert told(walked) == Counter(world.wanted())
    assert not walked.state.events
    assert not walked.state.waiting


@settings(max_examples=tries(60))
@given(worlds(apart=True))
def test_parts_of_the_overlay_know_nothing_of_each_other(world: World) -> None:
    assert told(walk(world.plan(), world.reports)) == Counter(world.wanted())


@settings(max_examples=tries(40))
@given(worlds(), st.lists(policies, min_size=1, max_size=3))
def test_the_policy_is_nothing_to_subscribers(world: World, others: list[Policy]) -> None:
    expected = told(walk(world.plan(), world.reports))
    for other in others:
        assert told(walk(replace(world, policy=other).plan(), world.reports)) == expected


@settings(max_examples=tries(80))
@given(st.data(), st.sampled_from([worlds(), frail_worlds(), worlds(compare=RedundancyRule.NAME)]))
def test_cuts_change_nothing(data: st.DataObject, some: st.SearchStrategy[World]) -> None:
    world = data.draw(some)
    plan = world.plan()
    whole, parts = walk(plan, world.reports), walk_batches(plan, data.draw(batches(world.reports)))
    assert told(parts) == told(whole)
    assert parts.bill == whole.bill
    assert siena_of(parts) == siena_of(whole)
    assert parts.state.placers == whole.state.placers


@settings(max_examples=tries(40))
@given(st.data(), st.sampled_from([worlds(), frail_worlds()]))
def test_state_survives_storage(data: st.DataObject, some: st.SearchStrategy[World]) -> None:
    def stored(state: EventState) -> EventState:
        found = pickle.loads(pickle.dumps(state))
        assert isinstance(found, EventState)
        return found

    world = data.draw(some)
    plan, parts = world.plan(), data.draw(batches(world.reports))
    plain, through = walk_batches(plan, parts), walk_batches(plan, parts, between=stored)
    assert told(through) == told(plain)
    assert through.bill == plain.bill
    assert siena_of(through) == siena_of(plain)


@settings(max_examples=tries(40))
@given(worlds())
def test_every_notification_is_on_the_bill(world: World) -> None:
    home = {sub.id: sub.at for sub in world.subs}
    expected = Counter((home[h.who], f"u-{h.who}", h.time) for h in world.wanted())
    assert billed(walk(world.plan(), world.reports), MessageKind.NOTIFICATION) == by_bucket(expected)


# Outages

Value = tuple[str, str, int, tuple[str, object]]


def values_of(heard: list[Heard] | set[Heard]) -> Counter[Value]:
    return Counter((h.who, h.key, h.began, fact) for h in heard for fact in h.facts)


@settings(max_examples=tries(150))
@given(frail_worlds())
def test_nothing_is_lost_or_told_twice_with_aggregators(world: World) -> None:
    walked = walk(world.plan(), world.reports)
    assert values_of(walked.heard) == values_of(world.wanted())
    assert not walked.state.events
    assert not walked.state.waiting


@settings(max_examples=tries(60))
@given(frail_worlds())
def test_with_outages_too_nobody_is_told_before_it_is_due(world: World) -> None:
    wishes = {sub.id: sub.wish() for sub in world.subs}
    events = {(event[0].key, event[0].time): event for event in events_of(with_own(world.reports), WITHIN)}
    for heard in walk(world.plan(), world.reports).heard:
        wish, event = wishes[heard.who], events[heard.key, heard.began]
        known = frozenset(fact for report in event if report.time <= heard.time for fact in report.facts)
        assert heard.facts <= known
        urgent = wish.urgent is not None and wish.holds(known) and wish.urgent(known)
        assert not wish.every or urgent or (heard.time - heard.began) % wish.every == 0


@settings(max_examples=tries(60))
@given(frail_worlds())
def test_who_does_not_wait_does_not_notice_outages(world: World) -> None:
    world = replace(world, subs=tuple(replace(sub, every=0, urgent=None) for sub in world.subs))
    assert told(walk(world.plan(), world.reports)) == Counter(world.wanted())


# Cases


def said(time: int, at: str, key: str = "x", id_: str = "", **facts: int) -> Said:
    return Said(time, id_ or f"{time:03}{at}", at, key, frozenset(facts.items()))


def facts_of(walked: Walked, who: str) -> list[tuple[int, int, dict[str, int]]]:
    """When the event began, when the subscriber was told, and what of a, b and c."""
    return [
        (h.began, h.time, {name: value for name, value in sorted(h.facts) if name in "abc"})
        for h in walked.heard
        if h.who == who
    ]


def test_a_key_is_another_event_after_its_time() -> None:
    plan = plan_for([("p", "q")], [Sub("s", "q", 4)], ["p"])
    reports = [said(0, "p", a=1), said(WITHIN, "p", a=2), said(WITHIN + 1, "p", a=1)]
    began = WITHIN + 1
    expected = [(0, 4, {"a": 1}), (0, WITHIN + 4, {"a": 2}), (began, began + 4, {"a": 1})]
    assert facts_of(walk(plan, reports), "s") == expected


@pytest.mark.parametrize("policy", [Policy(), AGELE, SIENA], ids=lambda policy: policy.events.value)
@pytest.mark.parametrize("cuts", [(), (1, 22, 23, 30, 49, 51)])
def test_a_key_is_another_event_while_the_old_one_is_still_owed(policy: Policy, cuts: tuple[int, ...]) -> None:
    """The cycle is longer than events: the first two are over long before anybody is told of them."""
    plan = plan_for([("p", "q"), ("q", "r")], [Sub("s", "r", 50), Sub("now", "r")], ["p", "q"], policy)
    reports = [said(0, "p", a=1), said(22, "q", a=1), said(23, "p", b=2), said(44, "q", a=1)]
    walked = walk(plan, reports, cuts)
    assert facts_of(walked, "s") == [(0, 50, {"a": 1}), (22, 72, {"a": 1, "b": 2}), (44, 94, {"a": 1})]
    assert not walked.state.events


def test_a_key_that_is_reported_again_at_the_time_of_a_tick() -> None:
    """The cycle ends at the very time at which the key is reported anew, and later than the old event."""
    plan = plan_for([("p", "q")], [Sub("s", "q", 21)], ["p"])
    walked = walk(plan, [said(0, "p", a=1), said(21, "p", a=1)])
    assert facts_of(walked, "s") == [(0, 21, {"a": 1}), (21, 42, {"a": 1})]


def test_what_is_urgent_brings_with_it_all_that_is_held_back() -> None:
    """p and q are passive and hold back b = 1 and a = 2 until c = 2 is reported; from then on nothing waits."""
    links = [("p", "x"), ("x", "m"), ("m", "y"), ("y", "q")]
    subs = [Sub("s", "m", 8, urgent="c = 2"), Sub("patient", "m", 8)]
    plan = plan_for(links, subs, ["p", "q"], Policy(placement=2, active_aggregators=1))
    reports = [said(0, "p", a=1), said(1, "p", b=1), said(2, "q", a=1), said(3, "q", a=2), said(5, "q", c=2)]
    walked = walk(plan, [*reports, said(6, "p", b=2)])
    values = [(h.time, sorted(fact for fact in h.facts if fact[0] in "abc")) for h in walked.heard if h.who == "s"]
    assert values == [(5, [("a", 1), ("a", 2), ("b", 1), ("c", 2)]), (6, [("b", 2)])]
    assert [h.time for h in walked.heard if h.who == "patient"] == [8]
    told_to_hurry = {("m", "x"): 1, ("x", "p"): 1, ("m", "y"): 1, ("y", "q"): 1}
    told_who_coordinates = told_to_hurry
    expected = Counter(told_to_hurry) + Counter(told_who_coordinates)
    assert walked.bill.only(MessageKind.COORDINATION).by_link() == expected


@settings(max_examples=tries(60))
@given(worlds(policy=caeva), filters(least=1), st.sampled_from([4, 8, 30]))
def test_urgent_events_are_told_as_the_judge_says(world: World, urgent: str, every: int) -> None:
    """With nobody about who is told at once, aggregators do hold back."""
    world = replace(world, subs=tuple(replace(sub, every=every, urgent=urgent) for sub in world.subs[:2]))
    assert told(walk(world.plan(), world.reports)) == Counter(world.wanted())


def test_urgent_without_conditions_is_at_once() -> None:
    plan = plan_for([("p", "q")], [Sub("s", "q", 4, urgent="true")], ["p"])
    assert facts_of(walk(plan, [said(0, "p", a=1), said(1, "p", a=2)]), "s") == [(0, 0, {"a": 1}), (0, 1, {"a": 2})]


def test_outages_of_one_broker_that_start_together() -> None:
    outages = [Outage(3, "q", 5), Outage(3, "q")]
    plan = plan_for([("p", "q")], [Sub("s", "q", 4)], ["p"], outages=outages)
    assert facts_of(walk(plan, [said(0, "p", a=1)]), "s") == [(0, 4, {"a": 1})]


# Values that differ


@settings(max_examples=tries(30))
@given(worlds())
def test_the_latest_value_is_the_one_with_the_latest_stamp(world: World) -> None:
    outcomes = walk(world.plan(), world.reports).outcomes
    for notice in (notice for outcome in outcomes for notice in outcome.notices):
        facts = notice.event.members(notice.facts)
        latest = notice.event.latest(notice.facts)
        assert latest.keys() == {fact.field for fact in facts}
        for fact in facts:
            assert latest[fact.field].time >= fact.time


def test_each_of_several_values_is_told_once() -> None:
    links = [("p", "q"), ("q", "r"), ("r", "s"), ("s", "t")]
    plan = plan_for(links, [Sub("s", "t", 4)], ["p", "q", "t"])
    reports = [said(0, "p", a=1), said(1, "q", a=2), said(2, "t", a=1), said(5, "p", a=2), said(9, "t", a=3)]
    walked = walk(plan, reports)
    values = [(h.time, sorted(value for name, value in h.facts if name == "a")) for h in walked.heard]
    assert values == [(4, [1, 2]), (12, [3])]
    a = list(FIELDS).index("a")
    shown = [notice.event.latest(notice.facts)[a].code for notice in walked.outcomes[0].notices]
    assert shown == [2, 3]


# The paper's own rule: a field that is known is known, whatever its value


@settings(max_examples=tries(80))
@given(worlds(compare=RedundancyRule.NAME, missing=False) | frail_worlds(compare=RedundancyRule.NAME))
def test_by_name_each_field_is_told_once(world: World) -> None:
    """Of filters nothing is said: which value gets to the coordinator first decides them."""
    world = replace(world, subs=tuple(replace(sub, where="true", urgent=None) for sub in world.subs))
    events = {(event[0].key, event[0].time): event for event in events_of(with_own(world.reports), WITHIN)}
    walked = walk(world.plan(), world.reports)
    fields = Counter((h.who, h.key, h.began, name) for h in walked.heard for name, _ in h.facts)
    expected = {(h.who, h.key, h.began, name) for h in world.wanted() for name, _ in h.facts}
    assert fields == Counter(expected)
    for heard in walked.heard:
        said_so = frozenset(
            fact for report in events[heard.key, heard.began] if report.time <= heard.time for fact in report.facts
        )
        assert heard.facts <= said_so
    assert not walked.state.events
