"""Routes: the delivery trees as arrays, so that whole batches of publications find their way at once.

Brokers and directed links are numbered. `link_of[b, d]` is the link that leads from broker b towards broker d:
`HERE` if b is d, `NOWHERE` if no path exists. Which publisher something comes from does not matter for that, not even
if every source has a tree of its own: between two brokers there is one path, the same in both directions, and parts of
such paths are such paths.
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
    hops: np.ndarray  # [broker, broker] -> links on the way, -1 without a path
    number: dict[str, int] = field(default_factory=dict)  # broker name -> its number

    @classmethod
    def of(cls, brokers: Iterable[str], tree: Iterable[tuple[str, str]]) -> Routes:
        """The routes of a forest given by its undirected links."""
        names, links = tuple(brokers), sorted((min(pair), max(pair)) for pair in tree)
        neighbours: dict[str, dict[str, float]] = {name: {} for name in names}
        for one, other in links:
            neighbours[one][other] = neighbours[other][one] = 1.0
        return cls._along(names, links, {name: _parents(neighbours, name) for name in names})

    @classmethod
    def per_source(cls, brokers: Iterable[str], neighbours: Graph) -> Routes:
        """The routes of shortest paths: every broker has a tree of its own. Links that no path takes are left out."""
        paths = unique_paths(neighbours)
        links = sorted({(min(pair), max(pair)) for parents in paths.values() for pair in parents.items()})
        return cls._along(tuple(brokers), links, paths)

    @classmethod
    def _along(
        cls, names: tuple[str, ...], links: list[tuple[str, str]], paths: Mapping[str, Mapping[str, str]]
    ) -> Routes:
        """The routes along paths: goal -> broker -> the next broker on the way to the goal, nearest ones first."""
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
        return cls(names, source, target, link_of, hops, number)

    def distance(self, one: str, other: str) -> float:
        """Hops between two brokers, infinite without a path."""
        hops = int(self.hops[self.number[one], self.number[other]])
        return hops if hops >= 0 else float("inf")

    def ends(self, link: int) -> tuple[str, str]:
        """The brokers that a link leads from and to, by name."""
        return self.brokers[self.source[link]], self.brokers[self.target[link]]

    def way(self, at: int, goal: int) -> Iterator[int]:
        """The links from one broker to another, none if there is no path."""
        while (link := int(self.link_of[at, goal])) >= 0:
            yield link
            at = int(self.target[link])

    def path(self, at: int, goal: int) -> tuple[int, ...]:
        """The brokers on the way from one to another, both ends included; only the first if there is no path."""
        return at, *(int(self.target[link]) for link in self.way(at, goal))

    @staticmethod
    def reverse(link: int) -> int:
        """The same link in the other direction: both have neighbouring numbers."""
        return link ^ 1

    def passes(self, at: np.ndarray | int, broker: np.ndarray | int, goal: np.ndarray) -> np.ndarray:
        """Whether the path from `at` to `goal` comes by a broker, for each of several such questions."""
        here, broker, goal = (np.array(some, dtype=np.int64) for some in np.broadcast_arrays(at, broker, goal))
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
        """[broker, broker] -> whether the whole path between two brokers is hosted."""
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
        """The links that rows cross on their way from brokers `at` to `goals`: each (row, link) once, sorted.

        A row may appear with several goals; where their paths share a link, the row crosses it once. Rows are followed
        up to the first broker that is not `hosted` (by number; None: all are).
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
    """Broker -> the next one on the way to the root of a tree, nearest brokers first."""
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
    """Each of some numbers (none negative) once, ascending.

    Numbers from a small range are ticked off in a table, which is much faster than sorting them.
    """
    if not len(keys):
        return keys
    most = int(keys.max())
    if most > max(1 << 20, 64 * len(keys)):
        return np.unique(keys)
    seen = np.zeros(most + 1, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen)
