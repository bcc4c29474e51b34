"""Figure 6: numbers of publications by subscription, compared with a fair choice.

All subscriptions are alike, so fair is that each of n that match gets a publication with chance k/n. RegularK draws
like that, and the paper's measure is how far the others are from what RegularK happened to draw, added up over all
subscriptions. Chance alone makes a difference there (`RegularK, drawn again`), so the distance from what is to be
expected is measured as well, and a chi-square statistic tells chance from unfairness.

AncestorCoverK draws evenly among what a broker knows, AncestorFairK by the weight of what it knows. A subscription
that is not forwarded hands its weight on in equal parts to at most k others; also measured are one other, and all
there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from sparing.control.covering.matching_set import MatchingSet
from sparing.control.covering.weights import redistribute
from sparing.control.plan import Plan
from sparing.control.routing.tables import RoutingTable, table_of
from sparing.flow.rank.by_hops import HopRoutes, Weighted, pick_by_hops
from sparing.flow.rank.draws import seeds
from sparing.flow.rank.top_k import best_k
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.topk.grid import (
    AGAIN,
    ALL_PARENTS,
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    EXACT,
    FEWER_CORE,
    ONE_PARENT,
    REGULAR_K,
    WIDTH,
    FairnessCell,
)
from sparing_lab.study.topk.row import TopkRow
from sparing_lab.study.topk.world import PUBLISHER_EDGE, RangeSubscriptions, plan, ranges

FROM_REGULAR_K = "from RegularK"  # publications too many or too few, added up
FROM_EXPECTED = "from expected"
SURPLUS = "more than expected"  # too many less too few
DELIVERIES = "deliveries"  # as they are to be expected
CHI_SQUARE, FREEDOM = "chi-square", "degrees of freedom"
BLOCK = 4096  # publications matched at a time

NO_WEIGHTS = Weighted(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))


def fairness(cell: FairnessCell) -> list[TopkRow]:
    """Return the rows of a cell."""
    draws = Draws.of(cell)
    expected, spread = draws.expected
    regular = draws.regular_k("RegularK")
    found = []

    def add(method: str, distance: int, what: str, value: float) -> None:
        found.append(TopkRow(cell.subscriptions, *WIDTH, cell.k, method, cell.seed, distance, what, float(value)))

    received = {REGULAR_K: regular, AGAIN: draws.regular_k("again")}
    received |= {name: draw() for name, draw in draws.by_hops()}
    for method, got in received.items():
        off = got - expected
        add(method, 0, FROM_REGULAR_K, np.abs(got - regular).sum())
        add(method, 0, DELIVERIES, expected.sum())
        statistic, degrees = chi_square(off, spread)
        add(method, 0, CHI_SQUARE, statistic)
        add(method, 0, FREEDOM, degrees)
        add(method, 0, FROM_EXPECTED, np.abs(off).sum())
        for distance in range(1, FEWER_CORE + 1):
            there = draws.distances == distance
            add(method, distance, FROM_EXPECTED, np.abs(off[there]).sum())
            add(method, distance, SURPLUS, off[there].sum())
            add(method, distance, DELIVERIES, expected[there].sum())
    return found


def chi_square(off: np.ndarray, spread: np.ndarray) -> tuple[float, int]:
    """Return the chi-square statistic of deviations, and its degrees of freedom.

    `spread` is the covariance of fair draws. Those that always add up to the same leave one less free.

    >>> chi_square(np.array([1.0, -1.0]), np.array([[0.5, -0.5], [-0.5, 0.5]]))
    (2.0, 1)
    """
    values, directions = np.linalg.eigh(spread)
    free = values > 1e-9 * values.max(initial=0.0)
    along = directions[:, free].T @ off
    return round(float((along**2 / values[free]).sum()), 9), int(free.sum())


@dataclass(frozen=True, eq=False)
class Split(MatchingSet):
    """A matching set in which at most `parents` others share a weight, instead of k."""

    parents: int = 1

    def weights_of(self, which: np.ndarray, forwarded: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """As in `MatchingSet`, with the other number."""
        kept = np.isin(which, forwarded, assume_unique=True)
        return redistribute(self.ranked(which), kept, weights, self.score_class[which], self.parents)[kept]


@dataclass(frozen=True, eq=False)
class Draws:
    """Publications, their matching subscriptions, and the methods that choose k of these."""

    cell: FairnessCell
    made: RangeSubscriptions
    points: np.ndarray
    planned: Plan

    @classmethod
    def of(cls, cell: FairnessCell) -> Draws:
        """Return random publications in the space."""
        made = ranges(cell.subscriptions, WIDTH, cell.seed)
        points = seeded_rng(cell.seed, "topk", "publications").random(cell.publications)
        return cls(cell, made, points, plan(made, FEWER_CORE, [cell.k]))

    def by_hops(self) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
        """The methods that draw at every broker on the way: how many publications each subscription gets."""
        matching_set = self.planned.matching_sets[0]
        own = {field.name: getattr(matching_set, field.name) for field in fields(MatchingSet)}
        known = self._table(matching_set)
        yield ANCESTOR_COVER_K, lambda: self.drawn(unweighted(known))
        yield ANCESTOR_FAIR_K, lambda: self.drawn(known)
        for name, parents in ((ONE_PARENT, 1), (ALL_PARENTS, len(self.made))):
            weighted = self._table(Split(**own, parents=parents))
            yield name, lambda weighted=weighted: self.drawn(weighted)  # type: ignore[misc]
        yield EXACT, lambda: self.drawn(None)

    def _table(self, matching_set: MatchingSet) -> Weighted:
        table = table_of(matching_set, self.planned.broker_of, self.planned.routes, weighted=True)
        return weighted_of(table, len(self.planned.routes.brokers))

    @cached_property
    def distances(self) -> np.ndarray:
        """Core brokers between the publisher and each subscription."""
        routes = self.planned.routes
        hops: np.ndarray = routes.hops[routes.number[PUBLISHER_EDGE], self.planned.broker_of] - 1
        return hops

    @cached_property
    def _matches(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the offset of each publication's matches, and all matches."""
        blocks = [self.made.matched(self.points[at : at + BLOCK]) for at in range(0, len(self.points), BLOCK)]
        sizes = np.concatenate([block.sum(axis=1) for block in blocks])
        matches = np.concatenate([np.nonzero(block)[1] for block in blocks]).astype(np.int32)
        return np.append(0, np.cumsum(sizes)), matches

    @cached_property
    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        """The expected number of publications of each subscription under fair draws, and its covariance."""
        size = len(self.made)
        expected, spread = np.zeros(size), np.zeros((size, size))
        for at in range(0, len(self.points), BLOCK):
            matched = self.made.matched(self.points[at : at + BLOCK]).astype(np.float64)
            count = np.maximum(matched.sum(axis=1), 1)
            chance = np.minimum(self.cell.k / count, 1)
            expected += chance @ matched
            # Of n that match, two are drawn together a little less often than one by one: what a set adds up to is k.
            variance = chance * (1 - chance) * count / np.maximum(count - 1, 1)
            spread += np.diag(variance @ matched) - (matched * (variance / count)[:, None]).T @ matched
        return expected, spread

    def regular_k(self, name: str) -> np.ndarray:
        """Return the publications per subscription from a broker that knows all; `name` seeds the draws."""

        def draw(picked: np.ndarray, k: np.ndarray, chosen: np.ndarray) -> None:
            drawn = self._seeds(name, picked)
            best_k(picked, *self._matches, self._scores, k, True, drawn, chosen)

        return self._received(draw)

    def drawn(self, weighted: Weighted | None) -> np.ndarray:
        """Return the same for brokers that draw by weights of known subscriptions, or (None) by counts of matches."""
        routes = self.planned.routes
        ways = HopRoutes(self.planned.broker_of, routes.link_of, routes.target, seeds(routes.brokers, self.cell.seed))
        at = routes.number[PUBLISHER_EDGE]

        def draw(picked: np.ndarray, k: np.ndarray, chosen: np.ndarray) -> None:
            drawn = self._seeds("by hops", picked)
            known = NO_WEIGHTS if weighted is None else weighted
            starts, matches = self._matches
            pick_by_hops(picked, starts, matches, self._scores, at, k, drawn, weighted is None, ways, known, chosen)

        return self._received(draw)

    def _seeds(self, name: str, picked: np.ndarray) -> np.ndarray:
        """Return seeds of draws that are independent for different k, so that statistics can be summed."""
        return seeds((f"{name} {self.cell.k} {row}" for row in picked.tolist()), self.cell.seed)

    @cached_property
    def _scores(self) -> np.ndarray:
        return np.zeros(len(self._matches[1]))

    def _received(self, draw: Callable[[np.ndarray, np.ndarray, np.ndarray], None]) -> np.ndarray:
        starts, matches = self._matches
        sizes = np.diff(starts)
        picked = np.flatnonzero(sizes > self.cell.k)
        chosen = np.repeat(sizes <= self.cell.k, sizes)  # where there is nothing to choose, everybody gets it
        draw(picked, np.full(len(picked), self.cell.k), chosen)
        return np.bincount(matches[chosen], minlength=len(self.made))


def weighted_of(table: RoutingTable, brokers: int) -> Weighted:
    """Return the subscriptions known to each broker, with weights."""
    known = {entry.broker: entry for entry in table.known}
    order = [known[broker] for broker in range(brokers) if broker in known]
    sizes = [len(known[broker].numbers) if broker in known else 0 for broker in range(brokers)]
    return Weighted(
        np.cumsum([0, *sizes]),
        np.concatenate([entry.numbers for entry in order]),
        np.concatenate([entry.weights for entry in order]),
    )


def unweighted(known: Weighted) -> Weighted:
    """Return the same with equal weights."""
    return known._replace(weights=np.ones_like(known.weights))
