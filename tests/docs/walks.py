"""The deployments and publications of the documentation, walked without Spark."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime

import numpy as np
import yaml

from sparing.control.plan import Plan, make_plan
from sparing.deployment.deployment import Deployment
from sparing.flow.at_once import Publications
from sparing.flow.overlay import END_OF_TIME
from sparing.flow.walk import Delivered, Walk
from sparing.match.columns import Column
from sparing.model.types import Kind


def plan_of(text: str) -> Plan:
    """The plan of a deployment as it is written on a page."""
    found = Deployment.of(yaml.safe_load(text))
    return make_plan(
        found.overlay,
        found.topics,
        found.advertisements,
        found.subscribers,
        found.subscriptions,
        found.policy.decision,
        found.bucket,
        found.policy.patience,
    )


def walked(plan: Plan, lines: str, decision: str, until: int = END_OF_TIME) -> Delivered:
    """What becomes of publications, as JSON lines on a page, under a link policy; they are all on one topic."""
    (topic,) = plan.topics.values()
    rows = [json.loads(line) for line in lines.splitlines()]
    rows = [row | {topic.time: datetime.fromisoformat(row[topic.time])} for row in rows]
    columns = {}
    for name, type_ in topic.fields.items():
        codes = [row[name] if type_.kind is Kind.FLOATING else type_.code(row[name]) for row in rows]
        kind = object if type_.kind is Kind.TEXT else None
        columns[name] = Column(type_, np.array(codes, dtype=kind), np.ones(len(rows), dtype=bool))
    broker_of = {ad.publisher: plan.routes.number[ad.broker] for ad in plan.advertisements}
    publications = Publications(
        topic.name,
        columns[topic.time].values,
        np.array([str(n) for n in range(len(rows))], dtype=object),
        np.array([row["publisher"] for row in rows], dtype=object),
        np.array([broker_of[row["publisher"]] for row in rows], dtype=np.int32),
        columns,
        np.array(["{}"] * len(rows), dtype=object),
    )
    return Walk(replace(plan, decision=decision)).feed([publications], until)
