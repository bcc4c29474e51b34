"""The deployments and publications of the documentation, walked without Spark."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import numpy as np
import yaml

from sparing.control.plan import Plan
from sparing.deployment import planning
from sparing.deployment.deployment import Deployment
from sparing.flow.admit.publications import Publications
from sparing.flow.walk import Deliveries, Walk
from sparing.match.columns import Column
from sparing.model.types import END_OF_TIME, FieldType, Kind


def plan_of(text: str) -> Plan:
    """The plan of a deployment as it is written on a page."""
    return planning.plan_of(Deployment.of(yaml.safe_load(text)))


def published(plan: Plan, lines: str, on: str | None = None) -> Publications:
    """Publications as JSON lines on a page, as the walk takes them: all on the only topic, or those on a given one."""
    (topic,) = plan.topics.values() if on is None else [plan.topics[on]]
    number = {ad.publisher: n for n, ad in enumerate(plan.advertisements) if ad.topic == topic.name}
    rows = [row for line in lines.splitlines() if (row := json.loads(line))["publisher"] in number]
    rows = [row | {topic.time: datetime.fromisoformat(row[topic.time])} for row in rows]
    columns = {}
    for name, type_ in topic.fields.items():
        there = np.array([name in row for row in rows], dtype=bool)
        codes = [_code(type_, row[name]) if name in row else _NOTHING[type_.kind is Kind.TEXT] for row in rows]
        kind = object if type_.kind is Kind.TEXT else None
        columns[name] = Column(type_, np.array(codes, dtype=kind), there)
    under = np.array([number[row["publisher"]] for row in rows], dtype=np.int64)
    broker_of = np.array([plan.routes.number[ad.broker] for ad in plan.advertisements], dtype=np.int32)
    return Publications(
        topic.name,
        columns[topic.time].values,
        np.array([row.get("id", str(n)) for n, row in enumerate(rows)], dtype=object),
        np.array([row["publisher"] for row in rows], dtype=object),
        broker_of[under],
        columns,
        under,
        np.array([row.get("top_k", 0) for row in rows], dtype=np.int64),
    )


_NOTHING = {True: None, False: 0}  # whether a field is text -> what stands where a value is missing


def _code(type_: FieldType, value: object) -> Any:
    return value if type_.kind is Kind.FLOATING else type_.code(value)


def walked(plan: Plan, lines: str, decision: str, until: int = END_OF_TIME) -> Deliveries:
    """What becomes of publications under a link policy."""
    return Walk(plan.with_policy(decision=decision)).feed([published(plan, lines)], until)
