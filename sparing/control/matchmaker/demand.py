"""What a matchmaker has to bring together: the links of all delivery trees, and how many descriptors would cross each.

Content descriptors are advertisements and subscriptions. Brokers and links go by numbers. Trees are cut down to the
links that lead to a subscriber.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.control.matchmaker.kernels import behind, by_hops, cut_down, distinct
from sparing.graphs.adjacency import adjacency

ROOT = -1  # in place of the link before, at the publisher's broker
_NONE = np.zeros(0, dtype=np.int64)


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
        links, parent = self.forest
        goals = self.target[links]
        counts = self.subscribed[goals] > 0
        start = 0
        for tree, reached in zip(self.trees, self.reached, strict=True):
            end = start + len(tree.links)
            if reached is not None:
                counts[start:end] &= reached[goals[start:end]]
            start = end
        found = np.zeros(len(self.source), dtype=np.int64)
        behind(links, parent, goals, counts, self.subscribed, found)
        return found

    @cached_property
    def eta(self) -> np.ndarray:
        """Link -> what is saved if it is an s-link instead of a p-link."""
        saved: np.ndarray = self.weight * (self.sigma - self.tau)
        return saved

    @cached_property
    def requires(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of links, the first before the second in some tree: if the first is an s-link, so is the second."""
        (links, parent), count = self.forest, len(self.source)
        inner = np.flatnonzero(parent != ROOT)
        keys = np.sort(distinct(*adjacency(links[parent[inner]], links[inner], count)))
        return keys // max(count, 1), keys % max(count, 1)

    @cached_property
    def forest(self) -> tuple[np.ndarray, np.ndarray]:
        """The links of all trees, and for each the place of the one before it."""
        sizes = [len(tree.links) for tree in self.trees]
        starts = np.repeat(np.cumsum([0, *sizes])[:-1], np.array(sizes, dtype=np.int64))
        links = np.concatenate([_NONE, *(tree.links for tree in self.trees)])
        parent = np.concatenate([_NONE, *(tree.parent for tree in self.trees)])
        return links, np.where(parent == ROOT, ROOT, parent + starts)

    def cost(self, marking: np.ndarray) -> float:
        """The descriptors of a valid marking (True: s-link), by weight."""
        return float((self.weight * np.where(marking, self.tau, self.sigma)).sum())

    def valid(self, marking: np.ndarray) -> bool:
        """Whether below every s-link there are only s-links, in every tree."""
        before, after = self.requires
        return not bool((marking[before] & ~marking[after]).any())


def tree_of(paths: Mapping[int, int], source: np.ndarray, target: np.ndarray, root: int, goals: Sequence[int]) -> Tree:
    """The tree from a broker to others. `paths` has for each broker the link that leads to it from the root."""
    ends = (source, target, [root], goals, list(paths))
    link_to = np.full(1 + max(int(np.max(some, initial=0)) for some in ends), -1, dtype=np.int64)
    link_to[list(paths)] = list(paths.values())
    return Tree(*cut_down(link_to, source, target, root, np.asarray(goals, dtype=np.int64)))


def trees_by_hops(source: np.ndarray, target: np.ndarray, roots: Sequence[int], goals: np.ndarray) -> tuple[Tree, ...]:
    """For each root the tree to all goals that it reaches, over as few links as can be; for overlays of any size."""
    brokers = 1 + max(int(np.max(some, initial=0)) for some in (source, target, np.asarray(roots), goals))
    first, found = adjacency(source, np.arange(len(source)), brokers)
    return tuple(
        Tree(*cut_down(by_hops(first, found, target, root, brokers), source, target, root, goals)) for root in roots
    )
