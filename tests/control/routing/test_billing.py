"""What the control plane sends: counted from the tables, and message by message when subscriptions come and go."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sparing.control.covering.contest import Covering
from sparing.control.plan import Plan
from sparing.control.routing.billing import control_bill, difference, network_of, told_by_link
from sparing.model.bill import Bill, MessageKind
from tests.control.routing.worlds import plans

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
def test_advertisements_flood_and_subscriptions_go_where_they_are_told(plan: Plan) -> None:
    bill = control_bill(plan)
    assert bill.by_kind().get("advertisement", 0) == len(plan.advertisements) * (len(plan.routes.brokers) - 1)
    network = network_of(plan)
    told = sum(len(numbers) for numbers in network.told().values())
    assert bill.by_kind().get("subscription", 0) == told
    assert {key.bucket for key in bill} <= {None}


@given(plans(Covering.NONE))
def test_without_covering_everything_goes_all_the_way(plan: Plan) -> None:
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
    assert control_bill(plan).by_kind().get("subscription", 0) == expected


@given(changing())
def test_in_the_end_what_was_told_and_not_withdrawn_is_what_is_known(plan: Plan) -> None:
    """Messages of either sort are on the bill, in the bucket of the time at which a subscription comes or goes."""
    bill = control_bill(plan).only(MessageKind.SUBSCRIPTION)
    assert {key.bucket for key in bill} - {None} <= {int(time) // plan.bucket * plan.bucket for time in plan.changes}
    network = network_of(plan)
    balance = sum(map(len, network.told().values()))
    sent = balance
    times = {(s.valid_from, 1, n) for n, s in enumerate(plan.subscriptions) if s.valid_from is not None}
    times |= {(s.valid_until, 0, n) for n, s in enumerate(plan.subscriptions) if s.valid_until is not None}
    for _, comes, number in sorted(times):
        (network.subscribe if comes else network.unsubscribe)(number)
        for message in network.settle():
            sent += 1
            balance += -1 if message.withdrawn else 1
    assert bill.total() == sent
    assert balance == sum(map(len, network.told().values()))


@given(plans(), st.data())
def test_from_one_plan_to_the_next(plan: Plan, data: st.DataObject) -> None:
    kept = data.draw(st.sets(st.integers(0, len(plan.subscriptions) - 1)))
    some = [n for n in range(len(plan.subscriptions)) if n in kept]
    smaller = replace(
        plan,
        subscriptions=tuple(plan.subscriptions[n] for n in some),
        broker_of=plan.broker_of[some],
    )
    states = [(control_bill(p), told_by_link(p)) for p in (plan, smaller)]
    nothing: tuple[Bill, dict[tuple[str, str], list[str]]] = (Bill(), {})
    assert difference(nothing, states[0]) == states[0][0]
    assert not difference(states[0], states[0])
    there, back = difference(*states), difference(*reversed(states))
    assert there.total() == back.total(), "what is told one way is withdrawn the other"
    changed = sum(
        len(set(states[0][1].get(link, ())) ^ set(states[1][1].get(link, ())))
        for link in states[0][1].keys() | states[1][1].keys()
    )
    assert there.total() == changed
