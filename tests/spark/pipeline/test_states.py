"""A stored state outlives a change of the subscription table. No Spark session is needed for that."""

import json

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.flow.interests import Interests
from sparing.flow.windows.window_state import WindowState
from sparing.model.box import Box
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import BEGINNING, END_OF_TIME
from sparing.model.window import CountWindow, TimeWindow
from sparing.spark.pipeline.states import load_state, store_state
from sparing.spark.pipeline.worker_plan import WorkerPlan
from tests.flow import strategies
from tests.flow.links.known import PUBLISHER_EDGE
from tests.flow.strategies import OUTPUTS, batches, plan_of
from tests.judges import overlay as judge
from tests.judges.overlay import Publication
from tests.tries import tries

LINE = Overlay(("a", "b", "c"), (Link("a", "b"), Link("b", "c")))
SUBSCRIBERS = {"A": ("a",), "B": ("b",), "C": ("c",)}
GROUP = "t/the group"


def worker_plan(subscriptions, policy):
    """What a worker runs on; all subscriptions are in one interest group."""
    plan = plan_of(LINE, SUBSCRIBERS, tuple(subscriptions))
    return WorkerPlan(Interests(plan, policy, known_groups={s.id: GROUP for s in subscriptions}))


def advance(worker_plan, state, publications, until, late_before):
    plan = worker_plan.interests.plan
    held = [arrival.held for batch in batches(plan, publications) for arrival in worker_plan.at_once.arrive(batch)]
    arrivals = [by_group[GROUP] for by_group in held if by_group]
    after, outcome = worker_plan.window_walk.advance(state, arrivals, until, late_before=late_before)
    assert not outcome.late
    results = [
        (plan.subscriptions[n.subscription].id, n.start, n.end, judge.canonical(json.loads(n.payload)))
        for found in outcome.notifications
        for n in found
    ]
    return after, results


@st.composite
def queries(draw):
    """Windows, digests and count windows over everything on one topic."""
    match draw(st.sampled_from(["sliding", "sliding", "digest", "count"])):
        case "sliding":
            names = draw(st.lists(st.sampled_from(sorted(OUTPUTS)), min_size=1, max_size=2, unique=True))
            slide = draw(st.integers(1, 5))
            window = TimeWindow(draw(st.integers(1, 12)), slide)
        case "digest":
            columns = draw(st.sampled_from([strategies.WITHOUT_TIME, (("a", "x"),)]))
            return Query("t", Box(), columns, every=draw(st.integers(2, 12)))
        case _:
            names, window = ["n", draw(st.sampled_from(["sum x", "max s"]))], CountWindow(draw(st.integers(2, 4)), 2)
    return Query("t", Box(), aggregation=Aggregation(tuple(OUTPUTS[name] for name in names), window))


def told_by(subscription, end, until):
    """Whether a result has been given once time has reached `until`."""
    aggregation = subscription.query.aggregation
    counted = aggregation is not None and isinstance(aggregation.window, CountWindow)
    return end < until if counted else end <= until


@given(st.data())
@settings(max_examples=tries(100))
def test_states_outlive_changes_of_the_subscription_table(data):
    """Some stay and miss nothing, some leave and hear nothing more, some are new and get what comes from now on."""
    table = {}
    for number in data.draw(st.permutations(range(data.draw(st.integers(1, 6))))):
        fate = data.draw(st.sampled_from(["stays", "stays", "leaves", "new"]))
        subscription = Subscription(f"s{number}", data.draw(st.sampled_from("ABC")), data.draw(queries()))
        table[subscription.id] = (fate, subscription)
    before, after = ([s for fate, s in table.values() if fate != other] for other in ("new", "leaves"))
    policy = data.draw(strategies.policies)
    first, second = worker_plan(before, policy), worker_plan(after, policy)
    plan = first.interests.plan
    publications = [p for p in data.draw(strategies.published(plan)) if p.topic == "t"]
    until = data.draw(st.integers(strategies.FIRST, strategies.LAST))
    early = [p for p in publications if p.time < until or data.draw(st.booleans())]
    later = [p for p in publications if p not in early]
    event(f"fields change: {first.interests.fields != second.interests.fields}")

    state, results = advance(first, None, early, until, BEGINNING)
    restored = load_state(second, "second", store_state(first, "first", state))
    final, rest = advance(second, restored, later, END_OF_TIME, until)

    fate_of = {id_: fate for id_, (fate, _) in table.items()}
    expected = [r for r in judge.results(plan, publications) if fate_of[r[0]] == "stays"]
    expected += [
        r
        for r in judge.results(plan, early)
        if fate_of[r[0]] == "leaves" and told_by(table[r[0]][1], end=r[2], until=until)
    ]
    expected += [r for r in judge.results(second.interests.plan, later) if fate_of[r[0]] == "new"]
    assert sorted(results + rest) == sorted(expected)
    assert final.next_time is None


def test_the_same_plan_reads_a_state_as_it_was_written():
    subscriptions = [Subscription("s", "A", Query("t", Box(), every=10))]
    found = worker_plan(subscriptions, PUBLISHER_EDGE)
    state, _ = advance(found, None, [Publication("p", 3, "a", x=1)], 5, BEGINNING)
    again = load_state(found, "same", store_state(found, "same", state))
    assert again.wakes() == state.wakes() == 10
    payload = '{"events": [{"ts": "1970-01-01T00:00:00.000003Z", "x": 1}]}'
    assert advance(found, again, [], END_OF_TIME, 5)[1] == [("s", 0, 10, payload)]


@pytest.mark.parametrize("fingerprint", ["same", "other"])
def test_an_empty_state(fingerprint):
    found = worker_plan([], PUBLISHER_EDGE)
    assert load_state(found, fingerprint, store_state(found, "same", WindowState())).empty
