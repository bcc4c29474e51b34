"""The choice of the k best matches of a publication, for publishers with `top_k`.

Without lots, covering does not change the k best: they are the same as if the publisher's broker knew all subscriptions
(topk-covering.txt, Theorems 1 to 3), so they are chosen in one step. Lots depend on the subscriptions that each broker
knows, so they are drawn hop by hop, as the brokers do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sparing.control.covering.matching_set import attribute_values, constrained, scores_of
from sparing.control.plan import Plan
from sparing.flow.admit.publications import Publications
from sparing.flow.arrival.pairs import Pairs
from sparing.flow.rank.by_hops import HopRoutes, Weighted, pick_by_hops
from sparing.flow.rank.diversity import Spans, diversities, spans_of
from sparing.flow.rank.draws import seeds
from sparing.flow.rank.top_k import best_k
from sparing.match.columns import Column
from sparing.model.expression import Expression, Values, fields_of, scores
from sparing.model.policy import Covering
from sparing.model.rank import BoxScore, Fairness
from sparing.model.subscription import Advertisement
from sparing.model.types import Kind

_NOBODY = Weighted(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))


@dataclass(frozen=True)
class Chosen:
    """The chosen matches; `count_requests` are the matches that brokers counted for an exactly fair choice."""

    pairs: Pairs
    count_requests: Pairs | None = None


class Chooser:
    """The choice under one plan; stateless except for caches."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._k = np.array([-1 if ad.top_k is None else ad.top_k for ad in plan.advertisements], dtype=np.int64)
        self._scorers: dict[int, Scorer] = {}
        self._weighted: dict[tuple[int, int], Weighted] = {}

    @property
    def needed(self) -> bool:
        """Whether any publisher has `top_k`."""
        return bool((self._k >= 0).any())

    def choose(self, publications: Publications, pairs: Pairs) -> Chosen:
        """Return the matches that are among the k best."""
        if not self.needed or publications.advertisement is None or not len(pairs):
            return Chosen(pairs)
        under = publications.advertisement[pairs.events]
        allowed = self.allowed(publications)[pairs.events]
        sizes = np.diff(pairs.starts)
        kept = np.ones(len(pairs), dtype=bool)
        counting = np.zeros(len(pairs.events), dtype=bool)
        given = np.empty(len(pairs), dtype=np.float64)
        for advertisement in np.unique(under[allowed >= 0]).tolist():
            rank = self._plan.advertisements[advertisement].rank
            mine = under == advertisement
            if rank.counts_matches:
                counting |= mine & (sizes > 0)
            picked = np.flatnonzero(mine & (sizes > allowed))
            if not len(picked):
                continue
            places = _places(pairs.starts, picked)
            kept[places] = False
            self.scorer(advertisement).score(publications, pairs, picked, places, given)
            drawn = self._seeds(publications, pairs, picked) if rank.fair is not Fairness.NONE else _no_seeds(picked)
            self._pick(
                advertisement, publications, pairs, picked, scores=given, k=allowed[picked], seeds=drawn, kept=kept
            )
        count_requests = pairs.only(np.repeat(counting, sizes)) if counting.any() else None
        return Chosen(pairs.only(kept), count_requests)

    def allowed(self, publications: Publications) -> np.ndarray:
        """Return the limit of subscriptions of each publication, -1 without one."""
        assert publications.advertisement is not None
        allowed: np.ndarray = self._k[publications.advertisement]
        if publications.top_k is None:
            return allowed
        wished: np.ndarray = np.where((publications.top_k > 0) & (allowed >= 0), publications.top_k, allowed)
        return wished

    def scorer(self, advertisement: int) -> Scorer:
        """Return the scorer of an advertisement."""
        if advertisement not in self._scorers:
            self._scorers[advertisement] = Scorer(self._plan, self._plan.advertisements[advertisement])
        return self._scorers[advertisement]

    def by_hops(self, advertisement: int) -> bool:
        """Return whether lots are drawn hop by hop."""
        rank = self._plan.advertisements[advertisement].rank
        if rank.fair is Fairness.NONE or rank.needs_all_matches:
            return False
        return rank.fair is Fairness.EXACT or self._plan.policy.covering in (Covering.RANK, Covering.ANCESTOR)

    def _pick(
        self,
        advertisement: int,
        publications: Publications,
        pairs: Pairs,
        picked: np.ndarray,
        *,
        scores: np.ndarray,
        k: np.ndarray,
        seeds: np.ndarray,
        kept: np.ndarray,
    ) -> None:
        """Mark the k best matches of the picked rows in `kept`."""
        rank, plan = self._plan.advertisements[advertisement].rank, self._plan
        if not self.by_hops(advertisement):
            best_k(picked, pairs.starts, pairs.subscriptions, scores, k, rank.fair is not Fairness.NONE, seeds, kept)
            return
        at = plan.routes.number[plan.advertisements[advertisement].broker]
        exact = rank.fair is Fairness.EXACT
        times = publications.time[pairs.events[picked]]
        epochs = np.zeros(len(picked), np.int64) if exact else np.searchsorted(plan.changes, times, side="right")
        for epoch in np.unique(epochs).tolist():
            some = np.flatnonzero(epochs == epoch)
            pick_by_hops(
                picked[some],
                pairs.starts,
                pairs.subscriptions,
                scores,
                at,
                k[some],
                seeds[some],
                exact,
                self._ways,
                _NOBODY if exact else self._weights(advertisement, epoch),
                kept,
            )

    def _seeds(self, publications: Publications, pairs: Pairs, picked: np.ndarray) -> np.ndarray:
        return seeds(publications.id.take(pa.array(pairs.events[picked])).to_pylist(), self._plan.policy.seed)

    @cached_property
    def _ways(self) -> HopRoutes:
        routes = self._plan.routes
        return HopRoutes(
            self._plan.broker_of, routes.link_of, routes.target, seeds(routes.brokers, self._plan.policy.seed)
        )

    def _weights(self, advertisement: int, epoch: int) -> Weighted:
        key = self._plan.matching_set_of[advertisement], epoch
        if key not in self._weighted:
            table = self._plan.table(advertisement, epoch)
            known = {entry.broker: entry for entry in table.known}
            order = [known.get(broker) for broker in range(len(self._plan.routes.brokers))]
            sizes = [0 if entry is None else len(entry.numbers) for entry in order]
            there = [entry for entry in order if entry is not None]
            self._weighted[key] = Weighted(
                np.cumsum([0, *sizes]),
                np.concatenate([entry.numbers for entry in there] or [_NOBODY.numbers]),
                np.concatenate([entry.weights for entry in there] or [_NOBODY.weights]),
            )
        return self._weighted[key]


class Scorer:
    """The scores of an advertisement's matches."""

    def __init__(self, plan: Plan, advertisement: Advertisement) -> None:
        self._by = advertisement.rank.by
        self._numbers = plan.by_topic[advertisement.topic]
        self._types = plan.topics[advertisement.topic].fields
        self._size = len(plan.subscriptions)
        subscriptions = [plan.subscriptions[number] for number in self._numbers.tolist()]
        measured = constrained(subscriptions)
        static = scores_of(advertisement, subscriptions, self._types, measured)
        self._static = None if static is None else self._spread(static)
        self._spans: Spans | None = None
        self._attributes: dict[str, Values] = {}
        if self._by is BoxScore.DIVERSE:
            boxes = [plan.subscriptions[n].query.box.intersect(advertisement.box) for n in range(self._size)]
            mine = set(self._numbers.tolist())
            known = [box if box is not None and n in mine else advertisement.box for n, box in enumerate(boxes)]
            self._spans = spans_of(known, measured, self._types)
        elif static is None and isinstance(self._by, Expression):
            found = attribute_values(self._by, subscriptions)
            self._attributes = {name: self._spread_values(values) for name, values in found.items()}

    def _spread(self, values: np.ndarray) -> np.ndarray:
        """Return values of the topic's subscriptions by subscription number."""
        spread = np.zeros(self._size, values.dtype)
        spread[self._numbers] = values
        return spread

    def _spread_values(self, values: Values) -> Values:
        return Values(self._spread(values.array), self._spread(values.valid))

    def score(
        self, publications: Publications, pairs: Pairs, picked: np.ndarray, places: np.ndarray, into: np.ndarray
    ) -> None:
        """Write the scores of the picked rows' matches, at `places`, into an array."""
        subscriptions = pairs.subscriptions[places]
        if self._static is not None:
            into[places] = self._static[subscriptions]
        elif self._spans is not None:
            diversities(picked, pairs.starts, pairs.subscriptions, self._spans, into)
        else:
            assert isinstance(self._by, Expression)
            rows = np.repeat(pairs.events[picked], np.diff(pairs.starts)[picked])
            fields = {name: field_values(publications.columns[name], rows) for name in fields_of(self._by)}
            attributes = {
                name: Values(values.array[subscriptions], values.valid[subscriptions])
                for name, values in self._attributes.items()
            }
            into[places] = scores(self._by, fields, attributes, len(places))


def field_values(column: Column, rows: np.ndarray) -> Values:
    """Return a field of some rows as operands of expressions."""
    taken = column.take(rows)
    kind = column.type.kind
    if kind is Kind.TEXT:
        return Values(taken.values, taken.valid)
    if kind is Kind.BOOLEAN:
        return Values(taken.values.astype(bool), taken.valid)
    if kind is Kind.FLOATING:
        return Values(taken.values, taken.valid)
    scale = {Kind.DECIMAL: 10.0**column.type.scale, Kind.TIMESTAMP: 1e6}.get(kind, 1.0)
    return Values(taken.values / scale, taken.valid)


def _places(starts: np.ndarray, picked: np.ndarray) -> np.ndarray:
    sizes = starts[picked + 1] - starts[picked]
    ends = np.cumsum(sizes)
    return np.repeat(starts[picked] - (ends - sizes), sizes) + np.arange(int(ends[-1]) if len(ends) else 0)


def _no_seeds(picked: np.ndarray) -> np.ndarray:
    return np.zeros(len(picked), dtype=np.uint64)
