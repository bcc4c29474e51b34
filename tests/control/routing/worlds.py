"""Small overlays with subscriptions and advertisements, and routing by brokers that know only their tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.plan import Plan, make_plan
from sparing.control.routing.network import OWN, Network
from sparing.control.routing.spread import spread_of
from sparing.model.box import Box
from sparing.model.expression import Attribute, Constant, Expression, Field, Operation, Values, scores
from sparing.model.measure import area
from sparing.model.policy import Covering, Matchmaker, Policy
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import TIMESTAMP, Code, Kind, code_float, float_code
from tests.control.covering.strategies import TEXTS, TYPES, boxes
from tests.flow.strategies import overlays, trees

Codes = Mapping[str, Code | None]

TOPIC = Topic("t", "ts", {**TYPES, "ts": TIMESTAMP})
LINEAR = Operation("+", (Operation("*", (Attribute("w"), Field("x"))), Attribute("b")))
NEAR = Operation("negative", (Operation("abs", (Operation("-", (Field("x"), Attribute("b"))),)),))
SHARED = Operation("+", (Operation("*", (Field("x"), Field("x"))), Attribute("w")))
STATIC: tuple[BoxScore | Expression | None, ...] = (None, BoxScore.AREA, Attribute("w"))
DEPENDENT: tuple[Expression, ...] = (LINEAR, NEAR, SHARED, Operation("*", (Constant(2.0), Field("y"))))

points = st.fixed_dictionaries(
    {
        "x": st.none() | st.integers(-3, 6),
        "y": st.none() | st.integers(-6, 12).map(lambda n: float_code(n / 4)),
        "s": st.none() | st.sampled_from(TEXTS),
    }
)


ranks = st.sampled_from([Rank(by, Fairness.NONE) for by in (*STATIC, *DEPENDENT)])


@st.composite
def plans(
    draw: st.DrawFn,
    covering: Covering | None = None,
    tree: str | None = None,
    matchmaker: Matchmaker | None = None,
) -> Plan:
    """Plans with subscriptions at any broker; some advertise with top-k."""
    overlay = draw(overlays(least=2, most=6))
    overlay = replace(overlay, links=tuple(replace(link, weight=draw(weights)) for link in overlay.links))
    places = st.sampled_from(overlay.brokers)
    offered = [
        Advertisement(f"p{n}", draw(places), "t", draw(st.just(Box()) | boxes()), draw(wanted), draw(ranks))
        for n, wanted in enumerate([st.integers(1, 3), *[st.none() | st.integers(1, 3)] * draw(st.integers(0, 2))])
    ]
    subscriptions = [
        Subscription(f"s{n}", f"u{n}", Query("t", box), attributes=draw(_attributes))
        for n, box in enumerate(draw(st.lists(boxes(), min_size=1, max_size=12)))
    ]
    return make_plan(
        overlay,
        {"t": TOPIC},
        tuple(offered),
        {s.subscriber: (draw(places),) for s in subscriptions},
        tuple(subscriptions),
        bucket=1000,
        policy=Policy(
            covering=draw(st.sampled_from(Covering)) if covering is None else covering,
            tree=draw(trees) if tree is None else tree,
            matchmaker=draw(st.sampled_from(Matchmaker)) if matchmaker is None else matchmaker,
        ),
    )


weights = st.sampled_from([1, 1, 1, 2, 5])
_numbers = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0])
_attributes = st.fixed_dictionaries({"b": _numbers}, optional={"w": _numbers}).map(lambda a: tuple(sorted(a.items())))


def value(name: str, code: Code | None) -> Values:
    """A field of one publication as expressions take it."""
    there = np.array([code is not None])
    if code is None:
        return Values(np.array([None if TYPES[name].kind is Kind.TEXT else 0.0]), there)
    if isinstance(code, str):
        return Values(np.array([code], dtype=object), there)
    return Values(np.array([code_float(code) if TYPES[name].kind is Kind.FLOATING else float(code)]), there)


def score(plan: Plan, matching_set: MatchingSet, number: int, point: Codes) -> float:
    """What a subscription scores for a publication, worked out alone."""
    by = matching_set.advertisement.rank.by
    subscription = plan.subscriptions[number]
    if by is None:
        return 0.0
    if by is BoxScore.AREA:
        box = subscription.query.box.intersect(matching_set.advertisement.box)
        assert box is not None
        fields = sorted({field for s in plan.subscriptions for field in s.query.box.fields})
        return area(box, fields, TYPES)
    assert not isinstance(by, BoxScore)
    own = {name: Values(np.array([given]), np.array([True])) for name, given in subscription.attributes}
    return float(scores(by, {name: value(name, point.get(name)) for name in TYPES}, own, 1)[0])


def best(plan: Plan, matching_set: MatchingSet, numbers: Iterable[int], point: Codes, k: int) -> list[int]:
    """The k best of some subscriptions that match a publication: by score, then by id."""
    matching = [n for n in numbers if plan.subscriptions[n].query.box.admits(point)]
    return sorted(matching, key=lambda n: (-score(plan, matching_set, n, point), n))[:k]


Knows = Callable[[int], Mapping[int, int]]  # broker -> subscription -> the neighbour it was heard from (OWN: none)


def by_hops(plan: Plan, matching_set: MatchingSet, knows: Knows, point: Codes, k: int) -> set[int]:
    """Who gets a publication if every broker picks the best of what it knows, and tells each next hop how many."""
    chosen: set[int] = set()
    at = plan.routes.number[matching_set.advertisement.broker]
    ahead = [(at, k)]
    while ahead:
        broker, left = ahead.pop()
        known = {n: v for n, v in beyond(plan, at, broker, knows).items() if n in set(matching_set.numbers.tolist())}
        counts: dict[int, int] = {}
        for number in best(plan, matching_set, known, point, left):
            if known[number] == OWN:
                chosen.add(number)
            else:
                counts[known[number]] = counts.get(known[number], 0) + 1
        ahead += counts.items()
    return chosen


def beyond(plan: Plan, at: int, broker: int, knows: Knows) -> dict[int, int]:
    """What a broker knows of those that publications from a broker `at` come to by way of it."""
    homes = plan.broker_of
    known = knows(broker)
    return {n: via for n, via in known.items() if bool(plan.routes.passes(at, broker, homes[n]))}


def reached(plan: Plan, at: int, knows: Knows, point: Codes) -> set[int]:
    """Who gets a publication if every broker sends it wherever it knows of a match."""
    found: set[int] = set()
    ahead = [at]
    while ahead:
        broker = ahead.pop()
        known = beyond(plan, at, broker, knows)
        matching = [(n, via) for n, via in known.items() if plan.subscriptions[n].query.box.admits(point)]
        found.update(number for number, via in matching if via == OWN)
        ahead += {via for _, via in matching} - {OWN}
    return found


def network_of(plan: Plan) -> Network:
    """The brokers of a plan, before the first change."""
    return Network(spread_of(plan, plan.in_force(None)), plan.in_force(None))
