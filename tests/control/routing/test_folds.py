"""Folded entries during changes of subscriptions: the knowledge of neighbours changes only by messages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from sparing.control.folding.measures import saved
from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import bill_at, changes_of, live_of, messages_of, start_of, with_stale_members
from sparing.control.routing.churn import NEVER, LiveTopic, live_topics
from sparing.control.routing.folded import foldable, folded
from sparing.control.routing.network import Network
from sparing.control.routing.spread import spread_of
from sparing.flow.links import POLICIES
from sparing.model.bill import MessageKind
from sparing.model.box import Box
from sparing.model.constraint import IS_NULL, between, one_of
from sparing.model.functions import function
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Covering, DecisionRule, Folding, Matchmaker, Policy
from sparing.model.subscription import Advertisement, Aggregation, Output, Query, Subscription
from sparing.model.types import float_code
from sparing.model.window import TimeWindow
from tests.control.covering.strategies import boxes
from tests.control.routing.worlds import TOPIC, Codes, points
from tests.flow.strategies import overlays, trees

SECOND = 1_000_000
METHODS = [Folding.MEFA, Folding.SPA, Folding.AA]


@st.composite
def folding_plans(draw: st.DrawFn, ranked: bool = False, changing: bool = True) -> Plan:
    """Plans with folding and overlapping subscriptions that start and end; with `ranked`, some have `top_k`."""
    overlay = draw(overlays(least=2, most=5))
    places = st.sampled_from(overlay.brokers)
    wanted = st.none() | st.integers(1, 2) if ranked else st.none()
    offered = [
        Advertisement(f"p{n}", draw(places), "t", draw(st.just(Box()) | boxes()), draw(wanted))
        for n in range(draw(st.integers(1, 2)))
    ]
    times = st.none() | st.integers(0, 60).map(lambda second: second * SECOND)
    subscriptions = []
    for n, box in enumerate(draw(st.lists(_wide | boxes(), min_size=2, max_size=9))):
        first, last = (draw(times), draw(times)) if changing else (None, None)
        if first is not None and last is not None and last <= first:
            last = None
        subscriptions.append(Subscription(f"s{n}", f"u{n}", Query("t", box), first, last))
    policy = Policy(
        folding=draw(st.sampled_from(METHODS)),
        theta=draw(st.none() | st.integers(0, 10)),
        hop=draw(st.sampled_from([0, SECOND, 5 * SECOND])),
        rate=draw(st.sampled_from([0.1, 1.0, 100.0])),
        covering=draw(st.sampled_from([Covering.NONE, Covering.ANCESTOR])),
        tree=draw(trees),
        matchmaker=draw(st.sampled_from([Matchmaker.SUBSCRIBE_EVERYWHERE, *Matchmaker])),
    )
    return make_plan(
        overlay,
        {"t": TOPIC},
        tuple(offered),
        {s.subscriber: (draw(places),) for s in subscriptions},
        tuple(subscriptions),
        bucket=1000,
        policy=policy,
    )


_wide = st.builds(
    lambda low, size: Box((("x", between(TOPIC.fields["x"], low, low + size)),)), st.integers(-3, 4), st.integers(1, 8)
)


def attracted(live: LiveTopic, plan: Plan, points: list[Codes]) -> dict[int, frozenset[int]]:
    """Link -> which points the entries that the neighbour knows attract."""
    known = {link: [members] for link, some in live.entries().items() for members in [set().union(*some)]}
    for link, stale in live.stale().items():
        known.setdefault(link, []).extend(stale_members for _, stale_members in stale)
    return {
        link: frozenset(
            at
            for at, point in enumerate(points)
            if any(plan.subscriptions[n].query.box.admits(point) for numbers in parts for n in numbers)
        )
        for link, parts in known.items()
    }


@given(folding_plans(ranked=True, changing=False))
def test_a_link_has_one_entry_per_cluster(plan: Plan):
    spread = spread_of(plan, plan.in_force(None))
    start = folded(spread)
    may = foldable(plan)
    for key, numbers in spread.forwarded.items():
        entries = start.members(numbers)
        assert sorted(np.concatenate(entries).tolist()) == numbers.tolist()
        assert len(entries) == len(start.entries[key])
        assert all(len(entry) == 1 or may[entry].all() for entry in entries)
    for topic in start.topics.values():
        assert saved(topic.problem, topic.folds.of) == topic.folds.benefit
        assert topic.folds.benefit <= topic.problem.possible()
    told = sum(len(numbers) for numbers in spread.forwarded.values())
    unfolded = bill_at(folded(spread_of(plan.with_policy(folding=Folding.NONE), plan.in_force(None))))
    benefit = sum(topic.folds.benefit for topic in start.topics.values())
    assert bill_at(start).total() == unfolded.total() - benefit
    event(f"saved {'something' if benefit else 'nothing'} of {'something' if told else 'nothing'}")


@given(folding_plans(), st.lists(points, min_size=5, max_size=30))
def test_entries_change_only_by_messages(plan: Plan, some: list[Codes]):
    start = start_of(plan)
    network = Network(start.spread, plan.in_force(None))
    live, folds = live_of(plan, "t", plan.in_force(None)), live_topics(start).get("t")
    if folds is None:
        return
    moments = sorted(
        (time, comes, number)
        for number, s in enumerate(plan.subscriptions)
        for time, comes in ((s.valid_from, True), (s.valid_until, False))
        if time is not None
    )
    before = attracted(folds, plan, some)
    for time, comes, number in [*moments, (10**12, None, -1)]:
        sent = {message.link for message in folds.until(time)}
        if comes is not None:
            messages = messages_of(network, live, number, comes, folds=folds, time=time)
            kinds = (MessageKind.SUBSCRIPTION, MessageKind.CHANNEL, MessageKind.COORDINATION)
            sent |= {link for kind, link, _ in messages if kind in kinds}
        after = attracted(folds, plan, some)
        for link in before.keys() | after.keys():
            if link not in sent:
                assert before.get(link, frozenset()) == after.get(link, frozenset())
        before = after
        # Every forwarded subscription is in exactly one entry.
        told = network.forwarded()
        entries = folds.entries()
        assert {link: sorted(n for members in found for n in members) for link, found in entries.items()} == {
            link: sorted(numbers) for link, numbers in told.items()
        }
        assert folds.saved == sum(len(members) - 1 for found in entries.values() for members in found)
    event(f"stale_members: {bool(folds.stale_members)}")
    event(f"stale for good: {bool(folds.stale())}")


@given(folding_plans())
def test_stale_members_were_forwarded_over_their_link(plan: Plan):
    changes = changes_of(start_of(plan))
    for stale_member in changes.stale_members:
        assert stale_member.since < stale_member.until
        routes = plan.routes
        home = plan.broker_of[stale_member.number]
        source = routes.source[stale_member.link]
        assert any(
            routes.link_of[source, root] == stale_member.link and bool(routes.passes(home, source, np.array([root]))[0])
            for root in plan.published["t"]
        )
    haunted = with_stale_members(plan)
    if haunted.changed is not None:
        assert haunted.changed == changes


@given(folding_plans())
def test_without_folding_there_are_no_stale_members_or_reconfigurations(plan: Plan):
    plain = plan.with_policy(folding=Folding.NONE)
    assert changes_of(start_of(plain)).stale_members == ()
    assert with_stale_members(plain) is plain


def chain(wanted: list[Subscription], method: Folding = Folding.MEFA, decision: str = "adock", **policy) -> Plan:
    """p - b, with all subscribers at b."""
    return make_plan(
        Overlay(("p", "b", "c"), (Link("p", "b"), Link("b", "c"))),
        {"t": TOPIC},
        (Advertisement("pub", "p", "t", Box()),),
        {s.subscriber: ("c",) for s in wanted},
        tuple(wanted),
        bucket=1000,
        policy=Policy(
            decision=decision,
            covering=Covering.NONE,
            matchmaker=Matchmaker.SUBSCRIBE_EVERYWHERE,
            folding=method,
            **policy,
        ),
    )


def on_x(
    id_: str, low: int | None, high: int | None, first: int | None = None, last: int | None = None
) -> Subscription:
    box = Box.of({"x": between(TOPIC.fields["x"], low, high)})
    assert box is not None
    return Subscription(id_, id_, Query("t", box), first, last)


WINDOW = Aggregation((Output("n", function("count", None), None),), TimeWindow(10, 10, 0))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [3, 120])
def test_subscriptions_with_aggregatable_windows_are_not_folded(method: Folding, count: int):
    plain = [on_x(f"s{n:03}", n, n + 20) for n in range(count)]
    windows = [replace(s, id=f"w{s.id}", query=replace(s.query, aggregation=WINDOW)) for s in plain[:2]]
    start = start_of(chain([*plain, *windows], method, theta=10**6))
    (topic,) = start.topics.values()
    clusters = {plan_id for members in topic.clusters() for plan_id in members.tolist()}
    assert clusters == set(range(count))
    assert {len(entries) for entries in start.entries.values()} == {3}
    raw = start_of(chain([*plain, *windows], method, "subscriber-edge", theta=10**6))
    assert {len(entries) for entries in raw.entries.values()} == {1}


def test_new_subscriptions_are_folded():
    later = [on_x(f"s{n:02}", n, n + 30, first=(n + 1) * SECOND) for n in range(40)]
    alone, together = (
        changes_of(start_of(chain(later, method))).bill.total() for method in (Folding.NONE, Folding.MEFA)
    )
    assert alone == 80
    assert together <= 80  # a new subscription that needs a message joins then
    plan = chain(later)
    start = start_of(plan)
    network = Network(start.spread, plan.in_force(None))
    live, folds = live_of(plan, "t", plan.in_force(None)), live_topics(start)["t"]
    for number in range(40):
        list(messages_of(network, live, number, True, folds=folds, time=(number + 1) * SECOND))
    assert folds.saved >= 0.5 * 0.8 * 78  # of what is possible: one entry on each link instead of 40


@pytest.mark.parametrize(
    "leaves",
    [
        Subscription("s", "s", Query("t", Box())),
        on_x("s", 3, None),
        Subscription("s", "s", Query("t", Box((("x", IS_NULL),)))),
        Subscription("s", "s", Query("t", Box((("y", one_of(TOPIC.fields["y"], [float_code(9.5)])),)))),
    ],
)
def test_every_false_range_is_reconfigured_eventually(leaves: Subscription):
    others = [on_x("t", None, 5), on_x("u", None, 7)]
    plan = chain([replace(leaves, valid_until=SECOND), *others], theta=100, rate=10.0)
    changes = changes_of(start_of(plan))
    assert changes.stale_members
    assert all(stale_member.until < 10**12 for stale_member in changes.stale_members)
    assert changes.bill.by_kind() == {"coordination": 2}


def test_no_reconfiguration_after_the_latest_time():
    wide = [on_x("t", 0, 10**9), on_x("u", 5, 10**9 + 7)]
    plan = chain([on_x("s", 10**9 + 7, 10**9 + 8, last=SECOND), *wide], theta=100, rate=1e-12)
    changes = changes_of(start_of(plan))
    assert changes.bill.total() == 0
    assert {stale_member.until for stale_member in changes.stale_members} == {NEVER}


def test_all_subscriptions_are_foldable_under_policies_that_never_aggregate():
    assert {name for name, policy in POLICIES.items() if policy.at_once} == {d for d in DecisionRule if d.raw} != set()
