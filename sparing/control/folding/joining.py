"""Greedy joins of clusters, by compiled loops."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from sparing.control.folding.candidates import candidates
from sparing.control.folding.kernels.greedy import ADDED_BENEFIT, ADDED_COST, join_best, join_initial
from sparing.control.folding.kernels.paths import hops_to_end
from sparing.control.folding.kernels.state import ONCE, ClusterPieces, Clusters, Neighbours, PathTable
from sparing.control.folding.problem import Folds, Problem
from sparing.graphs.adjacency import adjacency

NEIGHBOURS = 2  # candidates of each subscription after it, on each link, per dimension


class Joining:
    """Clusters, at first single subscriptions or given ones, of which the best pairs are joined for a goal."""

    def __init__(self, problem: Problem, first: np.ndarray | None = None, neighbours: int | None = None) -> None:
        self.pieces, counts = _pieces(problem)
        self.neighbours, neighbour_counts = _neighbours(problem, neighbours or NEIGHBOURS * problem.low.shape[1])
        self.paths = PathTable(problem.towards, hops_to_end(problem.towards))
        self.clusters = _clusters(problem, self.paths, self.pieces, counts, neighbour_counts)
        self.marks, self.seen = np.zeros(1, dtype=np.int64), np.zeros(len(problem), dtype=np.int64)
        self.benefit = 0
        if first is not None:
            state = self.clusters, self.pieces, self.paths, self.neighbours
            self.benefit, self.pieces, self.neighbours = join_initial(*state, first, self.marks, self.seen)

    def copy(self) -> Joining:
        """Return a copy, to join the clusters in another way."""
        found = copy(self)
        found.clusters = Clusters(*map(np.copy, self.clusters))
        found.pieces = ClusterPieces(*map(np.copy, self.pieces))
        found.neighbours = Neighbours(*map(np.copy, self.neighbours))
        found.marks, found.seen = self.marks.copy(), self.seen.copy()
        return found

    def join(self, goal: int, theta: float, least: float) -> Joins:
        """Join pairs until the benefit is theta, or no pair is better than `least`."""
        count = len(self.clusters.parent)
        first = np.array([_find_root(self.clusters.parent, slot) for slot in range(count)], dtype=np.int64)
        slots, facts = np.empty((count, 2), dtype=np.int32), np.empty((count, 2))
        cost = float(self.clusters.cost[np.unique(first)].sum()) if count else 0.0
        state = self.clusters, self.pieces, self.paths, self.neighbours
        found = join_best(*state, goal, float(theta), float(least), self.benefit, self.marks, self.seen, slots, facts)
        self.pieces, self.neighbours, steps = found
        joins = Joins(first, slots[:steps], facts[:steps], self.benefit, cost)
        self.benefit = int(joins.benefits()[-1])
        return joins


@dataclass(frozen=True, eq=False)
class Joins:
    """A sequence of joins, with clusters, benefit and cost before the first."""

    first: np.ndarray  # subscription -> slot of its cluster
    slots: np.ndarray  # [join] -> the slot that stays, and the joined one
    facts: np.ndarray  # [join] -> added cost and benefit
    benefit: int
    cost: float

    def benefits(self) -> np.ndarray:
        """Return the benefit before the first join, and after each."""
        return self.benefit + np.append(0, np.cumsum(self.facts[:, ADDED_BENEFIT])).astype(np.int64)

    def costs(self) -> np.ndarray:
        """Return the cost before the first join, and after each."""
        found: np.ndarray = self.cost + np.append(0.0, np.cumsum(self.facts[:, ADDED_COST]))
        return found

    def folds(self, steps: int | None = None) -> Folds:
        """Return the clusters after some joins (None: all)."""
        steps = len(self.slots) if steps is None else steps
        parent = np.arange(len(self.first))
        for stayed, joined in self.slots[:steps].tolist():
            parent[joined] = stayed
        slots = np.array([_find_root(parent, slot) for slot in self.first.tolist()], dtype=np.int64)
        lowest = np.full(len(slots), len(slots), dtype=np.int64)
        np.minimum.at(lowest, slots, np.arange(len(slots)))
        return Folds(lowest[slots], int(self.benefits()[steps]), float(self.costs()[steps]))


def _find_root(parent: np.ndarray, slot: int) -> int:
    while parent[slot] != slot:
        parent[slot] = parent[parent[slot]]
        slot = int(parent[slot])
    return slot


def _pieces(problem: Problem) -> tuple[ClusterPieces, np.ndarray]:
    """Return the pieces that are not empty, by subscription and low end, and their number per subscription."""
    owner = np.repeat(np.arange(len(problem)), np.diff(problem.starts))
    order = np.lexsort((problem.low[:, 0], owner))
    full: np.ndarray = np.all(problem.low < problem.high, axis=1)
    order = order[full[order]]
    low, high = (np.ascontiguousarray(bounds[order], dtype=np.float64) for bounds in (problem.low, problem.high))
    pieces = ClusterPieces(low, high, np.full(len(order), ONCE, dtype=np.int8), np.array([len(order)]))
    return pieces, np.bincount(owner[order], minlength=len(problem))


def _neighbours(problem: Problem, neighbours: int) -> tuple[Neighbours, np.ndarray]:
    one, two = candidates(problem, neighbours)
    ends = np.concatenate([one, two]), np.concatenate([two, one])
    first, found = adjacency(ends[0], ends[1], len(problem))
    return Neighbours(found.astype(np.int32), np.array([len(found)])), np.diff(first)


def _clusters(
    problem: Problem, paths: PathTable, pieces: ClusterPieces, counts: np.ndarray, neighbour_counts: np.ndarray
) -> Clusters:
    count, numbers = len(problem), np.arange(len(problem), dtype=np.int32)
    measure = np.bincount(np.repeat(numbers, counts), np.prod(pieces.high - pieces.low, axis=1), count).astype(float)
    most_hops = np.ascontiguousarray(paths.hops[:, problem.home].T)
    return Clusters(
        parent=numbers.copy(),
        lowest=numbers.copy(),
        size=np.ones(count, dtype=np.int32),
        version=np.zeros(count, dtype=np.int32),
        evaluated_size=np.ones(count, dtype=np.int32),
        links=problem.links.copy(),
        common=np.where(most_hops < 0, most_hops, problem.home[:, None]).astype(np.int32),
        most_hops=most_hops,
        delay=np.ones(count, dtype=np.int32),
        once=measure,
        covered=measure.copy(),
        cost=np.zeros(count),
        width=_widest(pieces, np.repeat(numbers, counts), count),
        piece=_places(counts),
        neighbours=_places(neighbour_counts),
    )


def _widest(pieces: ClusterPieces, owner: np.ndarray, count: int) -> np.ndarray:
    found = np.zeros(count)
    np.maximum.at(found, owner, pieces.high[:, 0] - pieces.low[:, 0])
    return found


def _places(counts: np.ndarray) -> np.ndarray:
    """Return the start, length and room of each list, if lists are stored one after another."""
    return np.ascontiguousarray(np.stack([np.cumsum(counts) - counts, counts, counts], axis=1), dtype=np.int64)
