"""Routes: the delivery trees as arrays, so that whole batches of publications are routed at once.

Brokers and directed links are numbered. `link_of[b, d]` is the link from broker b towards broker d: `HERE` if b is d,
`NOWHERE` without a path. It does not depend on the publisher, not even with a tree per source: there is exactly one
path between two brokers, the same in both directions, and parts of paths are paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from sparing.graphs.trees import Graph, unique_paths

HERE = -1
NOWHERE = -2


@dataclass(frozen=True, eq=False)
class Routes:
    """Next links and hop counts between all pairs of brokers."""

    brokers: tuple[str, ...]
    source: np.ndarray  # link -> broker
    target: np.ndarray  # link -> broker
    link_of: np.ndarray  # [broker, broker] -> link
    hops: np.ndarray  # [broker, broker] -> links on the path, -1 without a path
    number: dict[str, int] = field(default_factory=dict)  # broker name -> number

    @classmethod
    def of(cls, brokers: Iterable[str], tree: Iterable[tuple[str, str]]) -> Routes:
        """Return the routes in a forest, given by its undirected links."""
        names, links = tuple(brokers), sorted((min(pair), max(pair)) for pair in tree)
        neighbours: dict[str, dict[str, float]] = {name: {} for name in names}
        for one, other in links:
            neighbours[one][other] = neighbours[other][one] = 1.0
        return cls._along(names, links, {name: _parents(neighbours, name) for name in names})

    @classmethod
    def per_source(cls, brokers: Iterable[str], neighbours: Graph) -> Routes:
        """Return the routes along shortest paths: one tree per broker, without links that no path uses."""
        paths = unique_paths(neighbours)
        links = sorted({(min(pair), max(pair)) for parents in paths.values() for pair in parents.items()})
        return cls._along(tuple(brokers), links, paths)

    @classmethod
    def _along(
        cls, names: tuple[str, ...], links: list[tuple[str, str]], paths: Mapping[str, Mapping[str, str]]
    ) -> Routes:
        """Return the routes along `paths`: goal -> broker -> next broker towards the goal, nearest brokers first."""
        number = {name: at for at, name in enumerate(names)}
        pairs = [(number[a], number[b]) for one, other in links for a, b in ((one, other), (other, one))]
        link_number = {pair: at for at, pair in enumerate(pairs)}
        link_of = np.full((len(names), len(names)), NOWHERE, dtype=np.int32)
        hops = np.full((len(names), len(names)), -1, dtype=np.int32)
        for goal_name, parents in paths.items():
            goal = number[goal_name]
            link_of[goal, goal], hops[goal, goal] = HERE, 0
            for far_name, near_name in parents.items():
                far, near = number[far_name], number[near_name]
                hops[far, goal] = hops[near, goal] + 1
                link_of[far, goal] = link_number[far, near]
        source = np.array([a for a, _ in pairs], dtype=np.int32)
        target = np.array([b for _, b in pairs], dtype=np.int32)
        return cls(brokers=names, source=source, target=target, link_of=link_of, hops=hops, number=number)

    def distance(self, one: str, other: str) -> float:
        """Return the hops between two brokers, infinite without a path."""
        hops = int(self.hops[self.number[one], self.number[other]])
        return hops if hops >= 0 else float("inf")

    def ends(self, link: int) -> tuple[str, str]:
        """Return the names of the source and the target of a link."""
        return self.brokers[self.source[link]], self.brokers[self.target[link]]

    def links_between(self, at: int, goal: int) -> Iterator[int]:
        """Yield the links on the path between two brokers, none without a path."""
        while (link := int(self.link_of[at, goal])) >= 0:
            yield link
            at = int(self.target[link])

    def path(self, at: int, goal: int) -> tuple[int, ...]:
        """Return the brokers on the path from `at` to `goal`, both included; only `at` without a path."""
        return at, *(int(self.target[link]) for link in self.links_between(at, goal))

    @staticmethod
    def reverse(link: int) -> int:
        """Return the link in the opposite direction; the two numbers differ in the last bit."""
        return link ^ 1

    def passes(self, at: np.ndarray | int, broker: np.ndarray | int, goal: np.ndarray) -> np.ndarray:
        """Return whether the path from `at` to `goal` contains `broker`, element by element."""
        here, broker, goal = (np.array(column, dtype=np.int64) for column in np.broadcast_arrays(at, broker, goal))
        found: np.ndarray = here == broker
        while True:
            link = self.link_of[here, goal]
            moving = link >= 0
            if not moving.any():
                found &= link == HERE
                return found
            here = np.where(moving, self.target[np.maximum(link, 0)], here)
            found |= here == broker

    def within(self, hosted: np.ndarray) -> np.ndarray:
        """[broker, broker] -> whether all brokers on the path are hosted."""
        count = len(self.brokers)
        inside = np.zeros((count, count), dtype=bool)
        np.fill_diagonal(inside, hosted)
        for hops in range(1, int(self.hops.max(initial=0)) + 1):
            at, goal = np.nonzero(self.hops == hops)
            inside[at, goal] = hosted[at] & inside[self.target[self.link_of[at, goal]], goal]
        return inside

    def crossings(
        self, rows: np.ndarray, at: np.ndarray, goals: np.ndarray, hosted: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the links on the paths of rows from `at` to `goals`: each pair of row and link once, sorted.

        A row may have several goals; it crosses a link that their paths share once. A path ends at the first broker
        that is not `hosted` (None: all are).
        """
        links = max(len(self.source), 1)
        found = []
        while len(rows):
            link = self.link_of[at, goals]
            moving = link >= 0 if hosted is None else (link >= 0) & hosted[at]
            rows, goals, link = rows[moving], goals[moving], link[moving]
            found.append(rows.astype(np.int64) * links + link)
            at = self.target[link]
        keys = distinct(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
        return keys // links, keys % links


def _parents(neighbours: Mapping[str, Mapping[str, float]], root: str) -> dict[str, str]:
    """Broker -> next broker towards the root of a tree, nearest brokers first."""
    parents, front = dict[str, str](), [root]
    while front:
        further = []
        for near in front:
            for far in neighbours[near]:
                if far != root and far not in parents:
                    parents[far] = near
                    further.append(far)
        front = further
    return parents


def distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct values of an array of non-negative integers, ascending.

    Values in a small range are marked in a table, which is much faster than sorting.
    """
    if not len(keys):
        return keys
    most = int(keys.max())
    if most > max(1 << 20, 64 * len(keys)):
        return np.unique(keys)
    present = np.zeros(most + 1, dtype=bool)
    present[keys] = True
    return np.flatnonzero(present)
