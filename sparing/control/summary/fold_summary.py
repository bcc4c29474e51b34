"""What a plan folds, in numbers: clusters, the brokers that fold them, what that saves and what it risks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.folding.covered import quick, unique_of_many
from sparing.control.folding.fold import target
from sparing.control.folding.measures import delay
from sparing.control.folding.problem import Problem
from sparing.control.plan import Plan
from sparing.control.routing.folded import Folded, FoldedTopic


@dataclass(frozen=True, slots=True)
class Cluster:
    """Subscriptions that are told as one, the brokers that fold them, what that saves (entries on links) and risks."""

    subscriptions: tuple[str, ...]
    brokers: tuple[str, ...]
    saved: int
    unique_range: float | None  # None: it would take too long to work out
    delay: int

    @property
    def risk(self) -> float | None:
        """The cost: what becomes false when somebody leaves, times how long that takes to mend."""
        return None if self.unique_range is None else self.unique_range * self.delay


@dataclass(frozen=True, slots=True)
class FoldingSummary:
    """The clusters of a topic, those that save most first.

    `target` is the benefit asked for (theta), `possible` that of a single cluster; `space` is the measure of where
    publications lie, to compare ranges with. `alone` are subscriptions that may not be folded.
    """

    topic: str
    target: int
    possible: int
    saved: int
    cost: float
    space: float
    alone: int
    clusters: tuple[Cluster, ...]


def foldings_of(start: Folded) -> tuple[FoldingSummary, ...]:
    """What is folded of every topic."""
    plan, found = start.spread.plan, []
    told = (
        {link: set(numbers.tolist()) for link, numbers in start.spread.forwarded_over.items()} if start.topics else {}
    )
    for topic, fold in start.topics.items():
        clusters = [_cluster(plan, fold, members, told) for members in fold.folds.clusters()]
        found.append(
            FoldingSummary(
                topic,
                target(plan.policy, fold.problem),
                fold.problem.possible(),
                fold.folds.benefit,
                fold.folds.cost,
                fold.ranges.space,
                int((~fold.ranges.foldable).sum()),
                tuple(sorted(clusters, key=lambda cluster: (-cluster.saved, cluster.subscriptions))),
            )
        )
    return tuple(found)


def _unique_range(problem: Problem, places: np.ndarray) -> float | None:
    """The unique range of a cluster, if it is quickly worked out."""
    return unique_of_many(problem, places) if quick(problem, places) else None


def _cluster(plan: Plan, fold: FoldedTopic, places: np.ndarray, told: dict[int, set[int]]) -> Cluster:
    """A cluster; a broker folds it where members come together that are told on from there as one."""
    routes, members = plan.routes, set(fold.ranges.numbers[places].tolist())
    over = {link: members & numbers for link, numbers in told.items() if members & numbers}
    at = []
    for link, mine in over.items():
        broker = int(routes.source[link])
        own = sum(int(plan.broker_of[number]) == broker for number in mine)
        told_by = sum(bool(mine & over[other]) for other in over if int(routes.target[other]) == broker)
        if own + told_by > 1:
            at.append(broker)
    return Cluster(
        tuple(plan.subscriptions[number].id for number in sorted(members)),
        tuple(routes.brokers[broker] for broker in sorted(set(at))),
        sum(len(mine) - 1 for mine in over.values()),
        _unique_range(fold.problem, places),
        delay(fold.problem, places),
    )
