"""Figures 7 and 8: the time of matching and picking on the path of a publication.

The paper measures milliseconds from publisher to subscriber, over a network. There is no network here: measured is CPU
time of the brokers that a publication passes from its publisher to one with subscribers, on average over all of these;
and CPU time of all brokers together for a publication. Each broker matches the publication with all subscriptions that
it knows, one after the other, then picks.

RegularCover sends it on wherever it matches. RegularK knows everybody and draws. AncestorCoverK and AncestorFairK draw
among what covering leaves, the latter by a weighted shuffle. The exactly fair scheme first asks for counts along the
routes of RegularCover, then splits k by them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from sparing.compiled import compiled, inlined
from sparing.control.plan import Plan
from sparing.control.routing.tables import RoutingTable, table_of
from sparing.flow.rank.draws import mixed, seeds
from sparing.flow.rank.exact_fair import some_of, split
from sparing.flow.rank.weighted_shuffle import weighted_shuffle
from sparing.model.policy import Covering
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.topk.grid import (
    ANCESTOR_COVER_K,
    ANCESTOR_FAIR_K,
    EXACT,
    FEWER_CORE,
    REGULAR_COVER,
    REGULAR_K,
    WIDTH,
    OverheadCell,
)
from sparing_lab.study.topk.row import TopkRow
from sparing_lab.study.topk.world import RangeSubscriptions, plan, ranges

ON_THE_WAY = "microseconds on the way"
EVERYWHERE = "microseconds everywhere"
AT_FIRST = "microseconds at the publisher's broker"
ROUNDS = 3  # in turn, so that what disturbs one method hardly favours another; the fastest counts

EVERYONE, EVENLY, BY_WEIGHT, BY_COUNT = range(4)  # who is picked of those that match


def overhead(cell: OverheadCell) -> list[TopkRow]:
    """Return the rows of a cell."""
    _warm_up()
    return _overhead(cell)


@cache
def _warm_up() -> None:
    """Compile everything once per process, before any measurement."""
    _overhead(OverheadCell(50, 2, 50, 0))


def _overhead(cell: OverheadCell) -> list[TopkRow]:
    way = OverheadRun.of(cell)
    rounds = [way.all_methods() for _ in range(ROUNDS)]
    found = []
    for method in rounds[0]:
        fastest = np.min([one[method].seconds for one in rounds], axis=0)
        for what, seconds in zip((ON_THE_WAY, EVERYWHERE, AT_FIRST), fastest.tolist(), strict=True):
            found.append(TopkRow(cell.subscriptions, *WIDTH, cell.k, method, cell.seed, 0, what, 1e6 * seconds))
    return found


@dataclass(frozen=True, eq=False)
class PublicationTimes:
    """Seconds per publication: on the path to an edge broker, at all brokers, at the publisher's; and deliveries."""

    seconds: np.ndarray
    received: np.ndarray

    def after(self, other: PublicationTimes) -> PublicationTimes:
        """Return the times including those of an earlier step."""
        return PublicationTimes(self.seconds + other.seconds, self.received)


@dataclass(frozen=True, eq=False)
class BrokerTable:
    """The subscriptions known to one broker: ranges, weights, next hops, and numbers of matches beyond these."""

    numbers: np.ndarray
    low: np.ndarray
    high: np.ndarray
    weights: np.ndarray
    way: np.ndarray  # number of the next hop; that after the last is here
    next: tuple[int, ...]  # brokers


@dataclass(frozen=True, eq=False)
class OverheadRun:
    """Publications and brokers."""

    cell: OverheadCell
    made: RangeSubscriptions
    points: np.ndarray
    plans: Mapping[Covering, Plan]
    counts: np.ndarray  # [publication, broker] matches among the broker's own subscriptions
    salts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))

    @classmethod
    def of(cls, cell: OverheadCell) -> OverheadRun:
        """Return random publications in the space."""
        made = ranges(cell.subscriptions, WIDTH, cell.seed)
        points = seeded_rng(cell.seed, "topk", "publications").random(cell.publications)
        plans = {
            Covering.NONE: plan(made, FEWER_CORE, [cell.k], Covering.NONE),
            Covering.REGULAR: plan(made, FEWER_CORE, [None], Covering.REGULAR),
            Covering.ANCESTOR: plan(made, FEWER_CORE, [cell.k]),
        }
        home, brokers = plans[Covering.NONE].broker_of, plans[Covering.NONE].routes.brokers
        lives_at = home[:, None] == np.arange(len(brokers))
        counts = made.matched(points).astype(np.float32) @ lives_at.astype(np.float32)
        return cls(cell, made, points, plans, counts.astype(np.int64), seeds(brokers, cell.seed))

    def all_methods(self) -> dict[str, PublicationTimes]:
        """Return the times of every method for the same publications."""
        none, ancestor = Covering.NONE, Covering.ANCESTOR
        regular = self.travel(Covering.REGULAR, EVERYONE)
        return {
            REGULAR_COVER: regular,
            REGULAR_K: self.travel(none, EVENLY),
            ANCESTOR_COVER_K: self.travel(ancestor, EVENLY),
            ANCESTOR_FAIR_K: self.travel(ancestor, BY_WEIGHT),
            EXACT: self.travel(Covering.REGULAR, BY_COUNT).after(regular),
        }

    def travel(self, covering: Covering, rule: int) -> PublicationTimes:
        """Route all publications from broker to broker, each with the number to pick there."""
        planned = self.plans[covering]
        table = table_of(planned.matching_sets[0], planned.broker_of, planned.routes, weighted=rule == BY_WEIGHT)
        count = len(self.points)
        arrived = {table.root: (np.arange(count), np.full(count, self.cell.k))}
        received = np.zeros(len(self.made), np.int64)
        passed: dict[int, float] = {}  # broker -> seconds from the publisher's broker up to and with this one
        ends: list[float] = []  # the same of brokers that deliver
        total = 0.0
        for entry in reversed(table.known):  # those nearest to the publisher first
            rows, quota = arrived.pop(entry.broker, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
            if not len(rows):
                continue
            known_here = self._table(table, entry.broker, rule)
            picks = np.zeros((len(rows), len(known_here.next) + 1), np.int64)
            behind = self._behind(planned, entry.broker, known_here, rows)
            drawn = mixed_seeds(rows.astype(np.uint64), self.salts[entry.broker])
            own = np.zeros(len(known_here.numbers), np.int64)
            points = self.points[rows]
            begun = time.thread_time()
            serve(
                rule,
                points,
                quota,
                drawn,
                known_here.low,
                known_here.high,
                known_here.weights,
                known_here.way,
                behind,
                picks,
                own,
            )
            taken = time.thread_time() - begun
            total += taken
            link = planned.routes.link_of[entry.broker, table.root]
            before = passed[int(planned.routes.target[link])] if entry.broker != table.root else 0.0
            passed[entry.broker] = before + taken / len(rows)
            received[known_here.numbers] += own
            if own.any():
                ends.append(passed[entry.broker])
            for at, following in enumerate(known_here.next):
                sent = picks[:, at] > 0
                arrived[following] = rows[sent], picks[sent, at]
        return PublicationTimes(np.array([np.mean(ends), total / count, passed[table.root]]), received)

    def _table(self, table: RoutingTable, broker: int, rule: int) -> BrokerTable:
        planned = self.plans[Covering.NONE]  # all have the same brokers
        known = next(entry for entry in table.known if entry.broker == broker)
        link = planned.routes.link_of[broker, planned.broker_of[known.numbers]]
        target = np.where(link >= 0, planned.routes.target[link], broker)
        following = tuple(sorted(set(target.tolist()) - {broker}))
        way = np.where(target == broker, len(following), np.searchsorted(np.array(following), target))
        mine = np.ones(len(way), bool) if rule != BY_COUNT else target == broker  # the others have been counted
        numbers = known.numbers[mine]
        return BrokerTable(
            numbers, self.made.low[numbers], self.made.high[numbers], known.weights[mine], way[mine], following
        )

    def _behind(self, planned: Plan, broker: int, known_here: BrokerTable, rows: np.ndarray) -> np.ndarray:
        """Return [row, next hop] -> matches beyond it; those of the broker itself are counted while matching."""
        link = planned.routes.link_of[broker]
        target = np.where(link >= 0, planned.routes.target[link], -1)
        found = np.zeros((len(rows), len(known_here.next) + 1), np.int64)
        for at, following in enumerate(known_here.next):
            found[:, at] = self.counts[rows][:, target == following].sum(axis=1)
        return found


def mixed_seeds(numbers: np.ndarray, salt: np.uint64) -> np.ndarray:
    """Return a pseudo-random number for each publication at a broker."""
    found: np.ndarray = mix(numbers ^ salt)
    return found


@compiled
def mix(numbers: np.ndarray) -> np.ndarray:
    """Return hashes of numbers."""
    found = np.empty(len(numbers), np.uint64)
    for at in range(len(numbers)):
        found[at] = mixed(numbers[at])
    return found


@inlined
def pick(known: int, row: int, way: np.ndarray, here: int, picks: np.ndarray, own: np.ndarray) -> None:
    """Record a pick."""
    picks[row, way[known]] += 1
    if way[known] == here:
        own[known] += 1


@compiled
def serve(
    rule: int,
    points: np.ndarray,
    quota: np.ndarray,
    drawn: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    weights: np.ndarray,
    way: np.ndarray,
    behind: np.ndarray,
    picks: np.ndarray,
    own: np.ndarray,
) -> None:
    """Match and pick at one broker: count the picks beyond each next hop, and those of the broker itself."""
    here = picks.shape[1] - 1
    found, some, weight = np.empty(len(low), np.int64), np.empty(len(low), np.int64), np.empty(len(low))
    state = np.empty(1, np.uint64)
    for row in range(len(points)):
        point, size = points[row], 0
        for known in range(len(low)):
            if low[known] <= point < high[known]:
                found[size] = known
                size += 1
        state[0] = drawn[row]
        left = quota[row]
        if rule == BY_COUNT:
            behind[row, here] = size
            split(behind[row], left, state, picks[row])
            left = picks[row, here]
            picks[row, here] = 0
        if rule == EVERYONE or size <= left:
            for i in range(size):
                pick(found[i], row, way, here, picks, own)
            continue
        if rule == BY_WEIGHT:
            for i in range(size):
                weight[i] = weights[found[i]]
            weighted_shuffle(weight[:size], left, state, some)
        else:
            some_of(size, left, state, some)
        for i in range(left):
            pick(found[some[i]], row, way, here, picks, own)
