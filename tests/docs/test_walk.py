"""The example of docs/walk.md costs what its bill says, and bob is told what it says."""

import json
import re

import pytest

from sparing.control.routing.billing import control_bill
from tests.docs import walks
from tests.docs.pages import blocks, only, table

PAGE = "docs/walk.md"


@pytest.fixture
def plan():
    return walks.plan_of(only(PAGE, "yaml"))


def walked(plan, decision):
    """What becomes of the page's publications."""
    return walks.walked(plan, only(PAGE, "json"), decision)


def test_the_drawing(plan):
    (drawn,) = (block.text for block in blocks(PAGE, "text") if "alice" in block.text)
    names = {*plan.routes.brokers, *(s.subscriber for s in plan.subscriptions), *(s.id for s in plan.subscriptions)}
    assert set(re.findall(r"\w+", drawn)) == names | {ad.publisher for ad in plan.advertisements}


@pytest.mark.parametrize("decision", ["adock", "publisher-edge"])
def test_the_bill(plan, decision):
    delivered = walked(plan, decision)
    found = {(key.source, key.target, key.kind.value): str(n) for key, n in delivered.bill.items()}
    rows = table(PAGE, 4).rows
    assert found == {(source, target, kind): messages for source, target, kind, messages in rows}


def test_what_brokers_tell_each_other(plan):
    kinds = {"advertisement": 1, "channel": 2, "coordination": 6, "subscription": 2}
    assert control_bill(plan).by_kind() == kinds
    found = {(key.source, key.target, key.kind.value): n for key, n in control_bill(plan).items()}
    assert found["east", "hub", "advertisement"] == 1
    assert found["west", "hub", "subscription"] == found["north", "hub", "subscription"] == 1
    assert found["hub", "east", "channel"] == 2


def test_the_totals(plan):
    assert walked(plan, "adock").bill.between_brokers() == 4
    assert walked(plan, "subscriber-edge").bill.between_brokers() == 7


def test_what_bob_and_alice_get(plan):
    delivered = walked(plan, "adock")
    (notification,) = delivered.notifications
    result = json.loads(notification.payload)
    assert (round(result["avg(speed)"], 2), result["count(1)"]) == (64.33, 3)
    ((subscription, publication),) = delivered.plain
    assert (plan.subscriptions[subscription].id, publication) == ("slow", "2")
