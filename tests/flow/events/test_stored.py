"""Events under way outlive a change of the plan: subscriptions come, go and move, links change."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.flow.events.context import MergeContext
from sparing.flow.events.stored import restored, stored
from sparing.flow.events.walk import EventWalk
from sparing.model.policy import EventMerging, PlacementRule, Policy
from sparing.model.types import END_OF_TIME
from tests.flow.events.world import WITHIN, Sub, heard_of, plan_for, report_of, with_own
from tests.judges.events import Said, deliveries

BROKERS = ("b0", "b1", "b2", "b3", "b4")
LINE = [("b0", "b1"), ("b1", "b2"), ("b2", "b3"), ("b3", "b4")]
STAR = [("b2", "b0"), ("b2", "b1"), ("b2", "b3"), ("b2", "b4")]
POLICIES = [
    Policy(),
    Policy(placement=PlacementRule.REPLAY),
    Policy(placement=1, active_aggregators=1),
    Policy(events=EventMerging.AGELE),
    Policy(events=EventMerging.SIENA),
]

reports = st.lists(
    st.tuples(
        st.integers(0, 50),
        st.sampled_from(BROKERS),
        st.sampled_from("xy"),
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)),
    ),
    min_size=1,
    max_size=20,
).map(lambda rows: [Said(t, f"{n:02}", at, key, frozenset(f.items())) for n, (t, at, key, f) in enumerate(rows)])


def carried_over(one: Plan, other: Plan, said: list[Said], cut: int, ahead: int = 0) -> tuple[Counter, set]:
    """Who heard of which value of which event how often, if the plan changes at `cut`; and what was under way then."""
    first = EventWalk(MergeContext(one, "t"))
    early = [report_of(one, report) for report in said if report.time < cut + ahead]
    state, begun = first.advance(None, early, cut)
    under_way = {(event.key[0], event.began) for event in state.events}
    packed = pickle.dumps(stored(state, first.context))
    second = EventWalk(MergeContext(other, "t"))
    state = restored(pickle.loads(packed), second.context, same_plan=False)
    later = [report_of(other, report) for report in said if report.time >= cut + ahead]
    state, done = second.advance(state, later, END_OF_TIME)
    assert not state.events
    assert not state.waiting
    heard: Counter = Counter()
    for plan, outcome in ((one, begun), (other, done)):
        for notice in outcome.notices:
            for h in heard_of(plan, notice):
                heard.update((h.who, h.key, h.began, fact) for fact in h.facts)
    return heard, under_way


@given(
    reports,
    st.integers(1, 60),
    st.sampled_from(POLICIES),
    st.sampled_from([LINE, STAR]),
    st.sampled_from(BROKERS),
    st.sets(st.sampled_from(BROKERS)),
    st.integers(0, 3),
)
def test_those_who_stay_are_told_everything_once(said, cut, policy, later_links, moved_to, publishers, ahead):
    """Also if publishers have left whose reports are under way, or have come `ahead` of the time."""
    before = [Sub("gone", "b4", 4), Sub("stays", "b0", 6, "a >= 1"), Sub("moves", "b1", 4)]
    after = [Sub("comes", "b3", 4), Sub("moves", moved_to, 4), Sub("stays", "b0", 6, "a >= 1")]
    one = plan_for(LINE, before, BROKERS, policy)
    other = plan_for([*later_links], after, sorted(publishers), policy)

    heard, under_way = carried_over(one, other, said, cut, ahead)
    assert set(heard.values()) <= {1}
    wishes = {sub.id: sub.wish() for sub in (*before, *after)}
    wanted = deliveries(with_own(said), WITHIN, wishes.values())
    for who in ("stays", "moves"):
        expected = {(h.who, h.key, h.began, fact) for h in wanted if h.who == who for fact in h.facts}
        assert {key for key in heard if key[0] == who} == expected
    hers = [h for h in wanted if h.who == "comes" and (h.began >= cut or (h.key, h.began) in under_way)]
    expected = {(h.who, h.key, h.began, fact) for h in hers for fact in h.facts}
    assert {key for key in heard if key[0] == "comes"} == expected
    over = {(h.who, h.key, h.began, fact) for h in wanted if h.who == "gone" and h.time < cut for fact in h.facts}
    assert over <= {key for key in heard if key[0] == "gone"}


@given(
    reports,
    st.integers(1, 60),
    st.sampled_from(POLICIES),
    st.sampled_from([0, 4]),
    st.sampled_from(["true", "a >= 1", "k = 'x'"]),
    st.sets(st.sampled_from(BROKERS)),
)
@example(  # the event is over when the plan changes, but for somebody who leaves
    said=[Said(24, "00", "b0", "y", frozenset()), Said(44, "01", "b0", "y", frozenset({("a", 0)}))],
    cut=45,
    policy=Policy(),
    every=0,
    where="k = 'x'",
    publishers=set(),
)
def test_who_comes_is_told_of_what_is_under_way(said, cut, policy, every, where, publishers):
    """Also of events that concerned nobody before, and if nobody waits for a cycle."""
    other, comes = Sub("other", "b4", 4, "k = 'y' AND a >= 2"), Sub("comes", "b3", every, where)
    one = plan_for(LINE, [other], BROKERS, policy)
    heard, under_way = carried_over(one, plan_for(LINE, [comes], sorted(publishers), policy), said, cut)
    assert set(heard.values()) <= {1}
    wanted = [
        h for h in deliveries(with_own(said), WITHIN, [comes.wish()]) if h.began >= cut or (h.key, h.began) in under_way
    ]
    expected = {(h.who, h.key, h.began, fact) for h in wanted for fact in h.facts}
    assert {key for key in heard if key[0] == "comes"} == expected


@given(reports, st.integers(30, 400), st.sampled_from(POLICIES))
def test_newcomers_with_short_cycles_long_after_the_last_report(said, cut, policy):
    """Somebody with a long cycle keeps an event alive, and leaves."""
    comes = [Sub("four", "b3", 4), Sub("seven", "b0", 7, "a >= 1")]
    one = plan_for(LINE, [Sub("long", "b4", 1000)], BROKERS, policy)
    heard, under_way = carried_over(one, plan_for(LINE, comes, BROKERS, policy), said, cut)
    wanted = [
        h
        for h in deliveries(with_own(said), WITHIN, [sub.wish() for sub in comes])
        if h.began >= cut or (h.key, h.began) in under_way
    ]
    expected = {(h.who, h.key, h.began, fact) for h in wanted for fact in h.facts}
    assert {key for key in heard if key[0] != "long"} == expected


@given(reports, st.integers(1, 60), st.sampled_from(POLICIES))
def test_what_happens_where_nobody_is_any_more_is_let_go(said, cut, policy):
    """The publisher of a part of the overlay leaves in which nobody subscribes."""
    apart = [("b0", "b1"), ("b1", "b2"), ("b3", "b4")]
    subs = [Sub("stays", "b0", 4)]
    one, other = plan_for(apart, subs, BROKERS, policy), plan_for(apart, subs, BROKERS[:3], policy)
    said = [report for report in said if report.at in BROKERS[:3] or report.time < cut]
    heard, _ = carried_over(one, other, said, cut, ahead=3)
    there = with_own([report for report in said if report.at in BROKERS[:3]])
    wanted = deliveries(there, WITHIN, [sub.wish() for sub in subs])
    assert set(heard) == {(h.who, h.key, h.began, fact) for h in wanted for fact in h.facts}


@pytest.mark.parametrize("placement", [PlacementRule.ADAPTIVE, PlacementRule.REPLAY])
def test_a_tree_that_grows_gets_passive_aggregators(placement):
    """There is no room for them while only one broker has to do with the topic."""
    policy = Policy(placement=placement, active_aggregators=1)
    said = [Said(time, f"{time:02}", "b0", "x", frozenset()) for time in (0, 40)]
    here, far = [Sub("here", "b0", 4)], [Sub("far", "b4", 4), Sub("here", "b0", 4)]
    one, other = plan_for([], here, ["b0"], policy), plan_for(LINE, far, BROKERS, policy)
    first, second = EventWalk(MergeContext(one, "t")), EventWalk(MergeContext(other, "t"))
    state, _ = first.advance(None, [report_of(one, said[0])], 2)
    assert [placer.hops for placer in state.placers] == [0]
    state = restored(stored(state, first.context), second.context, same_plan=False)
    assert [placer.hops for placer in state.placers] == [2]
    _, outcome = second.advance(state, [report_of(other, said[1])], END_OF_TIME)
    assert {h.began for notice in outcome.notices for h in heard_of(other, notice) if h.who == "far"} == {0, 40}
