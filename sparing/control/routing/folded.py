"""The folds of a plan, and the folded routing entries that brokers forward.

Folding comes after covering: the subscriptions forwarded over a link are combined into one entry per cluster. A topic
has one set of clusters for all links.

Subscriptions that can match a top-k advertisement are not foldable, because brokers must rank them, nor are those whose
publications links may aggregate, because links must know their windows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sparing.control.folding.fold import fold
from sparing.control.folding.problem import NO_PATH, WORD, Folds, Problem
from sparing.control.folding.ranges import pieces_of
from sparing.control.folding.uncovered import extent
from sparing.control.plan import Plan
from sparing.control.routes import HERE
from sparing.control.routing.spread import EntriesByLink, Spread
from sparing.model.policy import DecisionRule, Folding
from sparing.model.subscription import Subscription


def foldable(plan: Plan) -> np.ndarray:
    """Subscription -> whether it may be folded with others."""
    found = np.array([_travels_raw(plan.policy.decision, s) for s in plan.subscriptions], dtype=bool)
    for name, topic in plan.topics.items():
        if topic.merge is not None:  # reports are merged before subscriptions are matched
            found[plan.by_topic[name]] = False
    for advertisement, matching_set in zip(plan.advertisements, plan.matching_sets, strict=True):
        if advertisement.top_k is not None:
            found[matching_set.numbers] = False
    return found


def _travels_raw(decision: DecisionRule, subscription: Subscription) -> bool:
    query = subscription.query
    if decision.raw or (query.aggregation is None and query.every is None):
        return True
    return query.aggregation is not None and not query.aggregation.decomposable


@dataclass(frozen=True, eq=False)
class TopicRanges:
    """The subscriptions to a topic, in force or not, with their ranges and the paths to publishers."""

    numbers: np.ndarray  # of the subscriptions, ascending
    foldable: np.ndarray
    problem: Problem  # without links
    space: float  # measure of the advertised space

    def places(self, numbers: Iterable[int] | np.ndarray) -> np.ndarray:
        """Return the positions of those subscriptions that are to the topic."""
        given = numbers if isinstance(numbers, np.ndarray) else np.array(sorted(numbers), dtype=np.int64)
        found = np.minimum(np.searchsorted(self.numbers, given), len(self.numbers) - 1)
        mine: np.ndarray = found[self.numbers[found] == given]
        return mine

    def with_links(self, links: Iterable[tuple[int, np.ndarray]]) -> Problem:
        """Return the folding problem of foldable subscriptions, given links and the subscriptions forwarded over."""
        bits = self.problem.links.copy()
        for link, numbers in links:
            bits[self.places(numbers), link // WORD] |= np.uint64(1 << link % WORD)
        bits[~self.foldable] = 0
        return replace(self.problem, links=bits)


def ranges_of(plan: Plan, topic: str) -> TopicRanges:
    """Return the ranges of a topic with at least one subscription."""
    numbers = plan.by_topic[topic]
    types = plan.topics[topic].fields
    offered = [advertisement.box for advertisement in plan.advertisements if advertisement.topic == topic]
    boxes = [plan.subscriptions[number].query.box for number in numbers.tolist()]
    whole = pieces_of(boxes, types, offered, whole=True)
    ends, routes = int(whole.starts[len(boxes)]), plan.routes
    towards = []
    for root in plan.published[topic]:
        link = routes.link_of[:, root]
        following = routes.target[np.maximum(link, 0)] if len(routes.target) else link
        towards.append(np.where(link >= 0, following, np.where(link == HERE, root, NO_PATH)))
    home = plan.broker_of[numbers]
    words = max(-(-len(routes.source) // WORD), 1)
    problem = Problem(
        starts=whole.starts[: len(boxes) + 1],
        low=whole.low[:ends],
        high=whole.high[:ends],
        home=home,
        links=np.zeros((len(boxes), words), dtype=np.uint64),
        towards=np.array(towards, dtype=np.int32).reshape(-1, len(routes.brokers)),
    )
    everywhere = replace(problem, starts=whole.starts, low=whole.low, high=whole.high)
    return TopicRanges(numbers, foldable(plan)[numbers], problem, extent(everywhere))


@dataclass(frozen=True, eq=False)
class FoldedTopic:
    """The clusters of a topic, by positions in its ranges."""

    ranges: TopicRanges
    problem: Problem
    folds: Folds

    def clusters(self) -> list[np.ndarray]:
        """Return the subscription numbers of each cluster with more than one member."""
        return [self.ranges.numbers[members] for members in self.folds.clusters()]


@dataclass(frozen=True, eq=False)
class Folded:
    """A spread with the folds of its topics."""

    spread: Spread
    topics: dict[str, FoldedTopic]

    @cached_property
    def cluster_of(self) -> np.ndarray:
        """Subscription -> lowest number in its cluster."""
        found = np.arange(len(self.spread.plan.subscriptions), dtype=np.int32)
        for topic in self.topics.values():
            numbers = topic.ranges.numbers
            found[numbers] = numbers[topic.folds.of]
        return found

    @cached_property
    def entries(self) -> EntriesByLink:
        """Link and kind of message -> folded entries, each as the lowest number of its cluster."""
        return {key: np.unique(self.cluster_of[numbers]) for key, numbers in self.spread.forwarded.items()}

    def members(self, numbers: np.ndarray) -> list[np.ndarray]:
        """Return subscriptions that are forwarded over a link, grouped by entry."""
        clusters = self.cluster_of[numbers]
        order = np.argsort(clusters, kind="stable")
        return np.split(numbers[order], np.flatnonzero(np.diff(clusters[order])) + 1) if len(numbers) else []


def folded(spread: Spread) -> Folded:
    """Return a spread with the folds that its plan's policy asks for."""
    plan = spread.plan
    if plan.policy.folding is Folding.NONE:
        return Folded(spread, {})
    topics = {}
    for topic in plan.topics:
        if len(plan.by_topic[topic]):
            ranges = ranges_of(plan, topic)
            problem = ranges.with_links(spread.forwarded_over.items())
            topics[topic] = FoldedTopic(ranges, problem, fold(plan.policy, problem))
    return Folded(spread, topics)
