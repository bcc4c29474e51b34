"""Clusters that are joined pair by pair, by compiled loops."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from sparing.control.folding.candidates import candidates
from sparing.control.folding.kernels.greedy import GAINED, MORE, greedy, start
from sparing.control.folding.kernels.state import ONCE, ClusterPieces, Clusters, Near, PathTable
from sparing.control.folding.kernels.ways import hops_on
from sparing.control.folding.problem import Folds, Problem
from sparing.graphs.adjacency import adjacency

NEIGHBOURS = 2  # candidates of each subscription after it, on each link; for each dimension there is


class Joining:
    """Everybody alone at first, or in given clusters; then the best pairs of clusters are joined, for some goal."""

    def __init__(self, problem: Problem, first: np.ndarray | None = None, neighbours: int | None = None) -> None:
        self.pieces, counts = _pieces(problem)
        self.near, near_counts = _near(problem, neighbours or NEIGHBOURS * problem.low.shape[1])
        self.ways = PathTable(problem.towards, hops_on(problem.towards))
        self.clusters = _clusters(problem, self.ways, self.pieces, counts, near_counts)
        self.marks, self.seen = np.zeros(1, dtype=np.int64), np.zeros(len(problem), dtype=np.int64)
        self.benefit = 0
        if first is not None:
            state = self.clusters, self.pieces, self.ways, self.near
            self.benefit, self.pieces, self.near = start(*state, first, self.marks, self.seen)

    def copy(self) -> Joining:
        """The same clusters, to be joined in another way."""
        found = copy(self)
        found.clusters = Clusters(*map(np.copy, self.clusters))
        found.pieces, found.near = ClusterPieces(*map(np.copy, self.pieces)), Near(*map(np.copy, self.near))
        found.marks, found.seen = self.marks.copy(), self.seen.copy()
        return found

    def join(self, goal: int, theta: float, least: float) -> Joins:
        """Until the benefit is theta, or no pair is better than the least that is asked for."""
        count = len(self.clusters.into)
        first = np.array([_standing(self.clusters.into, slot) for slot in range(count)], dtype=np.int64)
        slots, facts = np.empty((count, 2), dtype=np.int32), np.empty((count, 2))
        cost = float(self.clusters.cost[np.unique(first)].sum()) if count else 0.0
        state = self.clusters, self.pieces, self.ways, self.near
        found = greedy(*state, goal, float(theta), float(least), self.benefit, self.marks, self.seen, slots, facts)
        self.pieces, self.near, steps = found
        joins = Joins(first, slots[:steps], facts[:steps], self.benefit, cost)
        self.benefit = int(joins.benefits()[-1])
        return joins


@dataclass(frozen=True, eq=False)
class Joins:
    """Joins in their order, and clusters, benefit and cost before the first."""

    first: np.ndarray  # subscription -> slot of its cluster
    slots: np.ndarray  # [join] -> the slot that stayed, and the one that went
    facts: np.ndarray  # [join] -> what it adds to the cost and to the benefit
    benefit: int
    cost: float

    def benefits(self) -> np.ndarray:
        """The benefit before the first join, and after each."""
        return self.benefit + np.append(0, np.cumsum(self.facts[:, GAINED])).astype(np.int64)

    def costs(self) -> np.ndarray:
        """The cost before the first join, and after each."""
        found: np.ndarray = self.cost + np.append(0.0, np.cumsum(self.facts[:, MORE]))
        return found

    def folds(self, steps: int | None = None) -> Folds:
        """The clusters after so many joins; None: after all."""
        steps = len(self.slots) if steps is None else steps
        into = np.arange(len(self.first))
        for stayed, went in self.slots[:steps].tolist():
            into[went] = stayed
        slots = np.array([_standing(into, slot) for slot in self.first.tolist()], dtype=np.int64)
        lowest = np.full(len(slots), len(slots), dtype=np.int64)
        np.minimum.at(lowest, slots, np.arange(len(slots)))
        return Folds(lowest[slots], int(self.benefits()[steps]), float(self.costs()[steps]))


def _standing(into: np.ndarray, slot: int) -> int:
    while into[slot] != slot:
        into[slot] = into[into[slot]]
        slot = int(into[slot])
    return slot


def _pieces(problem: Problem) -> tuple[ClusterPieces, np.ndarray]:
    """Those that are not empty, by subscription and from low to high; and how many each subscription has."""
    owner = np.repeat(np.arange(len(problem)), np.diff(problem.starts))
    order = np.lexsort((problem.low[:, 0], owner))
    full: np.ndarray = np.all(problem.low < problem.high, axis=1)
    order = order[full[order]]
    low, high = (np.ascontiguousarray(bounds[order], dtype=np.float64) for bounds in (problem.low, problem.high))
    pieces = ClusterPieces(low, high, np.full(len(order), ONCE, dtype=np.int8), np.array([len(order)]))
    return pieces, np.bincount(owner[order], minlength=len(problem))


def _near(problem: Problem, neighbours: int) -> tuple[Near, np.ndarray]:
    one, two = candidates(problem, neighbours)
    ends = np.concatenate([one, two]), np.concatenate([two, one])
    first, found = adjacency(ends[0], ends[1], len(problem))
    return Near(found.astype(np.int32), np.array([len(found)])), np.diff(first)


def _clusters(
    problem: Problem, ways: PathTable, pieces: ClusterPieces, counts: np.ndarray, near_counts: np.ndarray
) -> Clusters:
    count, numbers = len(problem), np.arange(len(problem), dtype=np.int32)
    measure = np.bincount(np.repeat(numbers, counts), np.prod(pieces.high - pieces.low, axis=1), count).astype(float)
    deep = np.ascontiguousarray(ways.hops[:, problem.home].T)
    return Clusters(
        into=numbers.copy(),
        name=numbers.copy(),
        size=np.ones(count, dtype=np.int32),
        version=np.zeros(count, dtype=np.int32),
        looked=np.ones(count, dtype=np.int32),
        links=problem.links.copy(),
        meet=np.where(deep < 0, deep, problem.home[:, None]).astype(np.int32),
        deep=deep,
        delay=np.ones(count, dtype=np.int32),
        once=measure,
        covered=measure.copy(),
        cost=np.zeros(count),
        width=_widest(pieces, np.repeat(numbers, counts), count),
        piece=_places(counts),
        near=_places(near_counts),
    )


def _widest(pieces: ClusterPieces, owner: np.ndarray, count: int) -> np.ndarray:
    found = np.zeros(count)
    np.maximum.at(found, owner, pieces.high[:, 0] - pieces.low[:, 0])
    return found


def _places(counts: np.ndarray) -> np.ndarray:
    """Where each list begins, how long it is, and how much room it has, if they lie behind one another."""
    return np.ascontiguousarray(np.stack([np.cumsum(counts) - counts, counts, counts], axis=1), dtype=np.int64)
