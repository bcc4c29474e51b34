"""What a matchmaker has to bring together: the links of all delivery trees, and how many descriptors would cross each.

Content descriptors are advertisements and subscriptions. Brokers and links go by numbers. Trees are cut down to the
links that lead to a subscriber.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.control.matchmaker.kernels import mark_seen, weigh

ROOT = -1  # in place of the link before, at the publisher's broker


@dataclass(frozen=True, eq=False)
class Tree:
    """The links from one publisher's broker on, each after the one before it (`parent`, by its place in the tree)."""

    links: np.ndarray
    parent: np.ndarray


@dataclass(frozen=True, eq=False)
class Demand:
    """Trees of publishers' brokers, and descriptors at brokers. `weight` is what a descriptor on a link costs."""

    source: np.ndarray  # link -> broker
    target: np.ndarray  # link -> broker
    trees: tuple[Tree, ...]
    published: np.ndarray  # tree -> descriptors of its publishers
    subscribed: np.ndarray  # broker -> descriptors of its subscribers
    weight: np.ndarray  # link -> cost
    reached: tuple[np.ndarray | None, ...]  # tree -> which brokers' subscribers its publishers reach (None: all)

    @cached_property
    def sigma(self) -> np.ndarray:
        """Link -> how many advertisements would cross it if all links were p-links."""
        found = np.zeros(len(self.source), dtype=np.int64)
        for tree, published in zip(self.trees, self.published.tolist(), strict=True):
            found[tree.links] += published
        return found

    @cached_property
    def tau(self) -> np.ndarray:
        """Link -> how many subscriptions would cross it if all links were s-links."""
        wanted = np.flatnonzero(self.subscribed)
        bit_of = np.full(len(self.subscribed), -1, dtype=np.int64)
        bit_of[wanted] = np.arange(len(wanted))
        seen = np.zeros((len(self.source), (len(wanted) + 63) // 64), dtype=np.uint64)
        for tree, reached in zip(self.trees, self.reached, strict=True):
            bits = bit_of if reached is None else np.where(reached, bit_of, -1)
            mark_seen(tree.links, tree.parent, self.target, bits, seen)
        found: np.ndarray = weigh(seen, self.subscribed[wanted])
        return found

    @cached_property
    def eta(self) -> np.ndarray:
        """Link -> what is saved if it is an s-link instead of a p-link."""
        saved: np.ndarray = self.weight * (self.sigma - self.tau)
        return saved

    @cached_property
    def requires(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of links, the first before the second in some tree: if the first is an s-link, so is the second."""
        before, after = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for tree in self.trees:
            inner = np.flatnonzero(tree.parent != ROOT)
            before.append(tree.links[tree.parent[inner]])
            after.append(tree.links[inner])
        keys = np.unique(np.concatenate(before) * len(self.source) + np.concatenate(after))
        return keys // max(len(self.source), 1), keys % max(len(self.source), 1)

    def cost(self, marking: np.ndarray) -> float:
        """The descriptors of a valid marking (True: s-link), by weight."""
        return float((self.weight * np.where(marking, self.tau, self.sigma)).sum())

    def valid(self, marking: np.ndarray) -> bool:
        """Whether below every s-link there are only s-links, in every tree."""
        before, after = self.requires
        return not bool((marking[before] & ~marking[after]).any())


def tree_of(paths: Mapping[int, int], source: np.ndarray, target: np.ndarray, root: int, goals: Sequence[int]) -> Tree:
    """The tree from a broker to others. `paths` has for each broker the link that leads to it from the root."""
    needed: set[int] = set()
    for goal in goals:
        broker = goal
        while broker != root and broker in paths and paths[broker] not in needed:
            needed.add(paths[broker])
            broker = int(source[paths[broker]])
    by_source: dict[int, list[int]] = {}
    for link in sorted(needed):
        by_source.setdefault(int(source[link]), []).append(link)
    links, parent, ahead = list[int](), list[int](), [(root, ROOT)]
    while ahead:
        broker, place = ahead.pop()
        for link in by_source.get(broker, ()):
            ahead.append((int(target[link]), len(links)))
            links.append(link)
            parent.append(place)
    return Tree(np.array(links, dtype=np.int64), np.array(parent, dtype=np.int64))
