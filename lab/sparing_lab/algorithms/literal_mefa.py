"""MEFA as printed: every round evaluates all pairs and takes the most efficient one.

Benefit is counted in one of two ways. With `links`, pairs are of clusters, and a join counts the links on which an
entry is really saved. With `pairs`, as on the slides, pairs are of subscriptions and every pair counts, also within one
cluster, where it has no cost.

Beyond theta, pairs that lower the cost are also taken: the cost is not submodular, and a third member may cover the
unique ranges of the first two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from sparing.control.folding.measures import cost, cost_of, saved
from sparing.control.folding.problem import Folds, Problem


class Account(StrEnum):
    """The unit in which benefit is counted."""

    LINKS = "links"
    PAIRS = "pairs"


@dataclass(frozen=True)
class Candidate:
    """A pair that may be taken; with `links`, clusters are identified by their lowest members."""

    one: int
    two: int
    benefit: int
    cost: float  # incremental: cost(A + B) - cost(A) - cost(B)

    @property
    def ratio(self) -> float:
        """Benefit per cost; infinite without cost."""
        return self.benefit / self.cost if self.cost > 0 else np.inf


@dataclass(frozen=True)
class Round:
    """The candidates, the pair that was taken, and the benefit after it."""

    candidates: list[Candidate]
    taken: Candidate
    benefit: int
    lowers: bool  # beyond theta, to lower the cost


def rounds(problem: Problem, theta: float, delta: float = 0.0, account: Account = Account.LINKS) -> Iterator[Round]:
    """Yield rounds until the benefit is theta or no ratio is above delta, then those that lower the cost."""
    clusters = {number: [number] for number in range(len(problem))}
    of, taken, benefit = list(range(len(problem))), set[tuple[int, int]](), 0
    lowers, known = False, dict[tuple[int, ...], float]()
    while True:
        pairs = _candidates(problem, clusters, of, account, known)
        found = [pair for pair in pairs if (pair.one, pair.two) not in taken]
        lowers = lowers or benefit >= theta or not any(pair.ratio > delta for pair in found)
        best = _lowest(found) if lowers else _most_efficient(found)
        if best is None:
            return
        benefit += best.benefit
        taken.add((best.one, best.two))
        one, two = sorted((of[best.one], of[best.two]))
        if one != two:
            clusters[one] = sorted(clusters[one] + clusters.pop(two))
            for member in clusters[one]:
                of[member] = one
        yield Round(found, best, benefit, lowers)


def literal_mefa(problem: Problem, theta: float, delta: float = 0.0, account: Account = Account.LINKS) -> Folds:
    """Return the clusters after the last round.

    >>> problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    >>> literal_mefa(problem, theta=3)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    of = np.arange(len(problem))
    for one in rounds(problem, theta, delta, account):
        pair = of[[one.taken.one, one.taken.two]]
        of[of == pair.max()] = pair.min()
    return Folds(of, saved(problem, of), cost_of(problem, of))


def _candidates(
    problem: Problem,
    clusters: dict[int, list[int]],
    of: list[int],
    account: Account,
    known: dict[tuple[int, ...], float],
) -> Iterator[Candidate]:
    """Yield all pairs with a benefit. `known` caches costs by lowest members and sizes, because clusters only grow."""
    if account is Account.LINKS:
        links = {number: _links(problem, members) for number, members in clusters.items()}
    else:
        links = {number: _links(problem, [number]) for number in range(len(problem))}
    for one, two in combinations(links, 2):
        benefit = (links[one] & links[two]).bit_count()
        if benefit:
            pair = min(of[one], of[two]), max(of[one], of[two])
            yield Candidate(one, two, benefit, _increment(problem, clusters, *pair, known))


def _links(problem: Problem, members: list[int]) -> int:
    """Return the bits of all links that carry the entry of a member."""
    return int.from_bytes(np.bitwise_or.reduce(problem.links[members], axis=0).tobytes(), "little")


def _increment(
    problem: Problem, clusters: dict[int, list[int]], one: int, two: int, known: dict[tuple[int, ...], float]
) -> float:
    """Return the cost that joining two clusters adds; 0 if they are the same."""
    if one == two:
        return 0.0
    first, second = clusters[one], clusters[two]
    key = one, two, len(first), len(second)
    if key not in known:
        known[key] = cost(problem, first + second) - (cost(problem, first) + cost(problem, second))
    return known[key]


def _most_efficient(found: list[Candidate]) -> Candidate | None:
    return min(found, key=lambda pair: (-pair.ratio, -pair.benefit, pair.one, pair.two), default=None)


def _lowest(found: list[Candidate]) -> Candidate | None:
    lower = [pair for pair in found if pair.cost < 0]
    return min(lower, key=lambda pair: (pair.cost, -pair.benefit, pair.one, pair.two), default=None)
