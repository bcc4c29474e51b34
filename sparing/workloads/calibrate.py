"""Subscriptions around real publications, as wide as a target selectivity needs.

Each subscription is drawn around a publication of a sample, its anchor: it asks for the anchor's value in some fields
and for a range around it in others. So popular values are asked for more often, and no subscription asks for what
cannot happen, however the fields depend on each other. The width of a range is a share of the sample's values; one
factor, found by bisection, widens all ranges until the mean selectivity on a second sample meets the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sparing.model.errors import SparingError
from sparing.workloads.interests import GeneratedInterests
from sparing.workloads.sample import Sample

WIDEST = 0.95  # of a field's values: every range says something
TRIED = 600  # subscriptions; the factor is found on the first so many
STEPS = 16


@dataclass(frozen=True)
class Ladder:
    """The values of a field in ascending order, group after group, and where each subscription stands on them.

    A subscription's group has the rungs `first` to `first + last`; its anchor is the share `place` of the way up.
    """

    rungs: np.ndarray
    first: np.ndarray
    last: np.ndarray
    place: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, group: np.ndarray, anchors: np.ndarray) -> Ladder:
        """The ladder of a sample's values in groups, for subscriptions anchored at some of its rows."""
        order = np.lexsort((values, group))
        rung = np.empty(len(values), dtype=np.int64)
        rung[order] = np.arange(len(values))
        sizes = np.bincount(group)
        first, last = (np.cumsum(sizes) - sizes)[group[anchors]], (sizes - 1)[group[anchors]]
        return cls(values[order], first, last, (rung[anchors] - first) / np.maximum(last, 1))

    def head(self, count: int) -> Ladder:
        """That of the first so many subscriptions."""
        return Ladder(self.rungs, self.first[:count], self.last[:count], self.place[:count])

    def ends(self, width: np.ndarray, lean: np.ndarray, decimals: int) -> tuple[np.ndarray, np.ndarray]:
        """Ranges that hold the given shares of the values, the anchor's among them; open where nothing is beyond."""
        start = np.clip(self.place - lean * width, 0.0, 1.0 - width)
        end = start + width
        at = np.arange(len(self.rungs), dtype=float)
        low = np.round(np.interp(self.first + start * self.last, at, self.rungs), decimals) + 0.0
        high = np.round(np.interp(self.first + end * self.last, at, self.rungs), decimals) + 0.0
        return np.where(start <= 0.0, -np.inf, low), np.where(end >= 1.0, np.inf, high)


@dataclass(frozen=True)
class Anchored:
    """Subscriptions around anchors, complete but for the widths of their ranges.

    `equal` holds the codes that they ask for (-1: any), `share` how much of the sample meets these equalities;
    `ranges` says which fields they constrain by a range, `lean` where in its range the anchor lies, `spread` how much
    wider or narrower than others a subscription is.
    """

    equal: Mapping[str, np.ndarray]
    share: np.ndarray
    ranges: Mapping[str, np.ndarray]
    ladders: Mapping[str, Ladder]
    lean: Mapping[str, np.ndarray]
    spread: np.ndarray
    decimals: Mapping[str, int]

    def head(self, count: int) -> Anchored:
        """The first so many."""
        return Anchored(
            {field: codes[:count] for field, codes in self.equal.items()},
            self.share[:count],
            {field: use[:count] for field, use in self.ranges.items()},
            {field: ladder.head(count) for field, ladder in self.ladders.items()},
            {field: lean[:count] for field, lean in self.lean.items()},
            self.spread[:count],
            self.decimals,
        )

    def interests(self, factor: float) -> GeneratedInterests:
        """The subscriptions with ranges such that each would match about the share `factor` of the sample."""
        ranges = np.maximum(np.sum(list(self.ranges.values()), axis=0), 1)
        width = np.minimum((factor * self.spread / self.share) ** (1 / ranges), WIDEST)
        low, high = {}, {}
        for field, use in self.ranges.items():
            ends = self.ladders[field].ends(width, self.lean[field], self.decimals[field])
            low[field], high[field] = np.where(use, ends[0], np.nan), np.where(use, ends[1], np.nan)
        return GeneratedInterests(len(self.spread), self.equal, low, high, self.decimals)


def anchored(
    sample: Sample,
    equal: Mapping[str, np.ndarray],
    ranges: Mapping[str, np.ndarray],
    decimals: Mapping[str, int],
    *,
    rng: np.random.Generator,
    within: str | None = None,
) -> Anchored:
    """Subscriptions around publications drawn from the sample; `equal` and `ranges` say which fields they constrain.

    If a field `within` is named, a range is a share of the values that go with the anchor's value of that field: the
    prices of its symbol, not of all symbols.
    """
    count = len(next(iter(ranges.values())))
    anchors = rng.integers(0, sample.rows, count)
    group = sample.codes[within] if within else np.zeros(sample.rows, dtype=np.int64)
    codes = {field: np.where(use, sample.codes[field][anchors], -1) for field, use in equal.items()}
    share = np.ones(count)  # as if fields were independent; the calibration makes up for it
    for field, asked in codes.items():
        shares = np.bincount(sample.codes[field]) / sample.rows
        share *= np.where(asked >= 0, shares[asked], 1.0)
    return Anchored(
        codes,
        share,
        ranges,
        {field: Ladder.of(sample.numbers[field], group, anchors) for field in ranges},
        {field: rng.random(count) for field in ranges},
        np.exp(rng.normal(0.0, 0.4, count)),
        decimals,
    )


def calibrate(wishes: Anchored, seen: Sample, target: float | None) -> GeneratedInterests:
    """The subscriptions with widths such that their mean selectivity on the sample `seen` meets the target."""
    if target is None or len(wishes.spread) == 0:
        return wishes.interests(0.1)
    tried = wishes.head(TRIED)
    low, high = -18.0, 4.0  # powers of e; the upper end makes every range as wide as it may be
    least, most = (tried.interests(np.exp(end)).selectivity(seen) for end in (low, high))
    if not 0.95 * least <= target <= 1.05 * most:
        raise SparingError(
            f"A selectivity of {target:g} is out of reach: these subscriptions match between {least:.2g} and "
            f"{most:.2g} of the publications on average; ask for something between."
        )
    for _ in range(STEPS):
        middle = (low + high) / 2
        if tried.interests(np.exp(middle)).selectivity(seen) < target:
            low = middle
        else:
            high = middle
    return wishes.interests(np.exp((low + high) / 2))


def tilted(shares: np.ndarray, count: int, target: float | None, rng: np.random.Generator) -> np.ndarray:
    """A choice of `count` from candidates that match the given shares, such that the mean share meets the target.

    Candidates are weighted by a power of their share; the power is found by bisection, and the draw is systematic, so
    that few already come close. Without a target all weigh the same.
    """
    possible = np.flatnonzero(shares > 0)
    possible = possible[np.argsort(shares[possible], kind="stable")]
    if len(possible) == 0 or count == 0:
        return rng.integers(0, len(shares), count)
    values = shares[possible]

    def weights(power: float) -> np.ndarray:
        raised = np.exp(power * np.log(values / values[-1]))
        scaled: np.ndarray = raised / raised.sum()
        return scaled

    low, high = -20.0, 20.0
    if target is None:
        low = high = 0.0
    elif not weights(low) @ values <= target <= weights(high) @ values:
        raise SparingError(
            f"A selectivity of {target:g} is out of reach: these subscriptions match between {values[0]:.2g} and "
            f"{values[-1]:.2g} of the publications; ask for something between."
        )
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if target is not None and weights(middle) @ values < target else (low, middle)
    points = (np.arange(count) + 0.5) / count
    chosen = possible[np.minimum(np.searchsorted(np.cumsum(weights((low + high) / 2)), points), len(possible) - 1)]
    rng.shuffle(chosen)
    return chosen
