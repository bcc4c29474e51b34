"""Subscriptions around sampled publications, with a target selectivity.

Each subscription is drawn around a publication of a sample, its anchor: it has an equality with the anchor's value in
some fields and a range around it in others. So popular values are in more subscriptions, and every subscription can
match, however the fields depend on each other. The width of a range is a share of the sample's values; one factor for
all ranges, found by bisection, makes the mean selectivity on a second sample meet the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sparing.model.errors import SparingError
from sparing.workloads.interests import GeneratedInterests
from sparing.workloads.sample import Sample

WIDEST = 0.95  # of a field's values, so that every range excludes some
TRIED = 600  # subscriptions; the factor is found with the first of them
STEPS = 16


@dataclass(frozen=True)
class Quantiles:
    """The values of a field in ascending order, group by group, and the quantile of each subscription's anchor.

    A subscription's group has the values `first` to `first + last`; its anchor is at the quantile `anchor` of them.
    """

    values: np.ndarray
    first: np.ndarray
    last: np.ndarray
    anchor: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray, group: np.ndarray, anchors: np.ndarray) -> Quantiles:
        """Return the quantiles of a sample's values in groups, for subscriptions with anchors among its rows."""
        order = np.lexsort((values, group))
        rank = np.empty(len(values), dtype=np.int64)
        rank[order] = np.arange(len(values))
        sizes = np.bincount(group)
        first, last = (np.cumsum(sizes) - sizes)[group[anchors]], (sizes - 1)[group[anchors]]
        return cls(values[order], first, last, (rank[anchors] - first) / np.maximum(last, 1))

    def head(self, count: int) -> Quantiles:
        """Return those of the first subscriptions."""
        return Quantiles(self.values, self.first[:count], self.last[:count], self.anchor[:count])

    def ranges(self, width: np.ndarray, position: np.ndarray, decimals: int) -> tuple[np.ndarray, np.ndarray]:
        """Return ranges with the given shares of the values, the anchor's among them; open if no values are beyond."""
        start = np.clip(self.anchor - position * width, 0.0, 1.0 - width)
        end = start + width
        at = np.arange(len(self.values), dtype=float)
        low = np.round(np.interp(self.first + start * self.last, at, self.values), decimals) + 0.0
        high = np.round(np.interp(self.first + end * self.last, at, self.values), decimals) + 0.0
        return np.where(start <= 0.0, -np.inf, low), np.where(end >= 1.0, np.inf, high)


@dataclass(frozen=True)
class AnchoredSubscriptions:
    """Subscriptions around anchors, before the widths of their ranges are known.

    `equal` has the codes of equalities (-1: any), `share` the share of the sample that meets them. `ranges` marks the
    fields with a range, `position` is the anchor's position in its range, `spread` a subscription's relative width.
    """

    equal: Mapping[str, np.ndarray]
    share: np.ndarray
    ranges: Mapping[str, np.ndarray]
    quantiles: Mapping[str, Quantiles]
    position: Mapping[str, np.ndarray]
    spread: np.ndarray
    decimals: Mapping[str, int]

    def head(self, count: int) -> AnchoredSubscriptions:
        """Return the first subscriptions."""
        return AnchoredSubscriptions(
            {field: codes[:count] for field, codes in self.equal.items()},
            self.share[:count],
            {field: use[:count] for field, use in self.ranges.items()},
            {field: quantiles.head(count) for field, quantiles in self.quantiles.items()},
            {field: position[:count] for field, position in self.position.items()},
            self.spread[:count],
            self.decimals,
        )

    def interests(self, factor: float) -> GeneratedInterests:
        """Return the subscriptions with ranges such that each matches about the share `factor` of the sample."""
        ranges = np.maximum(np.sum(list(self.ranges.values()), axis=0), 1)
        width = np.minimum((factor * self.spread / self.share) ** (1 / ranges), WIDEST)
        low, high = {}, {}
        for field, use in self.ranges.items():
            ends = self.quantiles[field].ranges(width, self.position[field], self.decimals[field])
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
) -> AnchoredSubscriptions:
    """Return subscriptions around publications drawn from the sample; `equal` and `ranges` mark constrained fields.

    With a field `within`, a range is a share of the values of rows with the anchor's value in that field: for example
    of the prices of its symbol, not of all symbols.
    """
    count = len(next(iter(ranges.values())))
    anchors = rng.integers(0, sample.rows, count)
    group = sample.codes[within] if within else np.zeros(sample.rows, dtype=np.int64)
    codes = {field: np.where(use, sample.codes[field][anchors], -1) for field, use in equal.items()}
    share = np.ones(count)  # as if fields were independent; the calibration corrects this
    for field, asked in codes.items():
        shares = np.bincount(sample.codes[field]) / sample.rows
        share *= np.where(asked >= 0, shares[asked], 1.0)
    return AnchoredSubscriptions(
        codes,
        share,
        ranges,
        {field: Quantiles.of(sample.numbers[field], group, anchors) for field in ranges},
        {field: rng.random(count) for field in ranges},
        np.exp(rng.normal(0.0, 0.4, count)),
        decimals,
    )


def calibrate(subscriptions: AnchoredSubscriptions, seen: Sample, target: float | None) -> GeneratedInterests:
    """Return the subscriptions with widths such that their mean selectivity on the sample `seen` meets the target."""
    if target is None or len(subscriptions.spread) == 0:
        return subscriptions.interests(0.1)
    tried = subscriptions.head(TRIED)
    low, high = -18.0, 4.0  # powers of e; the upper end gives every range the maximum width
    least, most = (tried.interests(np.exp(end)).selectivity(seen) for end in (low, high))
    if not 0.95 * least <= target <= 1.05 * most:
        raise SparingError(
            f"The selectivity {target:g} cannot be reached, because these subscriptions match between {least:.2g} and "
            f"{most:.2g} of the publications on average: choose a value between."
        )
    for _ in range(STEPS):
        middle = (low + high) / 2
        if tried.interests(np.exp(middle)).selectivity(seen) < target:
            low = middle
        else:
            high = middle
    return subscriptions.interests(np.exp((low + high) / 2))


def draw_with_mean(shares: np.ndarray, count: int, target: float | None, rng: np.random.Generator) -> np.ndarray:
    """Return `count` candidates, drawn so that the mean of their shares of the sample meets the target.

    Candidates are weighted by a power of their share, found by bisection. The draw is systematic, so that the mean of
    few candidates is close, too. Without a target, weights are equal.
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
            f"The selectivity {target:g} cannot be reached, because these subscriptions match between {values[0]:.2g} "
            f"and {values[-1]:.2g} of the publications: choose a value between."
        )
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if target is not None and weights(middle) @ values < target else (low, middle)
    points = (np.arange(count) + 0.5) / count
    chosen = possible[np.minimum(np.searchsorted(np.cumsum(weights((low + high) / 2)), points), len(possible) - 1)]
    rng.shuffle(chosen)
    return chosen
