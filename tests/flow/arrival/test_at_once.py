"""What happens on arrival: plain deliveries, and raw publications on their way."""

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.interests import Interests
from sparing.model.bill import MessageKind
from sparing.model.box import Box
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Query, Subscription
from tests.flow import strategies
from tests.flow.links.known import PUBLISHER_EDGE
from tests.judges import overlay as judge
from tests.tries import tries


@given(st.data())
@settings(max_examples=tries(60))
def test_plain_deliveries_are_a_filter(data):
    plan = data.draw(strategies.plans(apart=True))
    publications = [p for p in data.draw(strategies.published(plan)) if p.topic == "t"]
    at_once = AtOnce(Interests(plan, data.draw(strategies.policies)))
    arrivals = list(at_once.arrive(strategies.batch(plan, "t", publications)))
    pairs = [
        (plan.subscriptions[s].id, publications[row].id)
        for arrival in arrivals
        for row, s in zip(arrival.plain.rows.tolist(), arrival.plain.subscriptions.tolist(), strict=True)
    ]
    assert sorted(pairs) == judge.events(plan, publications)
    assert all((np.diff(arrival.plain.rows) >= 0).all() for arrival in arrivals)
    assert not any(arrival.sent for arrival in arrivals)


@given(st.data())
@settings(max_examples=tries(60))
def test_a_publication_crosses_each_link_at_most_once(data):
    plan = data.draw(strategies.plans())
    interests = Interests(plan, data.draw(strategies.policies))
    at_once = AtOnce(interests)
    raw = {s.id: bool(interests.raw[n]) for n, s in enumerate(plan.subscriptions)}
    for p in data.draw(strategies.published(plan, most=5)):
        (arrival,) = at_once.arrive(strategies.batch(plan, p.topic, [p]))
        crossed = Counter({(k.source, k.target): n for k, n in arrival.bill.items() if k.kind == "publication"})
        expected = judge.crossed_at_once(plan, [p], lambda s: raw[s.id])
        assert crossed == Counter(expected[p.id])


@given(st.data())
@settings(max_examples=tries(60))
def test_what_is_held_lies_in_one_group_with_all_its_subscriptions(data):
    plan = data.draw(strategies.plans())
    publications = [p for p in data.draw(strategies.published(plan)) if p.topic == "t"]
    interests = Interests(plan, PUBLISHER_EDGE)
    names, group_of = interests.groups
    found = {}
    arrivals = AtOnce(interests).arrive(strategies.batch(plan, "t", publications))
    for group, matched in (held for arrival in arrivals for held in arrival.held.items()):
        assert set(matched.columns) == set(interests.held_fields["t"])
        for row, id_ in enumerate(matched.id.tolist()):
            assert id_ not in found
            held = matched.held[matched.starts[row] : matched.starts[row + 1]].tolist()
            assert {names[group_of[number]] for number in held} == {group}
            found[id_] = sorted(plan.subscriptions[number].id for number in held)
    expected = {}
    for number, subscription in enumerate(plan.subscriptions):
        if not judge.is_plain(subscription) and subscription.query.topic == "t":
            for p in judge.matching(plan, number, publications):
                expected.setdefault(p.id, []).append(subscription.id)
    assert found == expected


def test_publications_for_brokers_elsewhere_are_handed_over_once():
    """Three brokers in a line; the far two are hosted elsewhere and both want the publication."""
    overlay = Overlay(("a", "b", "c"), (Link("a", "b"), Link("b", "c")))
    subscriptions = tuple(Subscription(f"s{who}", who, Query("t", Box())) for who in "BC")
    plan = strategies.plan_of(overlay, {"B": ("b",), "C": ("c",)}, subscriptions)
    interests = Interests(plan, PUBLISHER_EDGE)
    near, far = AtOnce(interests, ["a"]), AtOnce(interests, ["b", "c"])
    (sent,) = near.arrive(strategies.batch(plan, "t", [judge.Publication("p", 3, "a", x=1)]))
    (item,) = sent.sent
    assert (item.source, item.target, item.sent, item.wanted) == ("a", "b", 3, ("sB", "sC"))
    assert (item.id, item.time, item.subscription) == ("p", 3, "")
    assert item.values == {"x": 1, "y": None, "s": None, "ts": 3}
    assert not len(sent.plain)
    (arrived,) = far.receive(sent.sent)
    assert arrived.plain.subscriptions.tolist() == [0, 1]
    crossed = [(k.source, k.target) for b in (sent.bill, arrived.bill) for k in b if k.kind is MessageKind.PUBLICATION]
    assert crossed == [("a", "b"), ("b", "c")]
