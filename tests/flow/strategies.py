"""Strategies for overlays, subscriptions and publications, and how they are fed to the walk.

Everything is small, so that things meet: a handful of brokers, two topics, times of a few dozen microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from sparing.control.plan import Plan, make_plan
from sparing.flow.admit.publications import Publications
from sparing.flow.links import POLICIES
from sparing.flow.links.policy import LinkPolicy
from sparing.flow.walk import Deliveries
from sparing.flow.windows.kernels.arrays import WindowArrays
from sparing.match.columns import Column
from sparing.model.box import Box
from sparing.model.constraint import between, one_of
from sparing.model.functions import function
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import Policy
from sparing.model.subscription import Advertisement, Aggregation, Output, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, END_OF_TIME, INT, STRING, TIMESTAMP, FieldType, Kind, float_code
from sparing.model.window import CountWindow, TimeWindow
from tests.flow.links.known import ADOCK, BAT, PATIENCE, PUBLISHER_EDGE, WAD, WAD_LIVE
from tests.judges.overlay import Publication, Result, canonical
from tests.judges.policies import Always, Judge, LiteralAdock, LiteralBat, LiteralWad, View

FIELDS = {"x": INT, "y": DOUBLE, "s": STRING, "ts": TIMESTAMP}
WITHOUT_TIME = tuple((name, name) for name in "xys")  # what the judge's digests have
TOPICS = {name: Topic(name, "ts", FIELDS) for name in ("t", "u")}
BUCKET = 7
FIRST, LAST = -8, 24  # publications are made in [FIRST, LAST]


# Overlays


@st.composite
def overlays(draw: st.DrawFn, *, least: int = 1, most: int = 6, apart: bool = False) -> Overlay:
    """Overlays with cycles and delays; connected unless they may fall `apart`. Names do not follow numbers."""
    brokers = draw(st.permutations([f"b{n}" for n in range(draw(st.integers(least, most)))]))
    joined = set()
    for at in range(1, len(brokers)):
        if not apart or draw(st.integers(0, 3)):
            joined.add(frozenset((brokers[at], brokers[draw(st.integers(0, at - 1))])))
    free = [pair for pair in map(frozenset, combinations(brokers, 2)) if pair not in joined]
    if free:
        joined.update(draw(st.lists(st.sampled_from(free), max_size=2)))
    delays = st.sampled_from([1.0, 2.0, 5.0])
    return Overlay(tuple(brokers), tuple(Link(*pair, draw(delays)) for pair in sorted(map(sorted, joined))))


# Subscriptions


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    """Boxes over x, y and s; many of them overlap."""
    constraints = {}
    if draw(st.integers(0, 2)):
        low = draw(st.integers(0, 4))
        constraints["x"] = between(INT, low, low + draw(st.integers(1, 4)))
    if not draw(st.integers(0, 3)):
        constraints["y"] = between(DOUBLE, float_code(0.2), None)
    if not draw(st.integers(0, 2)):
        constraints["s"] = one_of(STRING, draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2)))
    box = Box.of(constraints)
    assert box is not None
    return box


OUTPUTS = {
    output.name: output
    for output in (
        Output("n", function("count", None), None),
        Output("count y", function("count", DOUBLE), "y"),
        Output("sum x", function("sum", INT), "x"),
        Output("avg y", function("avg", DOUBLE), "y"),
        Output("min y", function("min", DOUBLE), "y"),
        Output("max s", function("max", STRING), "s"),
        Output("median y", function("median", DOUBLE), "y"),
        Output("distinct s", function("count", STRING, distinct=True), "s"),
    )
}
DECOMPOSABLE = ("n", "count y", "sum x", "avg y", "min y", "max s")


@st.composite
def time_windows(draw: st.DrawFn) -> TimeWindow:
    """Sliding, tumbling and sampling windows, aligned anywhere; a third of them leave wide gaps."""
    slide = draw(st.integers(1, 6))
    duration = draw(st.integers(1, 9) | st.integers(slide, 3 * slide))
    if not draw(st.integers(0, 2)):
        duration, slide = draw(st.integers(1, 4)), draw(st.integers(5, 16))
    return TimeWindow(duration, slide, draw(st.integers(1 - slide, slide - 1)))


@st.composite
def queries(draw: st.DrawFn) -> Query:
    """Queries of every kind; windows most often."""
    topic, box = draw(st.sampled_from("ttu")), draw(boxes())
    columns = draw(st.sampled_from([None, (("a", "x"), ("s", "s"))]))
    match draw(st.sampled_from(["window", "window", "window", "raw window", "plain", "digest", "count window"])):
        case "plain":
            return Query(topic, box, columns)
        case "digest":
            return Query(topic, box, columns or WITHOUT_TIME, every=draw(st.integers(1, 9)))
        case "count window":
            names = draw(st.lists(st.sampled_from(sorted(OUTPUTS)), min_size=1, max_size=3, unique=True))
            window = CountWindow(draw(st.integers(1, 4)), draw(st.integers(1, 4)))
        case kind:
            names = draw(st.lists(st.sampled_from(DECOMPOSABLE), min_size=1, max_size=3, unique=True))
            if kind == "raw window":
                names.append(draw(st.sampled_from(["median y", "distinct s"])))
            window = draw(time_windows())
    return Query(topic, box, aggregation=Aggregation(tuple(OUTPUTS[name] for name in names), window))


@st.composite
def sliding_queries(draw: st.DrawFn) -> Query:
    """Windows that overlap each other, over most of what is published: what is forwarded was counted before."""
    slide = draw(st.integers(1, 4))
    window = TimeWindow(draw(st.integers(slide + 1, 4 * slide)), slide, draw(st.integers(0, slide - 1)))
    names = draw(st.sampled_from([("n",), ("n", "avg y"), ("sum x", "max s")]))
    low = draw(st.sampled_from([None, None, 1, 2]))
    box = Box() if low is None else Box.of({"x": between(INT, low, None)})
    assert box is not None
    return Query("t", box, aggregation=Aggregation(tuple(OUTPUTS[name] for name in names), window))


@st.composite
def sampling_queries(draw: st.DrawFn) -> Query:
    """Windows with gaps between them, over most of what is published, whether partial results do or not."""
    duration = draw(st.integers(1, 4))
    slide = draw(st.integers(duration + 1, 12))
    window = TimeWindow(duration, slide, draw(st.integers(1 - slide, slide - 1)))
    names = draw(st.sampled_from([("n",), ("n", "avg y"), ("n", "median y"), ("distinct s",)]))
    low = draw(st.sampled_from([None, None, 1, 2]))
    box = Box() if low is None else Box.of({"x": between(INT, low, None)})
    assert box is not None
    return Query("t", box, aggregation=Aggregation(tuple(OUTPUTS[name] for name in names), window))


trees = st.sampled_from(["shared", "per-source"])


@st.composite
def plans(draw: st.DrawFn, *, apart: bool = False, least: int = 1, most: int = 6, tree: str | None = None) -> Plan:
    """Up to six subscriptions of three subscribers on an overlay; every broker has a publisher on every topic."""
    overlay = draw(overlays(least=least, most=most, apart=apart))
    bounds = st.none() | st.integers(FIRST, LAST)
    some = draw(st.lists(st.tuples(st.sampled_from("ABC"), queries()), min_size=1, max_size=6))
    subscriptions = tuple(
        Subscription(f"s{n}", who, query, *draw(st.sampled_from([(None, None)] * 3) | st.tuples(bounds, bounds)))
        for n, (who, query) in enumerate(some)
    )
    return plan_of(overlay, draw(_subscribers(overlay)), subscriptions, tree=tree or draw(trees))


@st.composite
def sliding_plans(draw: st.DrawFn, tree: str | None = None) -> Plan:
    """Subscriptions to sliding windows, some two links and more from publishers."""
    overlay = draw(overlays(least=3, most=5))
    owners = st.sampled_from("ABC")
    some = draw(st.lists(st.tuples(owners, sliding_queries()), min_size=2, max_size=4))
    some += draw(st.lists(st.tuples(owners, queries()), max_size=1))
    subscriptions = tuple(Subscription(f"s{n}", who, query) for n, (who, query) in enumerate(some))
    return plan_of(overlay, draw(_subscribers(overlay)), subscriptions, tree=tree or draw(trees))


@st.composite
def sampling_plans(draw: st.DrawFn, tree: str | None = None) -> Plan:
    """Subscriptions to sampling windows, some of them in force for a time only, and perhaps one of another kind."""
    overlay = draw(overlays(least=2, most=5))
    owners, bounds = st.sampled_from("ABC"), st.none() | st.integers(FIRST, LAST)
    some = draw(st.lists(st.tuples(owners, sampling_queries()), min_size=1, max_size=3))
    some += draw(st.lists(st.tuples(owners, queries()), max_size=1))
    subscriptions = tuple(
        Subscription(f"s{n}", who, query, *draw(st.sampled_from([(None, None)] * 2) | st.tuples(bounds, bounds)))
        for n, (who, query) in enumerate(some)
    )
    return plan_of(overlay, draw(_subscribers(overlay)), subscriptions, tree=tree or draw(trees))


@st.composite
def _subscribers(draw: st.DrawFn, overlay: Overlay) -> dict[str, tuple[str, ...]]:
    candidates = st.lists(st.sampled_from(overlay.brokers), min_size=1, max_size=2, unique=True)
    return {who: tuple(draw(candidates)) for who in "ABC"}


def plan_of(
    overlay: Overlay,
    subscribers: dict[str, tuple[str, ...]],
    subscriptions: tuple[Subscription, ...],
    bucket: int = BUCKET,
    tree: str = "shared",
) -> Plan:
    """A plan in which every broker has a publisher on every topic."""
    everywhere = tuple(Advertisement(f"p{b}", b, topic, Box()) for b in overlay.brokers for topic in TOPICS)
    return make_plan(
        overlay,
        TOPICS,
        everywhere,
        subscribers,
        subscriptions,
        bucket=bucket,
        policy=Policy(decision="publisher-edge", tree=tree),
    )


# Publications


@st.composite
def published(draw: st.DrawFn, plan: Plan, *, least: int = 0, most: int = 14) -> list[Publication]:
    """Publications in the order in which they arrive; ids and times are in no relation to it."""
    shapes = st.tuples(
        st.integers(FIRST, LAST),
        st.sampled_from(plan.routes.brokers),
        st.none() | st.integers(0, 7),
        st.sampled_from([None, 0.1, 0.2, 0.3, -0.5, 7.25, 1e16]),
        st.sampled_from([None, "a", "b", "c"]),
        st.sampled_from("ttu"),
    )
    found = draw(st.lists(shapes, min_size=least, max_size=most))
    ids = draw(st.permutations([f"i{n:02}" for n in range(len(found))]))
    return [Publication(id_, *shape) for id_, shape in zip(ids, found, strict=True)]


def column_of(values: Sequence[object], kind: FieldType) -> Column:
    """A column of plain values: text as it is, codes or doubles for all others, None where missing."""
    valid = np.array([value is not None for value in values], dtype=bool)
    if kind.kind is Kind.TEXT:
        return Column(kind, np.array(values, dtype=object), valid)
    dtype = np.float64 if kind.kind is Kind.FLOATING else np.int64
    return Column(kind, np.array([0 if value is None else value for value in values], dtype=dtype), valid)


def batch(plan: Plan, topic: str, publications: Sequence[Publication]) -> Publications:
    """Publications of one topic as the walk takes them."""
    columns = {name: column_of([getattr(p, name) for p in publications], FIELDS[name]) for name in "xys"}
    times = [p.time for p in publications]
    return Publications(
        topic,
        np.array(times, dtype=np.int64),
        np.array([p.id for p in publications], dtype=object),
        np.array([f"p{p.at}" for p in publications], dtype=object),
        np.array([plan.routes.number[p.at] for p in publications], dtype=np.int32),
        {**columns, "ts": column_of(times, TIMESTAMP)},
    )


def batches(plan: Plan, publications: Sequence[Publication]) -> list[Publications]:
    """One batch for each topic."""
    return [batch(plan, topic, [p for p in publications if p.topic == topic]) for topic in TOPICS]


# Cutting a stream


@dataclass(frozen=True)
class Cut:
    """A micro-batch: what arrives, and how far event time has got after it."""

    publications: tuple[Publication, ...]
    until: int


@st.composite
def cuts(draw: st.DrawFn, publications: Sequence[Publication], *, late: bool = False) -> list[Cut]:
    """The publications cut into micro-batches, in some order; early ones are common, late ones only on demand."""
    untils = [*sorted(draw(st.lists(st.integers(FIRST, LAST + 12), max_size=4))), END_OF_TIME]
    parts: list[list[Publication]] = [[] for _ in untils]
    for p in draw(st.permutations(publications)):
        in_time = next(n for n, until in enumerate(untils) if p.time < until)
        parts[draw(st.integers(0, len(untils) - 1 if late else in_time))].append(p)
    return [Cut(tuple(part), until) for part, until in zip(parts, untils, strict=True)]


# Policies


@dataclass(frozen=True)
class Mixed(LinkPolicy):
    """Forwards on some links, for some windows, as a few numbers say; aggregates everywhere if there are none.

    It goes by link, end and subscription alone, so that the decision is the same however the stream was cut.
    """

    name = "mixed"
    numbers: frozenset[int] = frozenset()

    def table(self, arrays: WindowArrays, links: np.ndarray, subscriptions: np.ndarray) -> np.ndarray:
        """All decisions."""
        found = (3 * links[:, None].astype(np.int64) + arrays.nwrs["end"] + 2 * subscriptions) % 5
        return ~np.isin(found, list(self.numbers))


class LiteralMixed(Judge):
    """The same, one decision at a time."""

    def __init__(self, policy: Mixed) -> None:
        self.policy = policy

    def aggregate(self, view: View) -> bool:
        """By link, end and subscription."""
        return (3 * view.number + view.nwr.end + 2 * view.subscription) % 5 not in self.policy.numbers


def small(policy: LinkPolicy) -> LinkPolicy:
    """The policy in the small time of these tests."""
    return replace(policy, period=policy.period and 5, patience=policy.patience and 5)


# Every policy that there is, except those that must know the whole trace.
known = [small(policy) for policy in POLICIES.values() if not policy.whole_trace]

mixed = st.frozensets(st.integers(0, 4), min_size=1).map(lambda numbers: Mixed(numbers=numbers))
patient = st.integers(1, 6).map(lambda patience: replace(PATIENCE, patience=patience))
policies = st.one_of(st.sampled_from([policy for policy in known if not policy.patience]), mixed)

JUDGES: dict[str, Callable[[LinkPolicy], Judge]] = {
    Mixed.name: LiteralMixed,
    PUBLISHER_EDGE.name: lambda _: Always(),
    ADOCK.name: lambda _: LiteralAdock(),
    PATIENCE.name: lambda policy: LiteralAdock(policy.patience),
    WAD.name: lambda _: LiteralWad(),
    WAD_LIVE.name: lambda _: LiteralWad(live=True),
    BAT.name: lambda policy: LiteralBat(policy.period),
}
decided = policies.filter(lambda policy: policy.name in JUDGES)  # link by link, with a judge of every decision


def judge_of(policy: LinkPolicy) -> Judge:
    """The slow and obvious twin of a policy."""
    return JUDGES[policy.name](policy)


# What came out


def events_of(plan: Plan, delivered: Sequence[Deliveries]) -> list[tuple[str, str]]:
    """Plain deliveries as the judge names them, in order."""
    return sorted((plan.subscriptions[number].id, id_) for d in delivered for number, id_ in d.plain)


def results_of(plan: Plan, delivered: Sequence[Deliveries]) -> list[Result]:
    """Results of windows and cycles as the judge names them, in order."""
    return sorted(
        (plan.subscriptions[n.subscription].id, n.start, n.end, canonical(json.loads(n.payload)))
        for d in delivered
        for n in d.notifications
    )
