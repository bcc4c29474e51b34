"""Compilation ahead of time: one small walk compiles all kernels and stores them in Numba's cache on disk.

The driver does this once, so that Spark's workers load the kernels instead of compiling them again.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from threading import Lock

import numpy as np

from sparing.control.plan import Plan, make_plan
from sparing.flow.admit.publications import Publications
from sparing.flow.deliver.nested import Lists, Objects
from sparing.flow.deliver.variant import variants
from sparing.flow.links import POLICIES
from sparing.flow.walk import Walk
from sparing.match.columns import Column
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.functions import Function, function
from sparing.model.overlay import Link, Overlay
from sparing.model.policy import DecisionRule
from sparing.model.rank import BoxScore, Fairness, Rank
from sparing.model.subscription import Advertisement, Aggregation, Output, Query, Subscription
from sparing.model.topic import Topic
from sparing.model.types import DOUBLE, INT, STRING, TIMESTAMP, FieldType
from sparing.model.window import TimeWindow

_LOCK = Lock()
_FUNCTIONS = ("avg", "min", "stddev")
_TOPIC = Topic("t", "ts", {"x": INT, "y": DOUBLE, "s": STRING, "ts": TIMESTAMP})


def warm_up(ranking: bool = False) -> None:
    """Compile the kernels of the walk, or load them from the cache, once per process; with `ranking` also top-k."""
    with _LOCK:  # a second thread waits for the first
        _walk_once()
        if ranking:
            _rank_once()


@cache
def _rank_once() -> None:
    """Choose one of two subscriptions, under every rank."""
    ranks = [*(Rank(None, fair) for fair in Fairness), Rank(BoxScore.DIVERSE)]
    offered = tuple(Advertisement(f"p{n}", "a", "t", Box(), 1, rank) for n, rank in enumerate(ranks))
    subscriptions = tuple(Subscription(name, "A", Query("t", Box())) for name in ("one", "other"))
    plan = _plan(offered, subscriptions)
    rows = _publications()
    for number in range(len(offered)):
        Walk(plan).feed([replace(rows, advertisement=np.full(len(rows), number, dtype=np.int64))])


@cache
def _walk_once() -> None:
    outputs = [Output("n", _function("count", None), None)]
    outputs += [Output(name, _function(name, _TOPIC.fields[field]), field) for name in _FUNCTIONS for field in "xy"]
    box = Box.of({"x": between(INT, 0, 9)})
    assert box is not None
    aggregation = Aggregation(tuple(outputs), TimeWindow(10, 5))
    subscriptions = (
        Subscription("window", "A", Query("t", box, aggregation=aggregation)),
        Subscription("plain", "A", Query("t", box)),
    )
    plan = _plan((Advertisement("p", "a", "t", Box()),), subscriptions)
    rows = _publications()
    for decision in (DecisionRule.ADOCK, DecisionRule.STATIC):
        Walk(plan, POLICIES[decision]).feed([rows])
    events = Objects.of(rows.columns, np.arange(len(rows)))
    first, every = np.zeros(1, dtype=np.int64), np.ones(1, dtype=bool)
    variants(Objects(["events"], [Lists(events, np.arange(len(rows)), first, first + 1, every)], every))
    variants(Objects(["x"], [Lists(rows.columns["x"], np.arange(len(rows)), first, first + 1, every)], every))


def _plan(offered: tuple[Advertisement, ...], subscriptions: tuple[Subscription, ...]) -> Plan:
    overlay = Overlay(("a", "b"), (Link("a", "b"),))
    return make_plan(overlay, {"t": _TOPIC}, offered, {"A": ("b",)}, subscriptions, bucket=10)


def _publications() -> Publications:
    rows = 64  # enough for the index to use the same code as for large batches
    valid = np.ones(rows, dtype=bool)
    numbers = np.arange(rows)
    columns = {
        "x": Column(INT, numbers, valid),
        "y": Column(DOUBLE, numbers / 2, valid),
        "s": Column(STRING, np.full(rows, "s", dtype=object), valid),
        "ts": Column(TIMESTAMP, numbers, valid),
    }
    text = np.full(rows, "{}", dtype=object)
    at = np.zeros(rows, dtype=np.int32)
    return Publications(topic="t", time=numbers, id=text, publisher=text, at=at, columns=columns)


def _function(name: str, type_: FieldType | None) -> Function:
    found = function(name, type_)
    assert not isinstance(found, str)
    return found
