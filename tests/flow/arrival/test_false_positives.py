"""Folding changes no delivery; what it attracts in vain is billed, link by link, and is as much as was predicted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import changes_of, live_of, messages_of, start_of, with_stale_members
from sparing.control.routing.churn import LiveTopic, live_topics
from sparing.control.routing.network import Network
from sparing.control.summary.plan_summary import summary_of
from sparing.flow.walk import Walk
from sparing.model.bill import Bill, MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Covering, Folding, Matchmaker, Policy
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.types import DOUBLE, INT, float_code
from tests.flow.strategies import (
    FIRST,
    LAST,
    TOPICS,
    batch,
    batches,
    boxes,
    events_of,
    overlays,
    published,
    queries,
    results_of,
    sampling_queries,
    trees,
)
from tests.judges.overlay import Publication, used

EAGER = 1e6  # publications a second: false ranges become too dear within microseconds


@st.composite
def folding_plans(draw: st.DrawFn) -> Plan:
    """Plain subscriptions that overlap and mostly leave, some windows (also with gaps), a few publishers."""
    overlay = draw(overlays(least=3, most=5))
    places = st.sampled_from(overlay.brokers)
    plain = st.builds(lambda box: Query("t", box), st.one_of(_on_x, _on_x, _on_x, boxes()))
    some = draw(st.lists(plain, min_size=3, max_size=7)) + draw(st.lists(queries() | sampling_queries(), max_size=2))
    bounds = st.one_of(st.none(), st.integers(FIRST, FIRST + 6), st.integers(FIRST, LAST))
    subscriptions = []
    for n, query in enumerate(some):
        first, last = draw(st.sampled_from([None, None, None, FIRST + 9])), draw(bounds)
        if first is not None and last is not None and last <= first:
            first = None
        subscriptions.append(Subscription(f"s{n}", f"u{n}", query, first, last))
    offered = [
        Advertisement(f"p{b}", b, topic, Box())
        for b in draw(st.sets(places, min_size=1, max_size=2))
        for topic in TOPICS
    ]
    policy = Policy(
        folding=draw(st.sampled_from([Folding.MEFA, Folding.AA])),
        theta=draw(st.sampled_from([None, 100, 100])),
        hop=draw(st.sampled_from([0, 1, 3])),
        rate=draw(st.sampled_from([1.0, EAGER / 4, EAGER])),
        decision=draw(st.sampled_from(["adock", "subscriber-edge"])),
        covering=draw(st.sampled_from([Covering.NONE, Covering.ANCESTOR])),
        tree=draw(trees),
        matchmaker=draw(st.sampled_from([*[Matchmaker.SUBSCRIBE_EVERYWHERE] * 3, *Matchmaker])),
    )
    return make_plan(
        overlay,
        TOPICS,
        tuple(offered),
        {s.subscriber: (draw(places),) for s in subscriptions},
        tuple(subscriptions),
        bucket=7,
        policy=policy,
    )


_on_x = st.builds(lambda low, size: Box((("x", between(INT, low, low + size)),)), st.integers(0, 6), st.integers(1, 4))


@st.composite
def cases(draw: st.DrawFn) -> tuple[Plan, list[Publication]]:
    plan = draw(folding_plans())
    there = {ad.broker for ad in plan.advertisements}
    return plan, [p for p in draw(published(plan, least=12, most=30)) if p.at in there]


def admits(plan: Plan, number: int, p: Publication) -> bool:
    query = plan.subscriptions[number].query
    codes = {"x": p.x, "y": None if p.y is None else float_code(p.y), "s": p.s, "ts": p.time}
    return query.topic == p.topic and query.box.admits(codes) and used(plan.subscriptions[number], p)


def path(plan: Plan, at: int, goal: int) -> list[int]:
    links = []
    while at != goal:
        links.append(int(plan.routes.link_of[at, goal]))
        at = int(plan.routes.target[links[-1]])
    return links


def states(plan: Plan, topic: str, times: list[int]) -> dict[int, dict[int, set[int]]]:
    """Time -> link -> those whom entries there stand for although they are told there no more."""
    start = start_of(plan)
    network = Network(start.spread, plan.in_force(None))
    live = {name: live_of(plan, name, plan.in_force(None)) for name in plan.topics}
    folds = live_topics(start)
    moments = sorted(
        (time, comes, number)
        for number, s in enumerate(plan.subscriptions)
        for time, comes in ((s.valid_from, True), (s.valid_until, False))
        if time is not None
    )
    found = {}
    for now in sorted(set(times)):
        while moments and moments[0][0] <= now:
            time, comes, number = moments.pop(0)
            mine = plan.subscriptions[number].query.topic
            for fold in folds.values():
                list(fold.until(time))
            list(messages_of(network, live[mine], number, comes, folds=folds.get(mine), time=time))
        for fold in folds.values():
            list(fold.until(now))
        found[now] = _standing_for(folds[topic], now) if topic in folds else {}
    return found


def _standing_for(fold: LiveTopic, now: int) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for link, stale in fold.stale().items():
        found.setdefault(link, set()).update(n for _, stale_members in stale for n in stale_members)
    for stale_member in fold.stale_members:  # of entries that have been replaced, and go a little later
        if stale_member.since <= now < stale_member.until:
            found.setdefault(stale_member.link, set()).add(stale_member.number)
    return found


def expected(plan: Plan, publications: list[Publication]) -> Counter[tuple[int, int]]:
    """(Link, time) -> false positives, worked out one publication and one link at a time."""
    found: Counter[tuple[int, int]] = Counter()
    for topic in TOPICS:
        mine = [p for p in publications if p.topic == topic]
        at_times = states(plan, topic, [p.time for p in mine])
        for p in mine:
            at, in_force = plan.routes.number[p.at], plan.in_force(p.time)
            wanted, attracted = set(), set()
            for number in range(len(plan.subscriptions)):
                if in_force[number] and admits(plan, number, p):
                    wanted.update(path(plan, at, int(plan.broker_of[number])))
            gone = [
                (link, number)
                for link, numbers in at_times[p.time].items()
                for number in numbers
                if not in_force[number] and admits(plan, number, p)
            ]
            attracted.update(plan.routes.reverse(link) for link, _ in gone)
            for _, number in gone:
                for link in path(plan, at, int(plan.broker_of[number])):
                    if link not in wanted | attracted:
                        break
                    if link not in wanted:
                        found[link, p.time] |= 1 << int(p.id[1:])  # each publication once
    return Counter({key: ids.bit_count() for key, ids in found.items()})


@given(cases())
def test_deliveries_stay_and_false_positives_are_billed_as_a_slow_walk_finds_them(case):
    plan, publications = case
    plain = plan.with_policy(folding=Folding.NONE)
    ours, theirs = (
        Walk(some).feed(batches(some, publications)) for some in (with_stale_members(plan), with_stale_members(plain))
    )
    assert events_of(plan, [ours]) == events_of(plan, [theirs])
    assert results_of(plan, [ours]) == results_of(plan, [theirs])
    false = ours.bill.only(MessageKind.FALSE_POSITIVE)
    as_publications = Bill({key._replace(kind=MessageKind.PUBLICATION): n for key, n in false.items()})
    assert ours.bill.only(*(kind for kind in MessageKind if kind is not MessageKind.FALSE_POSITIVE)) == (
        theirs.bill + as_publications
    )
    names = plan.routes.brokers
    slow: Counter[tuple[str, str, int]] = Counter()
    for (link, time), messages in expected(plan, publications).items():
        slow[names[plan.routes.source[link]], names[plan.routes.target[link]], time // 7 * 7] += messages
    assert Counter({(key.source, key.target, key.bucket): n for key, n in false.items()}) == slow
    event(f"false positives: {bool(false)}")
    event(f"stale_members: {bool(changes_of(start_of(plan)).stale_members)}")


def chain(rate: float, hop: int, until: int, newcomer: Subscription | None = None) -> Plan:
    """The slides' example: p - b2 - b1, s1 and s2 at b1, s3 at b2; s1 leaves."""
    ranges = {"s1": (0, 4), "s2": (3, 10), "s3": (4, 9)}
    subscriptions = [
        Subscription(id_, id_, Query("t", box(*ends)), valid_until=until if id_ == "s1" else None)
        for id_, ends in ranges.items()
    ]
    subscriptions += [] if newcomer is None else [newcomer]
    return make_plan(
        Overlay(("p", "b2", "b1"), (Link("p", "b2"), Link("b2", "b1"))),
        TOPICS,
        (Advertisement("pp", "p", "t", box(0, 10)),),
        {"s1": ("b1",), "s2": ("b1",), "s3": ("b2",), "new": ("b1",)},
        tuple(subscriptions),
        bucket=1_000_000_000,
        policy=Policy(
            covering=Covering.NONE,
            matchmaker=Matchmaker.SUBSCRIBE_EVERYWHERE,
            folding=Folding.MEFA,
            theta=3,
            hop=hop,
            rate=rate,
        ),
    )


def box(low: float, high: float) -> Box:
    return Box((("y", between(DOUBLE, float_code(low), float_code(high))),))


SECOND = 1_000_000


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_on_uniform_publications_there_are_as_many_as_the_false_range_predicts(rate):
    plan = with_stale_members(chain(rate, SECOND, until=10 * SECOND))
    # 0.3 of the space is false on two links, so that two messages are owed after 2 / (2 * 0.3 * rate) seconds, and the
    # report takes two hops.
    ends = 10 + 1 / (0.3 * rate) + 2
    assert plan.changed is not None
    links = [(plan.routes.number["b1"], plan.routes.number["b2"]), (plan.routes.number["b2"], plan.routes.number["p"])]
    assert sorted(plan.changed.stale_members) == sorted(
        (0, int(plan.routes.link_of[link]), 10 * SECOND, int(ends * SECOND)) for link in links
    )
    rng = np.random.default_rng(5)
    count = 20_000
    times = np.sort(rng.integers(0, 40 * SECOND, count))
    values = rng.uniform(0, 10, count)
    found = [
        Publication(f"i{n}", int(time), "p", y=float(value))
        for n, (time, value) in enumerate(zip(times, values, strict=True))
    ]
    bill = Walk(plan).feed([batch(plan, "t", found)]).bill
    false = {(key.source, key.target): n for key, n in bill.items() if key.kind is MessageKind.FALSE_POSITIVE}
    meanwhile = int(((times >= 10 * SECOND) & (times < int(ends * SECOND))).sum())
    for link in [("p", "b2"), ("b2", "b1")]:
        mean, deviation = 0.3 * meanwhile, (meanwhile * 0.3 * 0.7) ** 0.5
        assert abs(false[link] - mean) < 4 * deviation
    assert false.keys() == {("p", "b2"), ("b2", "b1")}


def test_who_comes_into_a_false_range_takes_it_over_without_a_message():
    newcomer = Subscription("s4", "new", Query("t", box(0, 3)), valid_from=12 * SECOND)
    with_, without = (changes_of(start_of(chain(0.1, SECOND, 10 * SECOND, some))) for some in (newcomer, None))
    assert with_.bill.total() == 0  # and nobody need be told that s1 has left
    assert without.bill.by_kind() == {"coordination": 2}
    plan = with_stale_members(chain(0.1, SECOND, 10 * SECOND, newcomer))
    early, late = (
        [Publication(f"i{n}", (11 + 2 * when) * SECOND, "p", y=1.0 + n / 10) for n in range(10)] for when in (0, 1)
    )
    bills = [Walk(plan).feed([batch(plan, "t", some)]).bill.by_kind() for some in (early, late)]
    assert bills == [{"false_positive": 20, "publication": 20}, {"notification": 10, "publication": 20}]


def test_a_leave_is_told_at_once_where_nobody_else_is_folded_with_it():
    plan = chain(1.0, SECOND, until=10 * SECOND)
    alone = plan.with_policy(theta=1)  # s2 and s3 at b2 only, the cheapest
    changes = changes_of(start_of(alone))
    assert changes.stale_members == ()
    assert changes.bill.by_kind() == {"subscription": 2}


@pytest.mark.parametrize(("cover_at", "risk", "false"), [("left", 0, 0), ("right", 10, 500)])
def test_the_risk_counts_only_members_that_share_a_link(cover_at: str, risk: float, false: int):
    """s1 and s2 at `left` halve the space and s3 wants all of it; what s1 leaves is covered only over its own link."""
    ends, homes = {"s1": (0, 5), "s2": (5, 10), "s3": (0, 10)}, {"s1": "left", "s2": "left", "s3": cover_at}
    plan = make_plan(
        Overlay(("p", "left", "right"), (Link("p", "left"), Link("p", "right"))),
        TOPICS,
        (Advertisement("pp", "p", "t", box(0, 10)),),
        {id_: (home,) for id_, home in homes.items()},
        tuple(
            Subscription(id_, id_, Query("t", box(*ends[id_])), valid_until=SECOND if id_ == "s1" else None)
            for id_ in ends
        ),
        bucket=1_000_000_000,
        policy=Policy(
            covering=Covering.NONE,
            matchmaker=Matchmaker.SUBSCRIBE_EVERYWHERE,
            folding=Folding.MEFA,
            theta=1,
            rate=1e-9,  # no leave is worth a reconfiguration
        ),
    )
    (folding,) = summary_of(plan).foldings
    assert folding.cost == pytest.approx(risk)
    some = [Publication(f"i{n}", 2 * SECOND + n, "p", y=n / 100) for n in range(1000)]
    bill = Walk(with_stale_members(plan)).feed([batch(plan, "t", some)]).bill.by_kind()
    assert bill.get("false_positive", 0) == false
