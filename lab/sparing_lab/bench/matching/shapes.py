"""Workloads for the matching benchmark, in four shapes that put an index to different tests.

- `a`, stock: one equality on 62 symbols of skewed popularity, and 1 to 3 ranges over 7 numbers; prices depend on the
  symbol.
- `b`, traffic: 3 to 6 ranges over 12 fields, half of them open on one side.
- `c`, uniform: 5 ranges over 20 uniform fields; at the greater selectivity each is 30% to 60% wide.
- `d`, skewed: heavy-tailed values in 12 fields, 1 to 4 ranges that favour popular fields, half of them open on one
  side, and a tenth of the subscriptions so wide that they match 20% to 60% of the events.

A range is drawn as a share of the events of one fixed sample, the reference, and its bounds are the sample's quantiles.
So a subscription has about the selectivity that is asked for, whatever the distribution of the values. Values that
many events share let it match somewhat more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from sparing.model.errors import SparingError
from sparing_lab.bench.matching.benchmark import COMMON, RARE

SYMBOLS = tuple(f"S{number:03d}" for number in range(62))
SENSORS = 162
REFERENCE = 200_000  # events of the sample that bounds are taken from
WIDEST = 0.98  # share of the events that a range may cover
WIDE = 0.1  # share of the subscriptions of shape d that are wide

_WORLD = 2  # the seed of what stays the same from seed to seed, so that any events go with any subscriptions

Columns = dict[str, np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A shape: how its events are drawn, and how many ranges over which of its fields a subscription has."""

    name: str
    title: str
    fields: Mapping[str, str]
    selectivities: tuple[float, ...]
    values: Callable[[np.random.Generator, int], Columns]
    fewest: int
    most: int
    one_sided: bool = False
    popular: bool = False  # some fields are asked about more than others
    wide: bool = False  # some subscriptions are

    @property
    def ranged(self) -> list[str]:
        """The fields that ranges are asked of."""
        return [field for field, kind in self.fields.items() if kind == "double"]

    def events(self, count: int, seed: int = 0) -> pa.RecordBatch:
        """Return `count` events, the same for the same seed."""
        drawn = self.values(_chance(seed, self.name, "events"), count)
        return pa.record_batch({field: _arrow(values, field) for field, values in drawn.items()})

    def subscriptions(self, count: int, selectivity: float, seed: int = 0) -> pa.Table:
        """So many subscriptions, each with about this selectivity, as `sparing.match.Index` reads them."""
        if selectivity not in self.selectivities:
            known = ", ".join(f"{share:.4g}" for share in self.selectivities)
            raise SparingError(f"Shape {self.name} has no selectivity {selectivity:.4g}: choose from {known}.")
        rng = _chance(seed, self.name, "subscriptions", f"{selectivity}")
        reference = _reference(self.name)
        columns: dict[str, pa.Array] = {}
        symbol = np.zeros(count, dtype=np.int64)
        target = np.full(count, selectivity)
        if "symbol" in self.fields:
            popularity = _popularity_of_symbols()
            symbol = rng.choice(len(SYMBOLS), count, p=popularity)
            columns["symbol ="] = _arrow(symbol, "symbol")
            target /= np.square(popularity).sum()  # how often two symbols drawn like this are equal
        asked = self._asked(rng, count)
        ranges = asked.sum(axis=1)
        if self.wide:
            target = np.where(rng.random(count) < WIDE, rng.uniform(0.2, 0.6, count), target)
        for number, field in enumerate(self.ranged):
            rows = np.flatnonzero(asked[:, number])
            width = self._widths(rng, target[rows], ranges[rows], selectivity)
            low, high = self._ends(rng, width)
            group = symbol[rows] if field in reference.by_symbol else np.zeros(len(rows), dtype=np.int64)
            columns[f"{field} >="] = _bounds(count, rows, low, reference.quantile(field, group, low))
            columns[f"{field} <="] = _bounds(count, rows, high, reference.quantile(field, group, high))
        return pa.table(columns)

    def _asked(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """Which fields each subscription has a range on, as a matrix."""
        fields = len(self.ranged)
        ranges = rng.integers(self.fewest, self.most + 1, count)
        keys = rng.standard_exponential((count, fields))
        if self.popular:
            keys /= _zipf(fields)  # the smallest keys are then a weighted choice without repetition
        rank = keys.argsort(axis=1).argsort(axis=1)
        return np.asarray(rank < ranges[:, None])

    def _widths(self, rng: np.random.Generator, target: np.ndarray, ranges: np.ndarray, asked: float) -> np.ndarray:
        """The share of the events that each range covers, such that all ranges of one subscription make its target."""
        if self.name == "c" and asked == COMMON:
            return rng.uniform(0.3, 0.6, len(target))
        spread = rng.uniform(0.8, 1.2, len(target))
        if self.wide:
            spread[target > asked] = 1.0
        return np.minimum(target ** (1 / ranges) * spread, WIDEST)

    def _ends(self, rng: np.random.Generator, width: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of ranges as shares of the events; NaN for an open end."""
        low = rng.random(len(width)) * (1 - width)
        high = low + width
        if self.one_sided:
            side = rng.random(len(width))
            below, above = side < 0.25, (side >= 0.25) & (side < 0.5)
            low[below], high[below] = np.nan, width[below]
            low[above], high[above] = 1 - width[above], np.nan
        return low, high


@dataclass(frozen=True)
class _Reference:
    """The values of the sample, ascending; those that depend on the symbol apart for every symbol."""

    values: Columns
    starts: np.ndarray  # where the values of each symbol begin
    by_symbol: tuple[str, ...]

    def quantile(self, field: str, group: np.ndarray, share: np.ndarray) -> np.ndarray:
        """The values that shares of the sample lie below; `group` is the symbol where the field depends on it."""
        starts = self.starts if field in self.by_symbol else np.array([0, REFERENCE])
        sizes = np.diff(starts)[group]
        place = np.minimum((np.nan_to_num(share) * sizes).astype(np.int64), sizes - 1)
        return np.asarray(self.values[field][starts[group] + place])


@cache
def _reference(name: str) -> _Reference:
    shape = SHAPES[name]
    drawn = shape.values(_chance(_WORLD, name, "sample"), REFERENCE)
    symbol = drawn.get("symbol", np.zeros(REFERENCE, dtype=np.int64))
    by_symbol = ("price", "bid") if "symbol" in drawn else ()
    starts = np.searchsorted(np.sort(symbol), np.arange(len(SYMBOLS) + 1))
    values = {}
    for field in shape.ranged:
        order = np.lexsort((drawn[field], symbol)) if field in by_symbol else np.argsort(drawn[field])
        values[field] = drawn[field][order]
    return _Reference(values, starts, by_symbol)


def _stock(rng: np.random.Generator, count: int) -> Columns:
    """Quotes, money in cents."""
    symbol = rng.choice(len(SYMBOLS), count, p=_popularity_of_symbols())
    level = _chance(_WORLD, "levels").lognormal(8.5, 1.0, len(SYMBOLS))[symbol]
    return {
        "symbol": symbol,
        "price": _whole(level * np.exp(0.1 * rng.standard_normal(count)), 1, 999_999),
        "volume": _whole(rng.lognormal(9, 1.5, count), 1, 999_999),
        "change": _whole(rng.normal(5000, 1000, count), 0, 10_000),
        "bid": _whole(level * np.exp(0.1 * rng.standard_normal(count)), 1, 999_999),
        "pe": _whole(rng.lognormal(6.5, 0.6, count), 1, 99_999),
        "yield": _whole(rng.uniform(0, 10_000, count), 0, 10_000),
        "cap": _whole(rng.lognormal(10, 1, count), 1, 999_999),
    }


def _traffic(rng: np.random.Generator, count: int) -> Columns:
    """Measurements of road sensors, most of them in hundredths."""
    sensor = rng.choice(SENSORS, count, p=_zipf(SENSORS, 0.3))
    place = _chance(_WORLD, "places").uniform(0, 100_000, (SENSORS, 2))[sensor]
    return {
        "sensor": sensor.astype(np.float64),
        "lat": np.rint(place[:, 0] + rng.uniform(0, 50, count)),
        "lon": np.rint(place[:, 1] + rng.uniform(0, 50, count)),
        "minute": rng.integers(0, 1440, count).astype(np.float64),
        "speed": _whole(rng.normal(6000, 2000, count), 0, 15_000),
        "flow": _whole(rng.gamma(4, 400, count), 0, 10_000),
        "occupancy": _whole(rng.beta(2, 5, count) * 10_000, 0, 10_000),
        "temperature": _whole(rng.normal(1500, 800, count), 0, 5000),
        "trucks": _whole(rng.gamma(2, 500, count), 0, 10_000),
        "humidity": _whole(rng.uniform(0, 10_000, count), 0, 10_000),
        "wind": _whole(rng.gamma(2, 800, count), 0, 10_000),
        "noise": _whole(rng.uniform(0, 10_000, count), 0, 10_000),
    }


def _uniform(rng: np.random.Generator, count: int) -> Columns:
    return {f"x{number}": rng.integers(0, 100_000, count).astype(np.float64) for number in range(20)}


def _skewed(rng: np.random.Generator, count: int) -> Columns:
    return {f"z{number}": _whole(rng.pareto(1.2, count) * 1000, 0, 999_999) for number in range(12)}


def _whole(values: np.ndarray, least: float, most: float) -> np.ndarray:
    return np.asarray(np.rint(np.clip(values, least, most)))


def _zipf(count: int, exponent: float = 1.0) -> np.ndarray:
    weights = np.arange(1, count + 1) ** -exponent
    return np.asarray(weights / weights.sum())


def _popularity_of_symbols() -> np.ndarray:
    return _chance(_WORLD, "symbols").permutation(_zipf(len(SYMBOLS)))


def _chance(seed: int, *what: str) -> np.random.Generator:
    """A random generator for one purpose, independent of the others with the same seed."""
    return np.random.default_rng([seed, *"/".join(what).encode()])


def _arrow(values: np.ndarray, field: str) -> pa.Array:
    if field == "symbol":
        return pa.DictionaryArray.from_arrays(pa.array(values), pa.array(SYMBOLS)).cast(pa.string())
    return pa.array(values)


def _bounds(count: int, rows: np.ndarray, share: np.ndarray, values: np.ndarray) -> pa.Array:
    """A column with the bounds of some rows; NULL for the others, and for ends that are open."""
    there = ~np.isnan(share)
    column, missing = np.zeros(count), np.ones(count, dtype=bool)
    column[rows[there]], missing[rows[there]] = values[there], False
    return pa.array(column, mask=missing)


def _doubles(names: str | list[str]) -> dict[str, str]:
    return dict.fromkeys(names.split() if isinstance(names, str) else names, "double")


_STOCK = {"symbol": "string"} | _doubles("price volume change bid pe yield cap")
_TRAFFIC = _doubles("sensor lat lon minute speed flow occupancy temperature trucks humidity wind noise")
_UNIFORM = _doubles([f"x{number}" for number in range(20)])
_SKEWED = _doubles([f"z{number}" for number in range(12)])

SHAPES = {
    "a": Shape("a", "stock", _STOCK, (COMMON, RARE), _stock, 1, 3),
    "b": Shape("b", "traffic", _TRAFFIC, (COMMON, RARE), _traffic, 3, 6, one_sided=True),
    "c": Shape("c", "uniform", _UNIFORM, (COMMON, RARE), _uniform, 5, 5),
    "d": Shape("d", "skewed", _SKEWED, (COMMON,), _skewed, 1, 4, one_sided=True, popular=True, wide=True),
}
