"""Digests with `urgent`: what is urgent comes at once and by itself, the rest when the cycle ends, nothing twice."""

from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.walk import Walk
from sparing.model.bill import MessageKind
from sparing.model.subscription import Query, Subscription
from sparing.model.types import float_code
from tests.flow import strategies
from tests.flow.strategies import batches, boxes, plan_of

CYCLE = 5


@st.composite
def cases(draw: st.DrawFn):
    """A plan with digests, some of them with something urgent, and what is published."""
    others = draw(strategies.plans()).subscriptions
    more = tuple(
        Subscription(f"d{n}", "A", Query("t", draw(boxes()), every=CYCLE), urgent=draw(st.none() | boxes()))
        for n in range(draw(st.integers(1, 3)))
    )
    overlay = draw(strategies.overlays())
    plan = plan_of(overlay, dict.fromkeys("ABC", (overlay.brokers[0],)), (*others, *more))
    return plan, draw(strategies.published(plan))


@given(cases())
def test_what_is_urgent_is_not_in_the_digest(case):
    plan, publications = case
    delivered = Walk(plan).feed(batches(plan, publications))
    digests = {n: s for n, s in enumerate(plan.subscriptions) if s.id.startswith("d")}
    for number, subscription in digests.items():
        box, urgent = subscription.query.box, subscription.urgent
        mine = [p for p in publications if p.topic == "t" and box.admits(_codes(p))]
        at_once = {p.id for p in mine if urgent is not None and urgent.admits(_codes(p))}
        assert sorted(id_ for s, id_ in delivered.plain if s == number) == sorted(at_once)
        told = [n for n in delivered.notifications if n.subscription == number]
        for notification in told:
            inside = [
                p for p in mine if p.id not in at_once and notification.start <= p.time < notification.start + CYCLE
            ]
            events = json.loads(notification.payload)["events"]
            assert len(events) == len(inside)
        held = [p for p in mine if p.id not in at_once]
        assert sum(len(json.loads(n.payload)["events"]) for n in told) == len(held)


@given(cases())
def test_links_carry_the_same_as_without(case):
    """A digest's publications travel raw at once anyway: only when the subscriber hears of them changes."""
    plan, publications = case
    without = replace(plan, subscriptions=tuple(replace(s, urgent=None) for s in plan.subscriptions))
    ours, theirs = (Walk(some).feed(batches(some, publications)).bill for some in (plan, without))
    assert ours.only(MessageKind.PUBLICATION) == theirs.only(MessageKind.PUBLICATION)


def _codes(publication):
    y = publication.y
    return {"x": publication.x, "y": None if y is None else float_code(y), "s": publication.s, "ts": publication.time}
