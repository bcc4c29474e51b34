"""Routes: the delivery tree as arrays, so that whole batches of publications find their way at once.

Brokers and directed links are numbered. `link_of[b, d]` is the link that leads from broker b towards broker d:
`HERE` if b is d, `NOWHERE` if no path exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

HERE = -1
NOWHERE = -2


@dataclass(frozen=True, eq=False)
class Routes:
    """Next links and hop counts between all pairs of brokers of a forest."""

    brokers: tuple[str, ...]
    source: np.ndarray  # link -> broker
    target: np.ndarray  # link -> broker
    link_of: np.ndarray  # [broker, broker] -> link
    hops: np.ndarray  # [broker, broker] -> links on the way, -1 without a path
    number: dict[str, int] = field(default_factory=dict)  # broker name -> its number

    @classmethod
    def of(cls, brokers: Iterable[str], tree: Iterable[tuple[str, str]]) -> Routes:
        """The routes of a forest given by its undirected links."""
        names = tuple(brokers)
        number = {name: at for at, name in enumerate(names)}
        pairs = [(number[a], number[b]) for one, other in sorted(tree) for a, b in ((one, other), (other, one))]
        link_number = {pair: at for at, pair in enumerate(pairs)}
        outgoing: list[list[int]] = [[] for _ in names]
        for a, b in pairs:
            outgoing[a].append(b)
        link_of = np.full((len(names), len(names)), NOWHERE, dtype=np.int32)
        hops = np.full((len(names), len(names)), -1, dtype=np.int32)
        for goal in range(len(names)):
            link_of[goal, goal], hops[goal, goal] = HERE, 0
            front = [goal]
            while front:
                further = []
                for near in front:
                    for far in outgoing[near]:
                        if hops[far, goal] < 0:
                            hops[far, goal] = hops[near, goal] + 1
                            link_of[far, goal] = link_number[far, near]
                            further.append(far)
                front = further
        source = np.array([a for a, _ in pairs], dtype=np.int32)
        target = np.array([b for _, b in pairs], dtype=np.int32)
        return cls(names, source, target, link_of, hops, number)

    def distance(self, one: str, other: str) -> float:
        """Hops between two brokers, infinite without a path."""
        hops = int(self.hops[self.number[one], self.number[other]])
        return hops if hops >= 0 else float("inf")

    @staticmethod
    def reverse(link: int) -> int:
        """The same link in the other direction: both have neighbouring numbers."""
        return link ^ 1

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
