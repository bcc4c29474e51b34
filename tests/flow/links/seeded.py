"""Larger cases than Hypothesis makes, each from a seed: sliding windows on a tree of brokers, hundreds of publications."""

from __future__ import annotations

import numpy as np

from sparing.control.plan import Plan
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import INT
from sparing.model.window import TimeWindow
from tests.flow.strategies import OUTPUTS, plan_of
from tests.judges.overlay import Publication

VALUES = 12  # x is one of so many


def seeded_case(seed: int, publications: int = 250) -> tuple[Plan, list[Publication]]:
    """A tree of 5 to 8 brokers, 10 to 30 subscriptions; a publication matches a third of them or so.

    Windows hold a handful of publications, about as many as there are windows that a publication is in: otherwise all
    policies would agree.
    """
    rng = np.random.default_rng(seed)
    brokers = tuple(f"b{n}" for n in range(rng.integers(5, 9)))
    links = tuple(Link(brokers[at], brokers[rng.integers(0, at)]) for at in range(1, len(brokers)))
    subscribers = {f"who{n}": (str(rng.choice(brokers)),) for n in range(6)}
    subscriptions = tuple(_subscription(rng, n) for n in range(rng.integers(10, 31)))
    plan = plan_of(Overlay(brokers, links), subscribers, subscriptions)
    last = int(rng.integers(publications // 3, 2 * publications))
    return plan, [
        Publication(f"p{n:04}", int(rng.integers(0, last)), str(rng.choice(brokers)), int(rng.integers(0, VALUES)))
        for n in range(publications)
    ]


def _subscription(rng: np.random.Generator, number: int) -> Subscription:
    slide = int(rng.integers(6, 25))
    window = TimeWindow(int(rng.integers(slide, 4 * slide)), slide, int(rng.integers(0, slide)))
    low = int(rng.integers(0, VALUES - 2))
    box = Box.of({"x": between(INT, low, low + int(rng.integers(1, 6)))})
    assert box is not None
    query = Query("t", box, aggregation=Aggregation((OUTPUTS["n"], OUTPUTS["sum x"]), window))
    return Subscription(f"s{number:02}", f"who{rng.integers(0, 6)}", query)
