"""The churn experiment, which is ours: subscribers join and leave for an hour, and all messages are counted.

All subscribers are there at the start. Then subscribers drawn evenly leave, and each is replaced by a new one with its
own range. Publications are spread evenly over the space. Four policies are compared: no folding; folding with
reconfiguration after every leave, never, or by ski rental.
"""

from __future__ import annotations

import numpy as np

from sparing.control.plan import Plan, make_plan
from sparing.control.routing.billing import bill_at, changes_of, start_of, with_stale_members
from sparing.flow.admit.publications import MOST_ROWS, Publications
from sparing.flow.walk import Walk
from sparing.match.columns import Column
from sparing.model.bill import Bill, MessageKind
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import DecisionRule, Folding, Matchmaker, Policy
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, TIMESTAMP, float_code
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.mefa.grid import (
    AT_ONCE,
    CHURN_METHODS,
    DRAWN,
    HOUR,
    LEAVES,
    NEVER,
    NOT_FOLDED,
    RATES,
    SKI_RENTAL,
    SPACE,
    MefaPoint,
    a_second,
)
from sparing_lab.study.mefa.row import MefaRow
from sparing_lab.study.mefa.sample import FoldingSample
from sparing_lab.workloads.ranges import ranges

SECOND = 1_000_000
TOPIC = Topic("t", "ts", {"x": DOUBLE, "ts": TIMESTAMP})
OFTEN, SELDOM = 1e9, 1e-9  # publications a second that are believed in, to reconfigure at once or never


def churn(sample: FoldingSample, point: MefaPoint, number: int) -> list[MefaRow]:
    """Return the rows of all strategies and rates of publications, under the same churn."""
    plan = _plan(sample, point, number)
    rows = []
    for rate in RATES:
        publications = _publications(plan, rate, number)
        believed = {SKI_RENTAL: rate, AT_ONCE: OFTEN, NEVER: SELDOM}
        for method in CHURN_METHODS:
            folding = Folding.NONE if method == NOT_FOLDED else Folding.MEFA
            folded = with_stale_members(plan.with_policy(folding=folding, rate=believed.get(method, rate)))
            rows.append(_row(folded, publications, point=point, number=number, method=method, rate=rate))
    return rows


def _row(
    plan: Plan, publications: list[Publications], *, point: MefaPoint, number: int, method: str, rate: float
) -> MefaRow:
    start = start_of(plan)
    changes = changes_of(start).bill.by_kind()
    travelled = Walk(plan).feed(publications).bill.by_kind()
    folds = [topic.folds for topic in start.topics.values()]
    return MefaRow(
        point=point,
        sample=number,
        tree=DRAWN,
        target=a_second(rate),
        method=method,
        theta=0,
        told=_told(bill_at(start)),
        possible=sum(topic.problem.possible() for topic in start.topics.values()),
        benefit=sum(fold.benefit for fold in folds),
        cost=sum(fold.cost for fold in folds),
        moved=0,
        changes=changes.get(MessageKind.SUBSCRIPTION.value, 0),
        reconfigured=changes.get(MessageKind.COORDINATION.value, 0),
        false=travelled.get(MessageKind.FALSE_POSITIVE.value, 0),
    )


def _told(bill: Bill) -> int:
    return bill.by_kind().get(MessageKind.SUBSCRIPTION.value, 0)


def _plan(sample: FoldingSample, point: MefaPoint, number: int) -> Plan:
    """Return the initial subscribers and the joins and leaves, without folds."""
    rng = seeded_rng(number, "mefa", "churn", point.nodes, point.average, point.distribution.value)
    homes = list(sample.tree.homes)
    times = np.sort(rng.choice(np.arange(1, HOUR), LEAVES, replace=False)).tolist()
    bounds = [*sample.ranges.tolist(), *ranges(rng, LEAVES, point.average, SPACE, point.distribution).tolist()]
    came: list[int | None] = [None] * len(homes)
    left: list[int | None] = [None] * len(homes)
    there = list(range(len(homes)))
    for time in times:
        left[there.pop(int(rng.integers(len(there))))] = time
        there.append(len(homes))
        homes.append(sample.tree.homes[int(rng.integers(len(sample.tree.homes)))])
        came.append(time)
        left.append(None)
    names = [f"b{broker:03}" for broker in range(len(sample.tree.parents))]
    links = [Link(names[b], names[parent]) for b, parent in enumerate(sample.tree.parents) if b != parent]
    subscriptions = tuple(
        Subscription(f"s{n:04}", f"s{n:04}", Query(TOPIC.name, _box(*ends)), _micros(came[n]), _micros(left[n]))
        for n, ends in enumerate(bounds)
    )
    return make_plan(
        Overlay(tuple(names), tuple(links)),
        {TOPIC.name: TOPIC},
        (Advertisement("p", names[0], TOPIC.name, _box(*SPACE)),),
        {subscription.subscriber: (names[home],) for subscription, home in zip(subscriptions, homes, strict=True)},
        subscriptions,
        bucket=HOUR * SECOND,
        policy=Policy(decision=DecisionRule.SUBSCRIBER_EDGE, matchmaker=Matchmaker.SUBSCRIBE_EVERYWHERE),
    )


def _box(low: float, high: float) -> Box:
    return Box((("x", between(DOUBLE, float_code(float(low)), float_code(float(high)))),))


def _micros(second: int | None) -> int | None:
    return None if second is None else second * SECOND


def _publications(plan: Plan, rate: float, number: int) -> list[Publications]:
    """Return the publications of an hour, spread evenly over time and space."""
    rng = seeded_rng(number, "mefa", "churn", "publications", a_second(rate))
    count = round(rate * HOUR)
    times = np.sort(rng.integers(0, HOUR * SECOND, count))
    values = rng.uniform(*SPACE, count)
    found = []
    for first in range(0, count, MOST_ROWS):
        some = slice(first, min(first + MOST_ROWS, count))
        size = some.stop - some.start
        there = np.ones(size, dtype=bool)
        found.append(
            Publications(
                TOPIC.name,
                times[some],
                np.array([f"{n}" for n in range(some.start, some.stop)], dtype=object),
                np.full(size, "p", dtype=object),
                np.full(size, plan.routes.number[plan.advertisements[0].broker], dtype=np.int32),
                {"x": Column(DOUBLE, values[some], there), "ts": Column(TIMESTAMP, times[some], there)},
                np.full(size, "{}", dtype=object),
            )
        )
    return found
