"""The control bill: counted from routing tables, and message by message during changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sparing.control.plan import Plan
from sparing.control.routing.billing import control_bill, live_of, messages_of, start_of
from sparing.control.routing.snapshot import RoutingSnapshot, difference, snapshot_of
from sparing.model.bill import CONTROL, Bill, MessageKind
from sparing.model.policy import Covering, Matchmaker
from tests.control.routing.worlds import network_of, plans

moments = st.none() | st.integers(0, 40).map(lambda n: 100 * n)


@st.composite
def changing(draw: st.DrawFn) -> Plan:
    plan = draw(plans())
    subscriptions = []
    for subscription in plan.subscriptions:
        begin, end = draw(moments), draw(moments)
        if begin is not None and end is not None and end <= begin:
            end = begin + 50
        subscriptions.append(replace(subscription, valid_from=begin, valid_until=end))
    return replace(plan, subscriptions=tuple(subscriptions))


@given(plans())
def test_every_forwarded_entry_is_billed_once(plan: Plan) -> None:
    kinds = control_bill(plan).by_kind()
    network = network_of(plan)
    told = sum(len(numbers) for numbers in network.forwarded().values())
    told += sum(network.top_k_announced().values())
    assert kinds.get("subscription", 0) + kinds.get("channel", 0) == told
    assert {key.bucket for key in control_bill(plan)} <= {None}
    if plan.policy.matchmaker is Matchmaker.MIN_COST and plan.shared:
        in_use = int((plan.marking("t", plan.in_force(None)).demand.sigma > 0).sum())
        assert kinds.get("coordination", 0) == 2 * in_use, "one count goes down every link in use, and one up"
    elif plan.policy.matchmaker is not Matchmaker.MIN_COST:
        assert "coordination" not in kinds


@given(plans(matchmaker=Matchmaker.PUBLISH_EVERYWHERE))
def test_publish_everywhere_sends_advertisements_to_all_subscribers_brokers(plan: Plan) -> None:
    expected = set()
    for number, advertisement in enumerate(plan.advertisements):
        for home in set(plan.broker_of.tolist()):
            at = plan.routes.number[advertisement.broker]
            while at != home:
                expected.add((number, int(plan.routes.link_of[at, home])))
                at = int(plan.routes.target[plan.routes.link_of[at, home]])
    kinds = control_bill(plan).by_kind()
    assert kinds.get("advertisement", 0) == len(expected)
    assert "subscription" not in kinds


@given(plans(matchmaker=Matchmaker.SUBSCRIBE_EVERYWHERE))
def test_subscribe_everywhere_sends_no_advertisements(plan: Plan) -> None:
    kinds = control_bill(plan).by_kind()
    assert "advertisement" not in kinds
    if all(advertisement.top_k is None for advertisement in plan.advertisements):
        assert "channel" not in kinds, "they meet at the publishers' own brokers"


@given(plans(Covering.NONE, matchmaker=Matchmaker.PUBLISH_EVERYWHERE))
def test_without_covering_every_subscription_reaches_the_publishers(plan: Plan) -> None:
    """Every subscription crosses the links between it and the publishers that it meets, once."""
    expected = 0
    for number, subscription in enumerate(plan.subscriptions):
        links = set()
        for advertisement in plan.advertisements:
            at = int(plan.broker_of[number])
            goal = plan.routes.number[advertisement.broker]
            if advertisement.box.overlaps(subscription.query.box):
                while at != goal:
                    links.add(int(plan.routes.link_of[at, goal]))
                    at = int(plan.routes.target[plan.routes.link_of[at, goal]])
        expected += len(links)
    assert control_bill(plan).by_kind().get("channel", 0) == expected


@given(changing())
def test_billed_changes_lead_to_the_final_routing_state(plan: Plan) -> None:
    """Messages of either sort are on the bill, in the bucket of the time at which a subscription comes or goes."""
    bill = control_bill(plan).only(MessageKind.SUBSCRIPTION, MessageKind.CHANNEL)
    assert {key.bucket for key in bill} - {None} <= {int(time) // plan.bucket * plan.bucket for time in plan.changes}
    network, live = network_of(plan), live_of(plan, "t", plan.in_force(None))
    sent = sum(map(len, network.forwarded().values())) + sum(network.top_k_announced().values())
    times = {(s.valid_from, 1, n) for n, s in enumerate(plan.subscriptions) if s.valid_from is not None}
    times |= {(s.valid_until, 0, n) for n, s in enumerate(plan.subscriptions) if s.valid_until is not None}
    for _, comes, number in sorted(times):
        for kind, _, messages in messages_of(network, live, number, bool(comes)):
            sent += messages if kind in (MessageKind.SUBSCRIPTION, MessageKind.CHANNEL) else 0
    assert bill.total() == sent


@given(plans(), st.data())
def test_messages_from_one_plan_to_the_next(plan: Plan, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.integers(0, len(plan.subscriptions) - 1)))
    some = [n for n in range(len(plan.subscriptions)) if n in kept]
    smaller = replace(
        plan,
        subscriptions=tuple(plan.subscriptions[n] for n in some),
        broker_of=plan.broker_of[some],
    )
    states = [(control_bill(p), snapshot_of(start_of(p))) for p in (plan, smaller)]
    assert difference((Bill(), RoutingSnapshot()), states[0]) == states[0][0]
    assert not difference(states[0], states[0])
    there, back = difference(*states), difference(*reversed(states))
    told, untold = (some.only(*CONTROL).total() for some in (there, back))
    assert told == untold, "what is told one way is withdrawn the other"
    known = [told.subscriptions for _, told in states]
    changed = sum(
        len(known[0].get(link, {}).keys() ^ known[1].get(link, {}).keys()) for link in known[0].keys() | known[1].keys()
    )
    announced = sum(
        len(set(states[0][1].announced.get(link, ())) ^ set(states[1][1].announced.get(link, ())))
        for link in states[0][1].announced.keys() | states[1][1].announced.keys()
    )
    assert there.only(MessageKind.SUBSCRIPTION, MessageKind.CHANNEL).total() == changed + announced
