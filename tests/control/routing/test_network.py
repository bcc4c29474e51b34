"""Routing during changes: tables equal recomputed ones, no delivery is lost, and the k best are chosen."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.control.plan import Plan, make_plan
from sparing.control.routing.network import OWN, Network
from sparing.control.routing.spread import Spread, spread_of
from sparing.model.expression import Attribute
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Covering, Policy
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.types import INT
from tests.control.covering.test_covers import table_i
from tests.control.routing.worlds import TOPIC, Codes, best, by_hops, plans, points, reached

steps = st.lists(st.integers(0, 11), max_size=12)


def emptied(plan: Plan) -> Network:
    """The plan's brokers before anybody has subscribed."""
    return network(plan, np.zeros(len(plan.subscriptions), bool))


def network(plan: Plan, in_force: np.ndarray) -> Network:
    return Network(spread_of(plan, in_force), in_force)


def full(plan: Plan) -> Network:
    """Return the plan's brokers after all subscriptions."""
    return network(plan, np.ones(len(plan.subscriptions), bool))


def change(network: Network, there: set[int], number: int) -> None:
    if number in there:
        there.discard(number)
        network.unsubscribe(number)
    else:
        there.add(number)
        network.subscribe(number)


def settled(plan: Plan, network: Network, there: set[int]) -> Spread:
    """Return the recomputed knowledge of brokers under the network's markings."""
    in_force = np.isin(np.arange(len(plan.subscriptions)), list(there))
    return spread_of(plan, in_force, s_links=network.s_links)


def check_told(plan: Plan, network: Network, there: set[int]) -> None:
    spread = settled(plan, network, there)
    expected: dict[int, set[int]] = {}
    for (link, _), numbers in spread.forwarded.items():
        expected.setdefault(link, set()).update(numbers.tolist())
    assert network.forwarded() == expected
    assert network.top_k_announced() == {link: len(sets) for link, sets in spread.announced.items()}


@given(plans(), steps, st.booleans())
def test_incremental_messages_lead_to_recomputed_tables(plan: Plan, numbers: list[int], all_there: bool) -> None:
    network = full(plan) if all_there else emptied(plan)
    there = set(range(len(plan.subscriptions))) if all_there else set()
    check_told(plan, network, there)
    for number in numbers:
        if number < len(plan.subscriptions):
            change(network, there, number)
            messages = list(network.settle())
            assert len({(m.link, m.number) for m in messages}) == len(messages), "forwarded and withdrawn at once"
            check_told(plan, network, there)


@given(plans(), steps, st.lists(points, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_publications_reach_all_matches_during_changes(
    plan: Plan, numbers: list[int], published: list[Codes], random: st.DataObject
) -> None:
    """While messages are in transit, in any order, every subscription that stays is reached."""
    network, there = full(plan), set(range(len(plan.subscriptions)))

    def all_reached(staying: set[int]) -> None:
        for matching_set in plan.matching_sets:
            at = plan.routes.number[matching_set.advertisement.broker]
            for point in published:
                if matching_set.advertisement.box.admits(point):
                    matching = {n for n in staying if plan.subscriptions[n].query.box.admits(point)}
                    assert matching <= reached(plan, at, lambda broker: network.known[broker], point)

    all_reached(there)
    for number in numbers:
        if number < len(plan.subscriptions):
            before = set(there)
            change(network, there, number)
            while network.in_transit:
                all_reached(before & there)
                network.step(random.randrange(len(network.in_transit)))
            all_reached(there)


@given(plans(), steps, st.lists(points, min_size=1, max_size=6), st.integers(1, 3))
@settings(deadline=None)
def test_hop_by_hop_choice_equals_regular_k(plan: Plan, numbers: list[int], published: list[Codes], wish: int) -> None:
    """Theorems 1 to 3, over any overlay, with scores that depend on the publication or not, and under churn."""
    network, there = full(plan), set(range(len(plan.subscriptions)))
    for number in [-1, *numbers]:
        if 0 <= number < len(plan.subscriptions):
            change(network, there, number)
            list(network.settle())
        for matching_set in plan.matching_sets:
            if matching_set.advertisement.top_k is None:
                continue
            k = min(wish, matching_set.advertisement.top_k)
            for point in published:
                if matching_set.advertisement.box.admits(point):
                    everybody = there & set(matching_set.numbers.tolist())
                    regular_k = set(best(plan, matching_set, everybody, point, k))
                    assert by_hops(plan, matching_set, lambda broker: network.known[broker], point, k) == regular_k


def three_brokers(covering: Covering, rank: Rank, k: int) -> Plan:
    """Figure 2: a publisher at B1, the subscriptions of Table I at B2, one more at B3."""
    found = [Subscription(f"s{n}", f"u{n}", Query("t", box), attributes=(("w", float(n)),))
             for n, box in enumerate(table_i(), 1)]  # fmt: skip
    found.append(Subscription("s8", "u8", Query("t", table_i()[1]), attributes=(("w", 4.5),)))
    homes = {s.subscriber: ("B3",) if s.id == "s8" else ("B2",) for s in found}
    overlay = Overlay(("B1", "B2", "B3"), (Link("B1", "B2"), Link("B1", "B3")))
    topic = TOPIC.__class__("t", "ts", {"x": INT, "y": INT, "ts": TOPIC.fields["ts"]})
    offered = (Advertisement("p", "B1", "t", table_i()[0], k, rank),)
    return make_plan(overlay, {"t": topic}, offered, homes, tuple(found), bucket=1000, policy=Policy(covering=covering))


def test_figure_2() -> None:
    plan = three_brokers(Covering.ANCESTOR, Rank(BoxScore.AREA, Fairness.NONE), 2)
    link = next(at for at in range(4) if plan.routes.brokers[plan.routes.source[at]] == "B2")
    names = [plan.subscriptions[n].id for n in full(plan).forwarded()[link]]
    assert sorted(names) == ["s1", "s2", "s3", "s4"]


def test_regular_cover_loses_top_k_matches() -> None:
    """s1 contains all others, but ranks last: if only s1 were forwarded, the two best would never be found."""
    rank = Rank(Attribute("w"), Fairness.NONE)
    point: Codes = {"x": 4, "y": 3}
    right = three_brokers(Covering.ANCESTOR, rank, 2)
    matching_set = right.matching_sets[0]
    known = full(right).known
    expected = set(best(right, matching_set, matching_set.numbers.tolist(), point, 2))
    assert by_hops(right, matching_set, lambda broker: known[broker], point, 2) == expected
    geometric = three_brokers(Covering.ANCESTOR, Rank(None, Fairness.WEIGHTED), 2)
    wrong = full(geometric).known
    assert by_hops(right, matching_set, lambda broker: wrong[broker], point, 2) != expected


def test_covered_subscriptions_are_forwarded_before_their_cover_is_withdrawn() -> None:
    plan = three_brokers(Covering.REGULAR, Rank(), None)  # type: ignore[arg-type]
    network = full(plan)
    number = {s.id: n for n, s in enumerate(plan.subscriptions)}
    network.unsubscribe(number["s1"])
    messages = [(plan.subscriptions[m.number].id, m.withdrawn) for m in network.in_transit]
    assert messages == [("s2", False), ("s3", False), ("s4", False), ("s1", True)]
    assert network.known[plan.routes.number["B2"]][number["s2"]] == OWN
