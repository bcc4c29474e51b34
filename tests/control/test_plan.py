"""The plan: subscriptions in decision order, at the brokers of their subscribers."""

from sparing.control.plan import make_plan
from sparing.model.box import Box
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Advertisement, Query, Subscription
from tests.flow.strategies import TOPICS

OVERLAY = Overlay(("c", "a", "b"), (Link("a", "b"), Link("b", "c")))


def test_subscriptions_are_numbered_by_id_and_attached():
    subscriptions = tuple(
        Subscription(id_, who, Query(topic, Box())) for id_, who, topic in (("s2", "A", "u"), ("s10", "B", "t"))
    )
    ads = (Advertisement("p", "a", "t", Box()), Advertisement("p", "a", "u", Box()))
    plan = make_plan(OVERLAY, TOPICS, ads, {"A": ("c",), "B": ("c", "b")}, subscriptions, bucket=10)
    assert [s.id for s in plan.subscriptions] == ["s10", "s2"]
    assert [plan.routes.brokers[b] for b in plan.broker_of] == ["b", "c"]
    assert {topic: numbers.tolist() for topic, numbers in plan.by_topic.items()} == {"t": [0], "u": [1]}
    assert plan.routes.brokers == OVERLAY.brokers


def test_a_plan_without_subscriptions():
    plan = make_plan(OVERLAY, TOPICS, (), {}, (), bucket=10)
    assert len(plan.broker_of) == 0
    assert {topic: len(numbers) for topic, numbers in plan.by_topic.items()} == {"t": 0, "u": 0}
