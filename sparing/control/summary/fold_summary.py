"""The folds of a plan in numbers: clusters, the brokers that fold them, savings and risks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sparing.control.folding.covered import is_feasible, unique_of_many
from sparing.control.folding.fold import target
from sparing.control.folding.measures import delay
from sparing.control.folding.problem import Problem
from sparing.control.plan import Plan
from sparing.control.routing.folded import Folded, FoldedTopic


@dataclass(frozen=True, slots=True)
class Cluster:
    """Subscriptions with a common entry, the brokers that fold them, the saved entries on links, and the risk."""

    subscriptions: tuple[str, ...]
    brokers: tuple[str, ...]
    saved: int
    unique_range: float | None  # None: not computed because it would take too long
    delay: int

    @property
    def risk(self) -> float | None:
        """Unique range times delay."""
        return None if self.unique_range is None else self.unique_range * self.delay


@dataclass(frozen=True, slots=True)
class FoldingSummary:
    """The clusters of a topic, by saving.

    `target` is the requested benefit (theta), `possible` that of a single cluster; `space` is the measure of the
    advertised space, to compare ranges with. `alone` is the number of subscriptions that may not be folded.
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
    """Return the summary of every folded topic."""
    plan, found = start.spread.plan, []
    by_link = start.spread.forwarded_over if start.topics else {}
    forwarded = {link: set(numbers.tolist()) for link, numbers in by_link.items()}
    for topic, fold in start.topics.items():
        clusters = [_cluster(plan, fold, members, forwarded) for members in fold.folds.clusters()]
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
    """Return the unique range of a cluster, None if it would take long to compute."""
    return unique_of_many(problem, places) if is_feasible(problem, places) else None


def _cluster(plan: Plan, fold: FoldedTopic, places: np.ndarray, forwarded: dict[int, set[int]]) -> Cluster:
    """Return a cluster; a broker folds it if several members, or entries with members, arrive there."""
    routes, members = plan.routes, set(fold.ranges.numbers[places].tolist())
    over = {link: members & numbers for link, numbers in forwarded.items() if members & numbers}
    at = []
    for link, mine in over.items():
        broker = int(routes.source[link])
        own = sum(int(plan.broker_of[number]) == broker for number in mine)
        received = sum(bool(mine & over[other]) for other in over if int(routes.target[other]) == broker)
        if own + received > 1:
            at.append(broker)
    return Cluster(
        tuple(plan.subscriptions[number].id for number in sorted(members)),
        tuple(routes.brokers[broker] for broker in sorted(set(at))),
        sum(len(mine) - 1 for mine in over.values()),
        _unique_range(fold.problem, places),
        delay(fold.problem, places),
    )
