"""What is remembered between micro-batches: enough, and no more."""

from __future__ import annotations

import pickle
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.events.context import MergeContext
from sparing.flow.events.stored import restored, stored
from sparing.flow.events.walk import EventState, EventWalk
from sparing.model.box import Box
from sparing.model.functions import function
from sparing.model.merge import Outage
from sparing.model.policy import PlacementRule, Policy
from sparing.model.subscription import Aggregation, Output, Query, Subscription
from sparing.model.types import END_OF_TIME
from sparing.model.window import TimeWindow
from tests.flow.events.strategies import AGELE, SIENA, World, batches, frail_worlds, worlds
from tests.flow.events.world import FIELDS, WITHIN, Eyes, Sub, cut, plan_for, report_of, walk, walk_batches, with_own
from tests.judges.events import Said, events_of
from tests.tries import tries

COUNT = Aggregation((Output("n", function("count", None), None),), TimeWindow(10, 10, 0))


@settings(max_examples=tries(50))
@given(worlds() | frail_worlds(), st.data())
def test_nothing_happens_before_the_state_wakes(world: World, data: st.DataObject) -> None:
    """And something does when it wakes, or will later."""
    plan = world.plan()
    walker = EventWalk(MergeContext(plan, "t"))
    until = data.draw(st.integers(-10, 60))
    state, _ = walker.advance(None, [report_of(plan, said) for said in world.reports], until)
    slept = 0
    while (wakes := state.wakes()) is not None:
        assert wakes >= until
        slept, before = slept + 1, pickle.dumps(state)
        if wakes > until:
            state, outcome = walker.advance(state, [], wakes - 1)
            assert not outcome.notices
            assert not outcome.bill
        state, outcome = walker.advance(state, [], wakes)
        until = wakes
        assert pickle.dumps(state) != before
        assert slept < 1000
    assert not state.events
    assert not state.waiting


@settings(max_examples=tries(40))
@given(worlds() | frail_worlds(), st.data())
def test_who_computes_with_events_gets_each_once_and_whole(world: World, data: st.DataObject) -> None:
    """When its time is over, and nobody can report on it any more; with plain subscribers about or not."""
    counting = Subscription("counts", "counter", Query("t", Box(), aggregation=COUNT))
    subs = data.draw(st.sampled_from([world.subs, ()]))
    plan = plan_for(
        world.links,
        subs,
        world.publishers,
        world.policy,
        world.outages,
        more=[counting],
        homes={"counter": (world.publishers[0],)},
    )
    walked = walk_batches(plan, data.draw(batches(world.reports)))
    names = list(FIELDS)
    found = [
        (str(e.key[0]), e.began, frozenset((names[f.field], f.code) for f in e.members(e.so_far)))
        for outcome in walked.outcomes
        for e in outcome.closed
    ]
    expected = [
        (event[0].key, event[0].time, frozenset(fact for report in event for fact in report.facts))
        for event in events_of(with_own(world.reports), WITHIN)
    ]
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert not walked.state.events


@pytest.mark.parametrize("same_plan", [True, False])
@settings(max_examples=tries(30))
@given(st.data())
def test_what_is_stored_is_all_that_matters(same_plan: bool, data: st.DataObject) -> None:
    """A plan that is the same in all but name changes nothing either."""
    world = data.draw(worlds(apart=True) | frail_worlds())
    plan, parts = world.plan(), data.draw(batches(world.reports))
    context = MergeContext(plan, "t")

    def through(state: EventState) -> EventState:
        return restored(pickle.loads(pickle.dumps(stored(state, context))), context, same_plan)

    plain, found = walk_batches(plan, parts), walk_batches(plan, parts, between=through)
    assert Counter(found.heard) == Counter(plain.heard)
    assert found.bill == plain.bill
    assert not found.state.events


@pytest.mark.parametrize("policy", [Policy(), AGELE, SIENA], ids=lambda policy: policy.events.value)
@pytest.mark.parametrize("homes", ["q", "qz"])
def test_after_a_change_of_the_plan_events_are_where_they_were(policy: Policy, homes: str) -> None:
    """The same key in two parts of the overlay, in one of which perhaps nobody subscribes."""
    subs = [Sub(f"at-{home}", home, 4) for home in homes]
    plan = plan_for([("p", "q"), ("y", "z")], subs, ["p", "y"], policy)
    context = MergeContext(plan, "t")
    shapes = [(0, "p", "a"), (1, "y", "b"), (3, "p", "b"), (3, "y", "c")]
    parts = cut([Said(time, f"{time}{at}", at, "x", frozenset({(name, 1)})) for time, at, name in shapes], [2])
    plain = walk_batches(plan, parts)
    found = walk_batches(plan, parts, between=lambda state: restored(stored(state, context), context, same_plan=False))
    assert Counter(found.heard) == Counter(plain.heard)


def test_an_event_of_interest_to_nobody_costs_nothing() -> None:
    plan = plan_for([("p", "q")], [Sub("s", "q", 4, "k = 'y'")], ["p"])
    walked = walk(plan, [Said(0, "0", "p", "x", frozenset({("a", 1)}))], [1])
    assert not walked.heard
    assert not walked.bill
    assert not walked.state.events


@pytest.mark.parametrize(
    ("policy", "frail", "batches"),
    [
        (Policy(), False, tries(240)),
        (Policy(), True, 60),
        (Policy(placement=PlacementRule.REPLAY), False, 60),
        (AGELE, True, 60),
        (SIENA, False, 60),
    ],
    ids=lambda value: value.events.value if isinstance(value, Policy) else str(value),
)
def test_state_stays_flat(policy: Policy, frail: bool, batches: int) -> None:
    """Thousands of events: what is remembered does not grow with those that are over."""
    r = random.Random(7)
    brokers = [f"b{n:02}" for n in range(10)]
    links = [(brokers[n], brokers[(n - 1) // 2]) for n in range(1, 10)]
    subs = [
        Sub("s0", "b07", 4),
        Sub("s1", "b08", 12, "a >= 1"),
        Sub("s2", "b03"),
        Sub("s3", "b09", 6, "true", "c = 2"),
        Sub("s4", "b05", 30, "b IS NULL"),
    ]
    outages = [Outage(t, f"b{t // 50 % 9:02}", t + 20) for t in range(0, 1800, 50)] if frail else []
    walker = EventWalk(MergeContext(plan_for(links, subs, brokers, policy, outages), "t"))
    state: EventState | None = None
    counts, sizes, number, over = [], [], 0, Eyes(walker.context.plan)
    walker.context.watcher = over
    for batch in range(batches):
        start = batch * 30
        some = []
        for _ in range(80):
            number += 1
            facts = frozenset((name, r.randrange(3)) for name in "abc" if r.random() < 0.5)
            key = f"k{r.randrange(batch * 20, batch * 20 + 40)}"
            some.append(Said(start + r.randrange(30), f"{number:05}", r.choice(brokers), key, facts))
        reports = [report_of(walker.context.plan, said) for said in some]
        state, _ = walker.advance(state, reports, start + 30)
        counts.append(len(state.events))
        sizes.append(len(pickle.dumps(state)))
    half = len(sizes) // 2
    assert max(counts[half:]) <= 1.2 * max(counts[:half])
    assert max(sizes[half:]) <= 1.2 * max(sizes[:half])
    assert state is not None
    state, _ = walker.advance(state, [], END_OF_TIME)
    assert not state.events
    assert len(over.what("is over")) > 35 * batches
