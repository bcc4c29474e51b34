"""The conditions of many subscriptions as arrays: generated, measured and written together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.workloads.sample import Sample

MEASURED = 2000  # subscriptions; the selectivity is measured with the first of them


@dataclass(frozen=True)
class GeneratedInterests:
    """One row per subscription. `equal` has codes of the sample's names, -1 without a constraint.

    `low` and `high` are the inclusive ends of a range, infinite for an open end and NaN without a constraint;
    `decimals` is the number of decimal places of a field, 0 for whole numbers.
    """

    count: int
    equal: Mapping[str, np.ndarray]
    low: Mapping[str, np.ndarray]
    high: Mapping[str, np.ndarray]
    decimals: Mapping[str, int]

    def take(self, rows: np.ndarray | slice) -> GeneratedInterests:
        """Return some of the subscriptions, in the given order."""
        return GeneratedInterests(
            len(np.arange(self.count)[rows]),
            {field: codes[rows] for field, codes in self.equal.items()},
            {field: ends[rows] for field, ends in self.low.items()},
            {field: ends[rows] for field, ends in self.high.items()},
            self.decimals,
        )

    def selectivities(self, sample: Sample) -> np.ndarray:
        """Return for each subscription the share of the sample that it matches."""
        shares = np.empty(self.count)
        for row in range(self.count):
            hit = np.ones(sample.rows, dtype=bool)
            for field, codes in self.equal.items():
                if codes[row] >= 0:
                    hit &= sample.codes[field] == codes[row]
            for field, lows in self.low.items():
                low, high = lows[row], self.high[field][row]
                if low > -np.inf:  # NaN is not
                    hit &= sample.numbers[field] >= low
                if high < np.inf:
                    hit &= sample.numbers[field] <= high
            shares[row] = np.count_nonzero(hit) / sample.rows
        return shares

    def selectivity(self, sample: Sample) -> float:
        """Return the share of the sample that a subscription matches on average."""
        shares = self.take(slice(MEASURED)).selectivities(sample)
        return float(shares.mean()) if self.count else 0.0

    def conditions(self, names: Mapping[str, Sequence[str]]) -> list[str]:
        """Return each subscription's condition, without the word WHERE; empty without constraints."""
        clauses: list[list[str]] = [[] for _ in range(self.count)]
        for field, codes in self.equal.items():
            texts = [f"{field} = '{name}'" for name in names[field]]
            for row in np.flatnonzero(codes >= 0).tolist():
                clauses[row].append(texts[codes[row]])
        for field, lows in self.low.items():
            asked = np.flatnonzero(~np.isnan(lows) & ~(np.isinf(lows) & np.isinf(self.high[field])))
            whole = self.decimals[field] == 0
            lows_asked, highs_asked = lows[asked].tolist(), self.high[field][asked].tolist()
            for row, low, high in zip(asked.tolist(), lows_asked, highs_asked, strict=True):
                clauses[row].append(_range(field, low, high, whole))
        return [" AND ".join(clause) for clause in clauses]


def _range(field: str, low: float, high: float, whole: bool) -> str:
    if high == np.inf:
        return f"{field} >= {int(low) if whole else low}"
    if low == -np.inf:
        return f"{field} <= {int(high) if whole else high}"
    if low == high:
        return f"{field} = {int(low) if whole else low}"
    return f"{field} BETWEEN {int(low) if whole else low} AND {int(high) if whole else high}"
