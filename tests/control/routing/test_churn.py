"""Changes of subscriptions and markings: every match is delivered exactly once, and all messages are billed."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.matchmaker.live_marking import LiveMarking
from sparing.control.plan import Plan, make_plan
from sparing.control.routes import Routes
from sparing.control.routing.billing import SLACK, bill_at, control_bill, live_of, messages_of
from sparing.control.routing.folded import folded
from sparing.control.routing.network import OWN, Network
from sparing.control.routing.snapshot import RoutingSnapshot, difference, snapshot_of
from sparing.control.routing.spread import Spread, spread_of
from sparing.deployment.deployment import Deployment
from sparing.deployment.planning import plan_of
from sparing.graphs.trees import components
from sparing.model.bill import Bill, MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Matchmaker, Policy
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.types import INT
from tests.control.matchmaker.test_live_marking import random_overlay
from tests.control.routing.test_network import check_told
from tests.control.routing.worlds import TOPIC, Codes, Knows, beyond, plans, points, reached


def start(plan: Plan, there: set[int], slack: float = 0.0) -> tuple[Network, LiveMarking]:
    """Return the initial network and a live marking, without slack."""
    in_force = np.isin(np.arange(len(plan.subscriptions)), list(there))
    return Network(spread_of(plan, in_force), in_force), live_of(plan, "t", in_force, slack)


def all_reached(plan: Plan, knows: Knows, staying: set[int], published: list[Codes]) -> None:
    """Whoever stays gets what matches, from every publisher, over one way only."""
    for matching_set in plan.matching_sets:
        at = plan.routes.number[matching_set.advertisement.broker]
        for point in published:
            if matching_set.advertisement.box.admits(point):
                matching = {n for n in staying if plan.subscriptions[n].query.box.admits(point)}
                assert matching <= reached(plan, at, knows, point)


@given(
    plans(matchmaker=Matchmaker.MIN_COST),
    st.lists(st.integers(0, 11), max_size=10),
    st.lists(points, min_size=1, max_size=3),
    st.sampled_from([0.0, SLACK]),
    st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_publications_reach_all_matches_while_links_are_marked_again(
    plan: Plan, numbers: list[int], published: list[Codes], slack: float, chance: random.Random
) -> None:
    there = set(range(0, len(plan.subscriptions), 2))
    network, live = start(plan, there, slack)

    def settle(staying: set[int]) -> None:
        while network.in_transit:
            all_reached(plan, network.known.__getitem__, staying, published)
            network.step(chance.randrange(len(network.in_transit)))
        all_reached(plan, network.known.__getitem__, staying, published)

    for number in numbers:
        if number >= len(plan.subscriptions):
            continue
        home = int(plan.broker_of[number])
        staying = there - {number}
        if number in there:
            there.discard(number)
            network.unsubscribe(number)
            settle(staying)
            live.subscribe(home, -1)
            network.update_marking("t", live.s_link)
            settle(staying)
        else:
            there.add(number)
            live.subscribe(home, 1)
            network.update_marking("t", live.s_link)
            settle(staying)
            network.subscribe(number)
            settle(staying)
        assert network.s_links["t"].tolist() == live.s_link.tolist()
        if not slack:
            check_markings(plan, network, there)
        all_reached(plan, network.known.__getitem__, there, published)


def check_markings(plan: Plan, network: Network, there: set[int]) -> None:
    in_force = np.isin(np.arange(len(plan.subscriptions)), list(there))
    assert network.s_links["t"].tolist() == plan.marking("t", in_force).s_link.tolist()


@given(plans(matchmaker=Matchmaker.MIN_COST, tree="shared"), st.lists(st.integers(0, 11), max_size=10))
@settings(deadline=None)
def test_incremental_messages_equal_recomputation_under_the_new_marking(plan: Plan, numbers: list[int]) -> None:
    there: set[int] = set()
    network, live = start(plan, there)
    for number in numbers:
        if number < len(plan.subscriptions):
            list(messages_of(network, live, number, number not in there))
            there ^= {number}
            check_markings(plan, network, there)
            check_told(plan, network, there)


@given(plans(), st.lists(st.integers(0, 11), max_size=8))
@settings(deadline=None)
def test_billed_messages_equal_the_change_of_the_routing_state(plan: Plan, numbers: list[int]) -> None:
    """Somebody who comes and leaves at once costs messages, but changes nothing in the end."""
    everybody = set(range(len(plan.subscriptions)))
    network, live = start(plan, everybody)
    before = network.forwarded(), network.top_k_announced(), live.s_link.tolist(), live.cost
    for number in numbers:
        if number < len(plan.subscriptions):
            gone = list(messages_of(network, live, number, False))
            come = list(messages_of(network, live, number, True))
            for kind in (MessageKind.ADVERTISEMENT, MessageKind.COORDINATION):
                assert _total(gone, kind) == _total(come, kind) or kind is MessageKind.COORDINATION
    after = network.forwarded(), network.top_k_announced(), live.s_link.tolist(), live.cost
    if plan.shared:
        assert after == before
    else:
        assert after[2:] == before[2:]


def _total(messages: list[tuple[MessageKind, int, int]], kind: MessageKind) -> int:
    return sum(count for found, _, count in messages if found is kind)


def world(seed: int, tree: str) -> Plan:
    """Fourteen brokers in a mesh, five publishers, 160 subscriptions."""
    chance = random.Random(seed)
    overlay = random_overlay(chance, 14, 8)

    def box(least: int, most: int) -> Box:
        low = chance.randint(0, 60)
        found = Box.of({"x": between(INT, low, low + chance.randint(least, most))})
        assert found is not None
        return found

    offered = tuple(Advertisement(f"p{n}", chance.choice(overlay.brokers), "t", box(10, 40)) for n in range(5))
    subscriptions = tuple(Subscription(f"s{n:03}", f"u{n:03}", Query("t", box(1, 20))) for n in range(160))
    homes = {s.subscriber: (chance.choice(overlay.brokers),) for s in subscriptions}
    return make_plan(overlay, {"t": TOPIC}, offered, homes, subscriptions, bucket=1000, policy=Policy(tree=tree))


@pytest.mark.parametrize("tree", ["shared", "per-source"])
def test_a_thousand_steps_deliver_every_match_exactly_once(tree: str) -> None:
    plan, chance = world(7, tree), random.Random(7)
    there: set[int] = set()
    network, live = start(plan, there)
    billed: dict[str, int] = {}
    for step in range(1_000):
        number = chance.randrange(len(plan.subscriptions))
        for kind, link, messages in messages_of(network, live, number, number not in there):
            assert 0 <= link < len(plan.routes.source)
            billed[kind.value] = billed.get(kind.value, 0) + messages
        there ^= {number}
        check_markings(plan, network, there)
        if step % 10 == 0:
            point: Codes = {"x": chance.randint(0, 80)}
            all_reached(plan, network.known.__getitem__, there, [point])
            once(plan, network.known.__getitem__, point)
    assert sorted(billed) == ["advertisement", "channel", "coordination", "subscription"]


def once(plan: Plan, knows: Knows, point: Codes) -> None:
    """A publication comes to every broker at most once."""
    for matching_set in plan.matching_sets:
        at = plan.routes.number[matching_set.advertisement.broker]
        seen, ahead = {at}, [at]
        while ahead:
            broker = ahead.pop()
            matching = {
                via
                for n, via in beyond(plan, at, broker, knows).items()
                if via >= 0 and plan.subscriptions[n].query.box.admits(point)
            }
            assert matching.isdisjoint(seen)
            seen |= matching
            ahead += matching


@given(plans())
def test_messages_without_covering_equal_the_cost_of_the_marking(plan: Plan) -> None:
    """Advertisements on p-links and subscriptions on s-links, by weight: the cost that was minimized."""
    spread = spread_of(plan, np.ones(len(plan.subscriptions), bool), covering=False)
    cost = sum(int(plan.weights[link]) for link, _ in spread.advertised())
    for (link, kind), numbers in spread.forwarded.items():
        climbing = [n for n in numbers.tolist() if kind is MessageKind.SUBSCRIPTION]
        cost += int(plan.weights[link]) * len(climbing)
    assert cost == sum(marking.cost for marking in spread.markings.values())
    bill = bill_at(folded(spread))
    assert bill.by_kind().get("advertisement", 0) == len(list(spread.advertised()))


def known_by(spread: Spread) -> list[dict[int, int]]:
    """Broker -> subscription -> the neighbour that forwarded it, from the forwarded subscriptions of links."""
    plan = spread.plan
    known: list[dict[int, int]] = [{} for _ in plan.routes.brokers]
    for (link, _), numbers in spread.forwarded.items():
        for number in numbers.tolist():
            assert number not in known[plan.routes.target[link]], (
                "no broker receives a subscription from two neighbours"
            )
            known[plan.routes.target[link]][number] = int(plan.routes.source[link])
    for number, home in enumerate(plan.broker_of.tolist()):
        known[home][number] = OWN
    return known


@pytest.mark.parametrize("tree", ["shared", "per-source"])
def test_added_and_removed_publishers_subscribers_and_links(tree: str) -> None:
    """In every plan, each match is reached once, and the differences to the previous plan are billed."""
    whole, chance = world(3, tree), random.Random(3)
    overlay = random_overlay(random.Random(3), 14, 8)
    homes = {
        s.subscriber: (whole.routes.brokers[b],) for s, b in zip(whole.subscriptions, whole.broker_of, strict=True)
    }
    there, offered, cut = set(range(0, 160, 3)), set(range(5)), list[Link]()
    before = Bill(), RoutingSnapshot()
    billed = 0
    for step in range(250):
        what = chance.random()
        if what < 0.6:
            there ^= {chance.randrange(160)}
        elif what < 0.8:
            offered ^= {chance.randrange(5)}
        elif cut and chance.random() < 0.5:
            overlay = Overlay(overlay.brokers, (*overlay.links, cut.pop(0)))
        else:
            at = chance.randrange(len(overlay.links))
            fewer = Overlay(overlay.brokers, (*overlay.links[:at], *overlay.links[at + 1 :]))
            if len(components(fewer.neighbours)) == 1:
                cut.append(overlay.links[at])
                overlay = fewer
        plan = make_plan(
            overlay,
            {"t": TOPIC},
            tuple(whole.advertisements[n] for n in sorted(offered)),
            homes,
            tuple(whole.subscriptions[n] for n in sorted(there)),
            bucket=1000,
            policy=Policy(tree=tree),
        )
        spread = spread_of(plan, plan.in_force(None))
        assert spread.markings["t"].demand.valid(spread.markings["t"].s_link)
        after = control_bill(plan, folded(spread)), snapshot_of(folded(spread))
        assert difference((Bill(), RoutingSnapshot()), after) == after[0]
        billed += difference(before, after).total() < after[0].total()
        before = after
        if step % 5 == 0:
            point: Codes = {"x": chance.randint(0, 80)}
            knows = known_by(spread).__getitem__
            all_reached(plan, knows, set(range(len(plan.subscriptions))), [point])
            once(plan, knows, point)
    assert billed > 200, "most changes cost less than to tell everything again"


def test_top_k_advertisements_are_announced_while_a_match_is_beyond_an_s_link() -> None:
    """A link becomes an s-link when s2 leaves; s0 and s1, which match the top-k advertisement, are announced again."""
    what = {
        "name": "two",
        "overlay": {"brokers": ["a", "b"], "links": [["a", "b"]]},
        "topics": {"t": {"time": "ts", "fields": {"x": "int", "ts": "timestamp"}}},
        "publishers": [
            {"id": "p0", "at": "a", "topic": "t", "top_k": 1, "where": "x >= 1 AND x <= 3", "rank": "subscription.w"},
            {"id": "p1", "at": "a", "topic": "t", "where": "x = 100"},
        ],
        "subscribers": [{"id": "u", "at": "b"}],
        "subscriptions": [
            {"id": f"s{n}", "subscriber": "u", "sql": f"SELECT * FROM t WHERE {where}", "attributes": {"w": w}}
            for n, (where, w) in enumerate([("x BETWEEN 0 AND 6", 1), ("x BETWEEN 1 AND 4", 8), ("x IN (0, 1)", 8)])
        ],
    }
    plan = plan_of(Deployment.of(what))
    there = {0, 1, 2}
    network, live = start(plan, there)
    for number in (2, 1, 1, 1, 0):
        list(messages_of(network, live, number, number not in there))
        there ^= {number}
        check_markings(plan, network, there)
        check_told(plan, network, there)


def test_no_withdrawal_crosses_a_removed_link() -> None:
    whole = world(3, "shared")
    routes = whole.routes
    homes = {s.subscriber: (routes.brokers[b],) for s, b in zip(whole.subscriptions, whole.broker_of, strict=True)}
    overlay = random_overlay(random.Random(3), 14, 8)
    told = []
    for links in (overlay.links, tuple(k for k in overlay.links if (k.one, k.other) != first_cut(overlay, routes))):
        one = Overlay(overlay.brokers, links)
        args = {"t": TOPIC}, whole.advertisements, homes, whole.subscriptions
        plan = make_plan(one, *args, bucket=1000)
        spread = spread_of(plan, plan.in_force(None))
        told.append((control_bill(plan, folded(spread)), snapshot_of(folded(spread))))
    ends = set(first_cut(overlay, routes))
    assert any({key.source, key.target} == ends for key in told[0][0]), "it was in use"
    changed = difference(*told)
    assert changed
    assert not any({key.source, key.target} == ends for key in changed)


def first_cut(overlay: Overlay, routes: Routes) -> tuple[str, str]:
    """A link of the tree that others make up for."""
    used = {
        frozenset((routes.brokers[a], routes.brokers[b])) for a, b in zip(routes.source, routes.target, strict=True)
    }
    for link in sorted(overlay.links):
        fewer = Overlay(overlay.brokers, tuple(other for other in overlay.links if other != link))
        if frozenset((link.one, link.other)) in used and len(components(fewer.neighbours)) == 1:
            return link.one, link.other
    raise AssertionError("no such link")
