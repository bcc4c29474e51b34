"""The matchmaker's problem: the links of all delivery trees, and the number of descriptors that would cross each.

Content descriptors are advertisements and subscriptions. Brokers and links are numbers. Trees contain only links on
paths to subscribers. Sigma, tau and eta are the paper's notation (matchmaker.txt).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.control.matchmaker.kernels import count_beyond, distinct_edges, pruned_tree, shortest_path_links
from sparing.graphs.adjacency import adjacency

ROOT = -1  # parent of the links at the publisher's broker
_NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Tree:
    """The delivery tree of one publishers' broker: links, and the position of each link's parent link or ROOT.

    A parent comes before its children.
    """

    links: np.ndarray
    parent: np.ndarray


@dataclass(frozen=True, eq=False)
class Demand:
    """Delivery trees of the publishers' brokers, and numbers of descriptors at brokers."""

    source: np.ndarray  # link -> broker
    target: np.ndarray  # link -> broker
    trees: tuple[Tree, ...]
    published: np.ndarray  # tree -> advertisements of its publishers
    subscribed: np.ndarray  # broker -> subscriptions of its subscribers
    weight: np.ndarray  # link -> cost of a descriptor
    reached: tuple[np.ndarray | None, ...]  # tree -> broker -> whether its subscribers are goals (None: all)

    @cached_property
    def sigma(self) -> np.ndarray:
        """Link -> number of advertisements that would cross it if all links were p-links."""
        found = np.zeros(len(self.source), dtype=np.int64)
        for tree, published in zip(self.trees, self.published.tolist(), strict=True):
            found[tree.links] += published
        return found

    @cached_property
    def tau(self) -> np.ndarray:
        """Link -> number of subscriptions that would cross it if all links were s-links."""
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
        count_beyond(links, parent, goals, counts, self.subscribed, found)
        return found

    @cached_property
    def eta(self) -> np.ndarray:
        """Link -> saving if it is an s-link instead of a p-link."""
        saved: np.ndarray = self.weight * (self.sigma - self.tau)
        return saved

    @cached_property
    def requires(self) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of a link and a child in some tree: if the first is an s-link, the second must be one."""
        (links, parent), count = self.forest, len(self.source)
        inner = np.flatnonzero(parent != ROOT)
        keys = np.sort(distinct_edges(*adjacency(links[parent[inner]], links[inner], count)))
        return keys // max(count, 1), keys % max(count, 1)

    @cached_property
    def forest(self) -> tuple[np.ndarray, np.ndarray]:
        """The links of all trees, and the position of each link's parent."""
        sizes = [len(tree.links) for tree in self.trees]
        starts = np.repeat(np.cumsum([0, *sizes])[:-1], np.array(sizes, dtype=np.int64))
        links = np.concatenate([_NONE, *(tree.links for tree in self.trees)])
        parent = np.concatenate([_NONE, *(tree.parent for tree in self.trees)])
        return links, np.where(parent == ROOT, ROOT, parent + starts)

    def cost(self, marking: np.ndarray) -> float:
        """Return the weighted number of descriptors that cross links under a valid marking (True: s-link)."""
        return float((self.weight * np.where(marking, self.tau, self.sigma)).sum())

    def valid(self, marking: np.ndarray) -> bool:
        """Return whether all links below an s-link are s-links, in every tree."""
        before, after = self.requires
        return not bool((marking[before] & ~marking[after]).any())


def tree_of(paths: Mapping[int, int], source: np.ndarray, target: np.ndarray, root: int, goals: Sequence[int]) -> Tree:
    """Return the tree from a root to goals. `paths` has for each broker the last link on its path from the root."""
    ends = (source, target, [root], goals, list(paths))
    link_to = np.full(1 + max(int(np.max(numbers, initial=0)) for numbers in ends), -1, dtype=np.int64)
    link_to[list(paths)] = list(paths.values())
    return Tree(*pruned_tree(link_to, source, target, root, np.asarray(goals, dtype=np.int64)))


def trees_by_hops(source: np.ndarray, target: np.ndarray, roots: Sequence[int], goals: np.ndarray) -> tuple[Tree, ...]:
    """Return for each root the tree of shortest paths to all goals that it reaches; for overlays of any size."""
    brokers = 1 + max(int(np.max(numbers, initial=0)) for numbers in (source, target, np.asarray(roots), goals))
    first, links = adjacency(source, np.arange(len(source)), brokers)
    paths = (shortest_path_links(first, links, target, root, brokers) for root in roots)
    return tuple(Tree(*pruned_tree(path, source, target, root, goals)) for path, root in zip(paths, roots, strict=True))
