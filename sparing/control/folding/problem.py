"""The folding problem: ranges of subscriptions, and the links over which each is forwarded to publishers.

Terms are those of the slides (mefa.txt):

- The **unique range** of a cluster is the measure that exactly one member covers.
- Its **delay** is the most hops from a member's subscriber (one hop below its broker) to the topmost broker where the
  cluster is folded, over all publishers' brokers.
- Its **cost** is unique range times delay, and 0 for a single subscription.
- The **benefit** of joining two clusters is the number of links over which both are forwarded: one entry is saved on
  each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

WORD = 64
NO_PATH = -1


@dataclass(frozen=True, eq=False)
class Problem:
    """Subscriptions by number. A subscription has one or more pieces: disjoint boxes.

    Pieces are half open: `low[p] <= x < high[p]` in each dimension; they may be empty in some.
    """

    starts: np.ndarray  # subscription -> its first piece, and one more entry
    low: np.ndarray  # [piece, dimension]
    high: np.ndarray  # [piece, dimension]
    home: np.ndarray  # subscription -> broker
    links: np.ndarray  # [subscription, word] -> bits of the links over which it is forwarded
    towards: np.ndarray  # [publishers' broker, broker] -> next broker on the path, itself at its end, or NO_PATH

    def __len__(self) -> int:
        return len(self.home)

    @classmethod
    def on_tree(cls, parents: Sequence[int], homes: Sequence[int], ranges: Sequence[Sequence[float]]) -> Problem:
        """Return the problem of subscriptions on a tree, forwarded to its root, which is its own parent.

        A range is `(low, high)` for one dimension, `(low, high, low, high, ...)` for more.
        """
        bounds = np.array(ranges, dtype=np.float64).reshape(len(homes), -1)
        towards = np.array([parents], dtype=np.int32)
        above = [path_from(parents, home)[:-1] for home in homes]  # each broker's link up
        return cls(
            starts=np.arange(len(homes) + 1),
            low=np.ascontiguousarray(bounds[:, ::2]),
            high=np.ascontiguousarray(bounds[:, 1::2]),
            home=np.array(homes, dtype=np.int32),
            links=bits(above, len(parents)),
            towards=towards,
        )

    @cached_property
    def hulls(self) -> tuple[np.ndarray, np.ndarray]:
        """[subscription, dimension] -> lowest and highest bound of its pieces."""
        if not len(self):
            return self.low, self.high
        return np.minimum.reduceat(self.low, self.starts[:-1]), np.maximum.reduceat(self.high, self.starts[:-1])

    def possible(self) -> int:
        """Return the benefit of a single cluster: at most one entry per link."""
        return int(counted(self.links).sum() - counted(np.bitwise_or.reduce(self.links, axis=0, initial=0)).sum())


@dataclass(frozen=True, eq=False)
class Folds:
    """Clusters of subscriptions, with their benefit and cost."""

    of: np.ndarray  # subscription -> lowest number in its cluster
    benefit: int  # links on which an entry is saved
    cost: float

    def clusters(self) -> list[np.ndarray]:
        """Return the members of each cluster with more than one, by lowest number."""
        order = np.argsort(self.of, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.of[order])) + 1) if len(order) else []
        return [part for part in parts if len(part) > 1]


def bits(links: Sequence[Sequence[int]], count: int) -> np.ndarray:
    """[subscription, word] -> bits of each subscription's links; `count` is the number of all links."""
    found = np.zeros((len(links), max(-(-count // WORD), 1)), dtype=np.uint64)
    for row, mine in enumerate(links):
        for link in mine:
            found[row, link // WORD] |= np.uint64(1 << link % WORD)
    return found


def counted(words: np.ndarray) -> np.ndarray:
    """Return the number of set bits of each word."""
    found: np.ndarray = np.bitwise_count(words).astype(np.int64)
    return found


def path_from(towards: Sequence[int], home: int) -> list[int]:
    """Return the brokers from home to the end of its path, none without a path."""
    path = [home]
    while towards[path[-1]] not in (path[-1], NO_PATH):
        path.append(towards[path[-1]])
    return path if towards[path[-1]] != NO_PATH else []
