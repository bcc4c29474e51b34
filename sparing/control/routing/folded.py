"""What of a plan can be folded, and the entries that brokers tell each other once it is.

Folding comes after covering: what covering leaves of the subscriptions on a link is told in clusters, one entry each.
A topic has one set of clusters; wherever members of a cluster are told over a link, they are told as one.

Who is told alone: subscriptions that an advertisement for the k best concerns, since its brokers must rank them, and
those whose publications links may aggregate, since these must know their windows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sparing.control.folding.fold import fold
from sparing.control.folding.problem import NO_WAY, WORD, Folds, Problem
from sparing.control.folding.ranges import pieces_of
from sparing.control.folding.uncovered import extent
from sparing.control.plan import Plan
from sparing.control.routes import HERE
from sparing.control.routing.spread import EntriesByLink, Spread
from sparing.model.policy import DecisionRule, Folding
from sparing.model.subscription import Subscription


def foldable(plan: Plan) -> np.ndarray:
    """Which subscriptions may be told as one with others."""
    alike = np.array([_travels_raw(plan.policy.decision, s) for s in plan.subscriptions], dtype=bool)
    for name, topic in plan.topics.items():
        if topic.merge is not None:  # reports are merged before anybody is picked
            alike[plan.by_topic[name]] = False
    for advertisement, contest in zip(plan.advertisements, plan.contests, strict=True):
        if advertisement.top_k is not None:
            alike[contest.numbers] = False
    return alike


def _travels_raw(decision: DecisionRule, subscription: Subscription) -> bool:
    query = subscription.query
    if decision.raw or (query.aggregation is None and query.every is None):
        return True
    return query.aggregation is not None and not query.aggregation.decomposable


@dataclass(frozen=True, eq=False)
class TopicRanges:
    """The subscriptions to a topic, in force or not: their ranges, and the ways to publishers.

    In `problem`, nobody is told anything yet. `space` is the measure of where publications may lie.
    """

    numbers: np.ndarray
    foldable: np.ndarray
    problem: Problem
    space: float

    def places(self, numbers: Iterable[int] | np.ndarray) -> np.ndarray:
        """The places of some subscriptions, as far as they are to the topic."""
        given = numbers if isinstance(numbers, np.ndarray) else np.array(sorted(numbers), dtype=np.int64)
        found = np.minimum(np.searchsorted(self.numbers, given), len(self.numbers) - 1)
        mine: np.ndarray = found[self.numbers[found] == given]
        return mine

    def told(self, links: Iterable[tuple[int, np.ndarray]]) -> Problem:
        """The problem if subscriptions (by number) are told over links, those that can be folded."""
        bits = self.problem.told.copy()
        for link, numbers in links:
            bits[self.places(numbers), link // WORD] |= np.uint64(1 << link % WORD)
        bits[~self.foldable] = 0
        return replace(self.problem, told=bits)


def ground_of(plan: Plan, topic: str) -> TopicRanges:
    """The ground of a topic; somebody must subscribe to it."""
    numbers = plan.by_topic[topic]
    types = plan.topics[topic].fields
    offered = [advertisement.box for advertisement in plan.advertisements if advertisement.topic == topic]
    boxes = [plan.subscriptions[number].query.box for number in numbers.tolist()]
    whole = pieces_of(boxes, types, offered, whole=True)
    ends, routes = int(whole.starts[len(boxes)]), plan.routes
    towards = []
    for root in plan.published[topic]:
        link = routes.link_of[:, root]
        ways = routes.target[np.maximum(link, 0)] if len(routes.target) else link
        towards.append(np.where(link >= 0, ways, np.where(link == HERE, root, NO_WAY)))
    home = plan.broker_of[numbers]
    words = max(-(-len(routes.source) // WORD), 1)
    problem = Problem(
        whole.starts[: len(boxes) + 1],
        whole.low[:ends],
        whole.high[:ends],
        home,
        np.zeros((len(boxes), words), dtype=np.uint64),
        np.array(towards, dtype=np.int32).reshape(-1, len(routes.brokers)),
    )
    everywhere = Problem(whole.starts, whole.low, whole.high, home, problem.told, problem.towards)
    return TopicRanges(numbers, foldable(plan)[numbers], problem, extent(everywhere))


@dataclass(frozen=True, eq=False)
class FoldedTopic:
    """The clusters of a topic, by places in its ground."""

    ground: TopicRanges
    problem: Problem
    folds: Folds

    def clusters(self) -> list[np.ndarray]:
        """Numbers of the subscriptions in each cluster of more than one."""
        return [self.ground.numbers[members] for members in self.folds.clusters()]


@dataclass(frozen=True, eq=False)
class Folded:
    """A spread, with what is told over its links in clusters."""

    spread: Spread
    topics: dict[str, FoldedTopic]

    @cached_property
    def cluster_of(self) -> np.ndarray:
        """Subscription -> the lowest number in its cluster."""
        found = np.arange(len(self.spread.plan.subscriptions), dtype=np.int32)
        for topic in self.topics.values():
            numbers = topic.ground.numbers
            found[numbers] = numbers[topic.folds.of]
        return found

    @cached_property
    def entries(self) -> EntriesByLink:
        """Link and kind of message -> the lowest number of each cluster that is told there."""
        return {key: np.unique(self.cluster_of[numbers]) for key, numbers in self.spread.told.items()}

    def members(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Subscriptions that are told over a link, by entry."""
        clusters = self.cluster_of[numbers]
        order = np.argsort(clusters, kind="stable")
        return np.split(numbers[order], np.flatnonzero(np.diff(clusters[order])) + 1) if len(numbers) else []


def folded(spread: Spread) -> Folded:
    """Fold what a spread tells, as its plan's policy asks for."""
    plan = spread.plan
    if plan.policy.folding is Folding.NONE:
        return Folded(spread, {})
    topics = {}
    for topic in plan.topics:
        if len(plan.by_topic[topic]):
            ground = ground_of(plan, topic)
            problem = ground.told(spread.told_over.items())
            topics[topic] = FoldedTopic(ground, problem, fold(plan.policy, problem))
    return Folded(spread, topics)
