"""The tree of a merged topic, its center, and who aggregates.

The tree joins the brokers at which the topic is published or subscribed to. Its center is the broker with the least
distance to the farthest one, then the least sum of distances, then the lowest name. Active aggregators are the brokers
nearest to it; passive ones are those a given number of hops away from the active ones, and leaves that are nearer.

Paper: caeva, sections III-A and III-B.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from sparing.control.plan import Plan
from sparing.control.routes import Routes

MOST_REACHED = 1 << 12  # sets of links that are remembered


@dataclass(frozen=True)
class Roles:
    """Who aggregates while some brokers cannot: active ones in the order of their distance to the center."""

    active: tuple[int, ...]
    passive: frozenset[int]
    distance: dict[int, int]  # broker -> hops to the nearest active aggregator
    ways: dict[int, tuple[int, ...]] = field(default_factory=dict)  # broker -> the way there, once it was asked for

    def aggregates(self, broker: int) -> bool:
        """Whether a broker is an aggregator."""
        return broker in self.passive or broker in self.active


class MergeTree:
    """The tree of one topic in one connected part of the overlay. Brokers go by their numbers."""

    def __init__(self, routes: Routes, members: Iterable[int], actives: int) -> None:
        self.routes = routes
        self._actives = actives
        self.neighbours = _joined(routes, sorted(set(members)))
        self.center = min(self.neighbours, key=self._reach)
        self._roles: dict[tuple[frozenset[int], int], Roles] = {}
        self._paths: dict[tuple[int, int], tuple[int, ...]] = {}
        self._reached: dict[tuple[int, frozenset[int]], frozenset[tuple[int, int]]] = {}

    @cached_property
    def brokers(self) -> tuple[int, ...]:
        """All of them, by number."""
        return tuple(sorted(self.neighbours))

    def _reach(self, broker: int) -> tuple[int, int, str]:
        hops = [self.hops(broker, other) for other in self.neighbours]
        return max(hops), sum(hops), self.routes.brokers[broker]

    def hops(self, one: int, other: int) -> int:
        """Links between two brokers."""
        return int(self.routes.hops[one, other])

    def path(self, source: int, target: int) -> tuple[int, ...]:
        """The brokers on the way, both ends included."""
        found = self._paths.get((source, target))
        if found is None:
            found = self._paths[source, target] = self.routes.path(source, target)
        return found

    def links_to(self, source: int, goals: frozenset[int]) -> frozenset[tuple[int, int]]:
        """The links from a broker to some others, each once."""
        found = self._reached.get((source, goals))
        if found is None:
            ways = [self.path(source, goal) for goal in goals]
            found = frozenset(pair for way in ways for pair in itertools.pairwise(way))
            if len(self._reached) >= MOST_REACHED:
                self._reached.clear()
            self._reached[source, goals] = found
        return found

    def roles(self, hops: int, down: frozenset[int] = frozenset()) -> Roles:
        """Who aggregates if passive aggregators are `hops` away from active ones and some brokers cannot."""
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
        """The largest distance at which there is a passive aggregator."""
        return max(self.roles(0).distance.values(), default=0)

    def way_up(self, broker: int, roles: Roles) -> tuple[int, ...]:
        """The way from a broker to the nearest active aggregator."""
        found = roles.ways.get(broker)
        if found is None:
            nearest = min(roles.active, key=lambda a: (self.hops(broker, a), self.routes.brokers[a]))
            found = roles.ways[broker] = self.path(broker, nearest)
        return found


def _joined(routes: Routes, members: list[int]) -> dict[int, tuple[int, ...]]:
    """Broker -> its neighbours in the smallest tree that has all members."""
    found: dict[int, set[int]] = {member: set() for member in members[:1]}
    for goal in members[1:]:
        for here, there in itertools.pairwise(routes.path(members[0], goal)):
            found.setdefault(here, set()).add(there)
            found.setdefault(there, set()).add(here)
    return {broker: tuple(sorted(ends)) for broker, ends in found.items()}


def tree_routes(plan: Plan) -> Routes:
    """The plan's routes if they are a tree; if every source has its own tree, that of the center of the overlay."""
    routes = plan.routes
    if plan.shared:
        return routes
    links: set[tuple[str, str]] = set()
    for part in _parts(routes):
        center = MergeTree(routes, part, 1).center
        for broker in part:  # all ways lead to the center, so none takes a link in the other direction
            links.update(routes.ends(link) for link in routes.way(broker, center))
    return Routes.of(routes.brokers, links)


def _parts(routes: Routes) -> list[list[int]]:
    """The connected parts of the overlay."""
    found: dict[int, list[int]] = {}
    for broker in range(len(routes.brokers)):
        first = int((routes.hops[broker] >= 0).argmax())
        found.setdefault(first, []).append(broker)
    return list(found.values())


def trees_of(plan: Plan, topic: str, actives: int) -> list[MergeTree]:
    """The trees of a merged topic: one for each connected part of the overlay that has to do with it."""
    routes = tree_routes(plan)
    publishers = {routes.number[ad.broker] for ad in plan.advertisements if ad.topic == topic}
    subscribers = {int(plan.broker_of[number]) for number in plan.by_topic[topic]}
    trees = []
    for part in _parts(routes):
        here = set(part)
        if (publishers | subscribers) & here:
            trees.append(MergeTree(routes, (publishers | subscribers) & here, actives))
    return trees
