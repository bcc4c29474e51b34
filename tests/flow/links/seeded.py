"""Larger cases than Hypothesis makes, each from a seed: sliding windows on a tree, some hundred publications."""

from __future__ import annotations

import numpy as np

from sparing.control.plan import Plan
from sparing.model.box import Box
from sparing.model.constraint import between
from sparing.model.overlay import Link, Overlay
from sparing.model.subscription import Aggregation, Query, Subscription
from sparing.model.types import INT
from sparing.model.window import TimeWindow
from tests.flow.strategies import BUCKET, OUTPUTS, plan_of
from tests.judges.overlay import Publication

VALUES = 12  # x is one of so many


def seeded_case(seed: int, publications: int = 300, bucket: int = BUCKET) -> tuple[Plan, list[Publication]]:
    """A tree of 5 to 8 brokers, and 10 to 30 subscriptions of as many subscribers.

    A window holds about as many publications as a publication has windows, so that there is something to decide on:
    with many more of either, all policies but the simplest would do the same.
    """
    rng = np.random.default_rng(seed)
    brokers = tuple(f"b{n}" for n in range(rng.integers(5, 9)))
    links = tuple(Link(brokers[at], brokers[rng.integers(0, at)]) for at in range(1, len(brokers)))
    subscriptions = tuple(_subscription(rng, n) for n in range(rng.integers(10, 31)))
    subscribers = {subscription.subscriber: (str(rng.choice(brokers)),) for subscription in subscriptions}
    last = int(rng.integers(publications // 3, 2 * publications))
    times, values = rng.integers(0, last, publications), rng.integers(0, VALUES, publications)
    at = rng.choice(brokers, publications)
    plan = plan_of(Overlay(brokers, links), subscribers, subscriptions, bucket)
    return plan, [
        Publication(f"p{n:04}", *shape)
        for n, shape in enumerate(zip(times.tolist(), at.tolist(), values.tolist(), strict=True))
    ]


def _subscription(rng: np.random.Generator, number: int) -> Subscription:
    slide = int(rng.integers(6, 25))
    window = TimeWindow(int(rng.integers(slide, 4 * slide)), slide, int(rng.integers(0, slide)))
    low = int(rng.integers(0, VALUES - 2))
    box = Box.of({"x": between(INT, low, low + int(rng.integers(1, 6)))})
    assert box is not None
    query = Query("t", box, aggregation=Aggregation((OUTPUTS["n"], OUTPUTS["sum x"]), window))
    return Subscription(f"s{number:02}", f"who{number:02}", query)
