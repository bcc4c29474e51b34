"""The example of docs/walk.md costs what its bill says, and bob is told what it says."""

import json
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
import yaml

from sparing.control.plan import make_plan
from sparing.deployment.deployment import Deployment
from sparing.flow.at_once import Publications
from sparing.flow.walk import Walk
from sparing.match.columns import Column
from sparing.model.types import Kind
from tests.docs.pages import only, rows_of, table

PAGE = "docs/walk.md"


@pytest.fixture
def plan():
    found = Deployment.of(yaml.safe_load(only(PAGE, "yaml")))
    return make_plan(
        found.overlay,
        found.topics,
        found.advertisements,
        found.subscribers,
        found.subscriptions,
        found.policy.decision,
        found.bucket,
    )


def walked(plan, decision):
    """What becomes of the page's publications."""
    topic, rows = plan.topics["traffic"], rows_of(PAGE)
    rows = [row | {"ts": datetime.fromisoformat(row["ts"])} for row in rows]
    columns = {}
    for name, type_ in topic.fields.items():
        codes = [row[name] if type_.kind is Kind.FLOATING else type_.code(row[name]) for row in rows]
        kind = object if type_.kind is Kind.TEXT else None
        columns[name] = Column(type_, np.array(codes, dtype=kind), np.ones(len(rows), dtype=bool))
    publications = Publications(
        topic.name,
        columns["ts"].values,
        np.array([str(n) for n in range(len(rows))], dtype=object),
        np.array([row["publisher"] for row in rows], dtype=object),
        np.full(len(rows), plan.routes.number["east"], dtype=np.int32),
        columns,
        np.array(["{}"] * len(rows), dtype=object),
    )
    return Walk(replace(plan, decision=decision)).feed([publications])


def test_the_bill(plan):
    delivered = walked(plan, "publisher-edge")
    found = {(key.source, key.target, key.kind.value): str(n) for key, n in delivered.bill.items()}
    told = table(PAGE, "source", "target", "kind", "messages")
    assert found == {(row["source"], row["target"], row["kind"]): row["messages"] for row in told}


def test_the_totals(plan):
    assert walked(plan, "publisher-edge").bill.between_brokers() == 4
    assert walked(plan, "subscriber-edge").bill.between_brokers() == 7


def test_what_bob_and_alice_get(plan):
    delivered = walked(plan, "publisher-edge")
    (notification,) = delivered.notifications
    result = json.loads(notification.payload)
    assert (round(result["avg(speed)"], 2), result["count(1)"]) == (64.33, 3)
    ((subscription, publication),) = delivered.events
    assert (plan.subscriptions[subscription].id, publication) == ("slow", "2")
