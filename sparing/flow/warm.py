"""Compilation ahead of time: a small walk compiles the kernels that a plan needs, into Numba's cache on disk.

The driver does this once, so that Spark's workers load the kernels instead of compiling them again. Kernels depend on
the link policy, on the types of fields (whole numbers, floating point numbers, texts) and on the functions in use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from typing import Protocol

import numpy as np

from sparing.control.plan import Plan, make_plan
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.at_once import AtOnce
from sparing.flow.deliver.nested import Objects
from sparing.flow.deliver.variant import variants
from sparing.flow.interests import Interests, aggregation_of
from sparing.flow.links import policy_of
from sparing.flow.windows.window_walk import WindowWalk
from sparing.match.columns import Column
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.functions import Function
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import DecisionRule, Policy
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement, Aggregation, Output, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, END_OF_TIME, INT, STRING, TIMESTAMP, Kind
from sparing.model.window import TimeWindow

_LOCK = Lock()
_FIELDS = {"x": INT, "y": DOUBLE, "s": STRING, "ts": TIMESTAMP}
_FIELD_OF = {Kind.FLOATING: "y", Kind.TEXT: "s"}  # the field with the same compiled type; x for all others


class Described(Protocol):
    """A plan or a deployment."""

    @property
    def topics(self) -> Mapping[str, Topic]:
        """Topics by name."""

    @property
    def advertisements(self) -> Sequence[Advertisement]:
        """All advertisements."""

    @property
    def subscriptions(self) -> Sequence[Subscription]:
        """All subscriptions."""

    @property
    def policy(self) -> Policy:
        """The technique at each step."""


@dataclass(frozen=True)
class Needs:
    """What kernels are compiled for: fields, functions of a field, digests, the link policy, top-k, the least bill."""

    fields: frozenset[str]
    functions: frozenset[tuple[Function, str | None]]
    digests: bool
    decision: DecisionRule
    ranking: bool
    bound: bool

    @classmethod
    def of(cls, plan: Described, bound: bool = False) -> Needs:
        """Return what a plan or deployment needs."""
        fields, functions, digests = {"x", "ts"}, dict[tuple[type, str | None], Function](), False
        for topic in plan.topics.values():
            fields |= {_FIELD_OF.get(type_.kind, "x") for type_ in topic.fields.values()}
        for subscription in plan.subscriptions:
            topic = plan.topics[subscription.query.topic]
            aggregation = aggregation_of(subscription, topic)
            if aggregation is None:
                continue
            digests |= subscription.query.aggregation is None
            for output in aggregation.outputs:
                field = output.field and _FIELD_OF.get(topic.fields[output.field].kind, "x")
                functions.setdefault((type(output.function), field), output.function)
        return cls(
            fields=frozenset(fields),
            functions=frozenset((function, field) for (_, field), function in functions.items()),
            digests=digests,
            decision=plan.policy.decision,
            ranking=any(advertisement.top_k is not None for advertisement in plan.advertisements),
            bound=bound,
        )


def warm_up(plan: Described, bound: bool = False) -> None:
    """Compile the kernels that a plan or deployment needs, or load them from the cache.

    With `bound`, they include those of the least possible bill.
    """
    needs = Needs.of(plan, bound)
    with _LOCK:  # a second thread waits for the first
        _walk_once(replace(needs, ranking=False))
        if needs.ranking:
            _rank_once(needs.fields)


@cache
def _rank_once(fields: frozenset[str]) -> None:
    """Choose one of two subscriptions, under every rank."""
    ranks = [*(Rank(None, fair) for fair in Fairness), Rank(BoxScore.DIVERSE)]
    offered = tuple(Advertisement(f"p{n}", "a", "t", Box(), 1, rank) for n, rank in enumerate(ranks))
    subscriptions = tuple(Subscription(name, "A", Query("t", Box())) for name in ("one", "other"))
    at_once = AtOnce(Interests.of(_plan(fields, offered, subscriptions)))
    for number in range(len(offered)):
        list(at_once.arrive(_publications(fields, number)))


@cache
def _walk_once(needs: Needs) -> None:
    box = Box.of({"x": between(INT, 0, 9)})
    assert box is not None
    window = TimeWindow(10, 5)
    subscriptions = [Subscription("plain", "A", Query("t", box))]
    if needs.functions:
        outputs = tuple(Output(str(n), *called) for n, called in enumerate(needs.functions))
        query = Query("t", box, aggregation=Aggregation(outputs, window))
        subscriptions.append(Subscription("window", "A", query))
    if needs.digests:
        subscriptions.append(Subscription("digest", "A", Query("t", box, every=10)))
    plan = _plan(needs.fields, (Advertisement("p", "a", "t", Box()),), tuple(subscriptions))
    policy = policy_of(needs.decision)
    interests = Interests(plan, policy, bound=needs.bound and not policy.at_once)
    held = []
    for arrival in AtOnce(interests).arrive(_publications(needs.fields)):
        held.append(arrival.held)
        variants(Objects.of(arrival.publications.columns, arrival.plain.events))
    _, outcome = WindowWalk(interests).advance_all({}, held, END_OF_TIME, bound=interests.bound)
    for notifications in outcome.notifications:
        for _, objects in notifications.payloads.parts:
            variants(objects)


def _plan(fields: frozenset[str], offered: tuple[Advertisement, ...], subscriptions: tuple[Subscription, ...]) -> Plan:
    overlay = Overlay(("a", "b"), (Link("a", "b"),))
    topic = Topic("t", "ts", {name: type_ for name, type_ in _FIELDS.items() if name in fields})
    return make_plan(overlay, {"t": topic}, offered, {"A": ("b",)}, subscriptions, bucket=10)


def _publications(fields: frozenset[str], advertisement: int = 0) -> Publications:
    rows = 64  # enough for the index to use the same code as for large batches
    valid = np.ones(rows, dtype=bool)
    numbers, texts = np.arange(rows), np.full(rows, "s", dtype=object)
    values = {"x": numbers, "y": numbers / 2, "s": texts, "ts": numbers}
    return Publications(
        topic="t",
        time=numbers,
        id=texts,
        publisher=texts,
        at=np.zeros(rows, dtype=np.int32),
        columns={name: Column(type_, values[name], valid) for name, type_ in _FIELDS.items() if name in fields},
        advertisement=np.full(rows, advertisement, dtype=np.int64),
    )
