"""The tree of a merged topic, its center, and its aggregators.

The tree connects the brokers with publishers or subscribers of the topic. Its center is the broker with the least
distance to the farthest one, then the least sum of distances, then the lowest name. Active aggregators are the brokers
nearest to the center; passive ones are at a given number of hops from the active ones, or leaves that are nearer.

Paper: caeva, sections III-A and III-B.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from sparing.control.plan import Plan
from sparing.control.routes import Routes

MOST_CACHED = 1 << 12  # sets of links


@dataclass(frozen=True)
class Roles:
    """The aggregators of a tree, given a set of brokers that are down."""

    active: tuple[int, ...]  # by distance to the center
    passive: frozenset[int]
    distance: dict[int, int]  # broker -> hops to the nearest active aggregator
    paths: dict[int, tuple[int, ...]] = field(default_factory=dict)  # broker -> path there, a cache

    def aggregates(self, broker: int) -> bool:
        """Return whether a broker is an aggregator."""
        return broker in self.passive or broker in self.active


class MergeTree:
    """The tree of one topic in one connected part of the overlay. Brokers are numbers."""

    def __init__(self, routes: Routes, members: Iterable[int], actives: int) -> None:
        self.routes = routes
        self._actives = actives
        self.neighbours = _smallest_tree(routes, sorted(set(members)))
        self.center = min(self.neighbours, key=self._reach)
        self._roles: dict[tuple[frozenset[int], int], Roles] = {}
        self._paths: dict[tuple[int, int], tuple[int, ...]] = {}
        self._links_to: dict[tuple[int, frozenset[int]], frozenset[tuple[int, int]]] = {}

    @cached_property
    def brokers(self) -> tuple[int, ...]:
        """All brokers of the tree, ascending."""
        return tuple(sorted(self.neighbours))

    def _reach(self, broker: int) -> tuple[int, int, str]:
        hops = [self.hops(broker, other) for other in self.neighbours]
        return max(hops), sum(hops), self.routes.brokers[broker]

    def hops(self, one: int, other: int) -> int:
        """Return the number of links between two brokers."""
        return int(self.routes.hops[one, other])

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """Return the brokers on the path, both ends included."""
        found = self._paths.get((source, target))
        if found is None:
            found = self._paths[source, target] = self.routes.path(source, target)
        return found

    def links_to(self, source: int, goals: frozenset[int]) -> frozenset[tuple[int, int]]:
        """Return the links on the paths from a broker to the goals."""
        found = self._links_to.get((source, goals))
        if found is None:
            paths = [self.path(source, goal) for goal in goals]
            found = frozenset(pair for path in paths for pair in itertools.pairwise(path))
            if len(self._links_to) >= MOST_CACHED:
                self._links_to.clear()
            self._links_to[source, goals] = found
        return found

    def roles(self, hops: int, down: frozenset[int] = frozenset()) -> Roles:
        """Return the aggregators if passive ones are `hops` away from active ones and some brokers are down."""
        found = self._roles.get((down, hops))
        if found is None:
            found = self._roles[down, hops] = self._assign(hops, down)
        return found

    def _assign(self, hops: int, down: frozenset[int]) -> Roles:
        nearest = sorted(self.brokers, key=lambda b: (self.hops(self.center, b), self.routes.brokers[b]))
        active = tuple([broker for broker in nearest if broker not in down][: self._actives])
        distance = {b: min((self.hops(b, a) for a in active), default=0) for b in self.brokers}
        passive = frozenset(
            broker
            for broker, far in distance.items()
            if broker not in down
            and 0 < far <= hops
            and (far == hops or (len(self.neighbours[broker]) <= 1 and broker != self.center))
        )
        return Roles(active, passive, distance)

    @cached_property
    def depth(self) -> int:
        """The largest distance of a broker from the active aggregators."""
        return max(self.roles(0).distance.values(), default=0)

    def path_up(self, broker: int, roles: Roles) -> tuple[int, ...]:
        """Return the path from a broker to the nearest active aggregator."""
        found = roles.paths.get(broker)
        if found is None:
            nearest = min(roles.active, key=lambda a: (self.hops(broker, a), self.routes.brokers[a]))
            found = roles.paths[broker] = self.path(broker, nearest)
        return found


def _smallest_tree(routes: Routes, members: list[int]) -> dict[int, tuple[int, ...]]:
    """Broker -> its neighbours in the smallest tree that contains all members."""
    found: dict[int, set[int]] = {member: set() for member in members[:1]}
    for goal in members[1:]:
        for here, there in itertools.pairwise(routes.path(members[0], goal)):
            found.setdefault(here, set()).add(there)
            found.setdefault(there, set()).add(here)
    return {broker: tuple(sorted(ends)) for broker, ends in found.items()}


def tree_routes(plan: Plan) -> Routes:
    """Return the plan's routes on a shared tree; with a tree per source, the routes on the tree of the center."""
    routes = plan.routes
    if plan.shared:
        return routes
    links: set[tuple[str, str]] = set()
    for part in _connected_parts(routes):
        center = MergeTree(routes, part, 1).center
        for broker in part:  # paths to the center use each link in one direction only
            links.update(routes.ends(link) for link in routes.links_between(broker, center))
    return Routes.of(routes.brokers, links)


def _connected_parts(routes: Routes) -> list[list[int]]:
    """Return the connected parts of the overlay."""
    found: dict[int, list[int]] = {}
    for broker in range(len(routes.brokers)):
        first = int((routes.hops[broker] >= 0).argmax())
        found.setdefault(first, []).append(broker)
    return list(found.values())


def trees_of(plan: Plan, topic: str, actives: int) -> list[MergeTree]:
    """Return the trees of a merged topic, one per connected part of the overlay with publishers or subscribers."""
    routes = tree_routes(plan)
    publishers = {routes.number[ad.broker] for ad in plan.advertisements if ad.topic == topic}
    subscribers = {int(plan.broker_of[number]) for number in plan.by_topic[topic]}
    trees = []
    for part in _connected_parts(routes):
        here = set(part)
        if (publishers | subscribers) & here:
            trees.append(MergeTree(routes, (publishers | subscribers) & here, actives))
    return trees
