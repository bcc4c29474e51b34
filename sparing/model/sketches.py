"""Sketches: approximate aggregate functions with bounded errors and states of bounded size.

Results do not depend on the order of publications, on micro-batches, or on the brokers that compute partial results. A
state is therefore a function of the values alone: merging states gives, byte for byte, the state of all values. For
sketches with this property see docs/decisions/0012-sketches.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from sparing.model.types import NUMBERS, FieldType, Kind, Value, float_codes

Number = int | float | Decimal
Setting = Number | tuple[Number, ...]  # an argument after the field: a number or an array of numbers

PERCENTILES = ("approx_percentile", "percentile_approx")
SKETCHES = ("approx_count_distinct", *PERCENTILES)
DEFAULT_RSD = 0.05
DEFAULT_ACCURACY = 10_000

_LEAST_RSD, _MOST_RSD = 0.001, 0.39
_LEAST_LG_K = 5  # of the smallest sketch in DataSketches
_MOST_ACCURACY = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ApproxCountDistinct:
    """`approx_count_distinct(x[, rsd])`: a theta sketch of the k = 2**lg_k smallest hashes (Apache DataSketches).

    Up to k different values are counted exactly; for more, the relative standard deviation is below 1 / sqrt(k - 1).
    """

    type: FieldType
    lg_k: int
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> bytes:  # noqa: ARG002
        """Return the sketch of the k smallest hashes and the next one."""
        from datasketches import update_theta_sketch

        sketch = update_theta_sketch(self.lg_k)
        if self.type.kind is Kind.TEXT:
            for text in set(values.tolist()):
                sketch.update(f"={text}")  # the library ignores empty text
        else:
            codes = float_codes(values) if self.type.kind is Kind.FLOATING else values
            for code in codes.tolist():
                sketch.update(code)
        sketch.trim()  # otherwise the number of hashes depends on the order of values
        return bytes(sketch.compact().serialize())

    def merge(self, states: Sequence[bytes]) -> bytes:
        """Return the sketch of the k smallest hashes of all."""
        from datasketches import compact_theta_sketch, theta_union

        union = theta_union(self.lg_k)
        for state in states:
            union.update(compact_theta_sketch.deserialize(state))
        return bytes(union.get_result().serialize())

    def finish(self, state: bytes) -> int:
        """Return the estimate: the number of hashes divided by their share of the hash space."""
        from datasketches import compact_theta_sketch

        estimate: float = compact_theta_sketch.deserialize(state).get_estimate()
        return round(estimate)


@dataclass(frozen=True, slots=True)
class ApproxPercentile:
    """`approx_percentile(x, p[, accuracy])`: buckets of adjacent values, each with its least value and its count.

    There are at most `2 * accuracy` buckets. Results are exact while each value has its own bucket. With more values, a
    bucket has all values that differ in the last bits only, of the code for dates and timestamps and of the double for
    numbers; this is relative precision, as in DDSketch (Masson et al. 2019). The number of ignored bits is the same in
    all buckets and the smallest that keeps the limit (as in UDDSketch, Epicoco et al. 2020). Coarser buckets are unions
    of finer ones, and more values never need finer ones, so it depends on the values alone.

    The result is the least value of the bucket with the exact percentile. The relative error of numbers is below
    `octaves / accuracy`, where octaves are the powers of two in the range of the values, separately for each sign; the
    error of dates and timestamps is below `(max - min) / (accuracy - 1/2)`.
    """

    type: FieldType
    percentages: float | tuple[float, ...]
    accuracy: int
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> bytes:  # noqa: ARG002
        """Return the buckets of some values."""
        if not len(values):
            return b""
        codes = np.sort(float_codes(values) if self.type.kind is Kind.FLOATING else values.astype(np.int64))
        return self._state(0, codes, np.ones(len(codes), dtype=np.int64), codes[-1:])

    def merge(self, states: Sequence[bytes]) -> bytes:
        """Return the buckets of all values."""
        parts = [_unpacked(state) for state in states if state]
        if not parts:
            return b""
        levels, least, counts, greatest = zip(*parts, strict=True)
        codes = np.concatenate(least)
        order = np.argsort(codes, kind="stable")
        return self._state(max(levels), codes[order], np.concatenate(counts)[order], np.max(greatest, axis=0))

    def finish(self, state: bytes) -> Value | tuple[Value, ...] | None:
        """Return the value at Spark's rank, `ceil(p * count)`."""
        if not state:
            return None
        _, least, counts, greatest = _unpacked(state)
        reached = np.cumsum(counts)
        total = int(reached[-1])

        def value(percentage: float) -> Value:
            rank = max(1, math.ceil(percentage * total))
            code = greatest[0] if rank == total else least[np.searchsorted(reached, rank)]
            return self.type.value(int(code))

        if isinstance(self.percentages, tuple):
            return tuple(map(value, self.percentages))
        return value(self.percentages)

    def _state(self, level: int, codes: np.ndarray, counts: np.ndarray, greatest: np.ndarray) -> bytes:
        """Return the state of ascending codes with the finest possible buckets at or above a level.

        At level 0 each code is a bucket. At level n, codes whose places differ only in the last n - 1 bits share one.
        """
        first = np.ones(len(codes), dtype=bool)  # whether a code is the first of its bucket
        first[1:] = codes[1:] != codes[:-1]
        most = 2 * self.accuracy
        if level > 0 or np.count_nonzero(first) > most:
            places = self._places(codes)
            differing = places[1:] ^ places[:-1]
            if len(differing) >= most:
                # Adjacent codes are in different buckets if they differ in a bit that counts; `most - 1` pairs may.
                too_near = np.partition(differing, len(differing) - most)[len(differing) - most]
                level = max(level, 1 + int(too_near).bit_length())
            first[1:] = (differing >> np.uint64(level - 1)) != 0
        starts = np.flatnonzero(first)
        return _packed(level, codes[starts], np.add.reduceat(counts, starts), greatest)

    def _places(self, codes: np.ndarray) -> np.ndarray:
        """Return the codes, or for numbers the codes of the nearest doubles, as ascending unsigned numbers."""
        if self.type.kind in (Kind.WHOLE, Kind.DECIMAL):
            codes = float_codes(codes.astype(np.float64))
        return codes.view(np.uint64) ^ np.uint64(1 << 63)


def _packed(level: int, least: np.ndarray, counts: np.ndarray, greatest: np.ndarray) -> bytes:
    """Encode a state: level, width of a count, least codes, greatest code, counts."""
    width = np.min_scalar_type(int(counts.max())).itemsize
    codes = np.concatenate([least, greatest]).astype("<i8")
    return bytes((level, width)) + codes.tobytes() + counts.astype(f"<u{width}").tobytes()


def _unpacked(state: bytes) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """Decode a state: level, least codes, counts, greatest code."""
    level, width = state[:2]
    buckets = (len(state) - 2 - 8) // (8 + width)
    codes = np.frombuffer(state, "<i8", buckets + 1, 2)
    counts = np.frombuffer(state, f"<u{width}", buckets, 2 + codes.nbytes)
    return level, codes[:-1], counts.astype(np.int64), codes[-1:]


def sketch(name: str, type_: FieldType, settings: Sequence[Setting]) -> ApproxCountDistinct | ApproxPercentile | str:
    """Return the sketch with a Spark SQL name and the arguments after the field, or the reason against it."""
    if name in PERCENTILES:
        return _approx_percentile(name, type_, settings)
    return _approx_count_distinct(name, type_, settings)


def _approx_count_distinct(name: str, type_: FieldType, settings: Sequence[Setting]) -> ApproxCountDistinct | str:
    if len(settings) > 1:
        return f"{name} takes a field and an optional relative standard deviation: {name}(x, {DEFAULT_RSD})"
    rsd = settings[0] if settings else DEFAULT_RSD
    if isinstance(rsd, tuple) or not _LEAST_RSD <= float(rsd) <= _MOST_RSD:
        return f"{name} needs a relative standard deviation from {_LEAST_RSD} to {_MOST_RSD}"
    # The smallest power of two k with 1 / sqrt(k - 1) <= rsd.
    return ApproxCountDistinct(type_, max(_LEAST_LG_K, math.ceil(1 / float(rsd) ** 2).bit_length()))


def _approx_percentile(name: str, type_: FieldType, settings: Sequence[Setting]) -> ApproxPercentile | str:
    if type_.kind not in NUMBERS | {Kind.DATE, Kind.TIMESTAMP}:
        return f"{name} needs a number, a date or a timestamp"
    if not 1 <= len(settings) <= 2:
        return f"{name} takes a field, a percentage and an optional accuracy: {name}(x, 0.5, {DEFAULT_ACCURACY})"
    given = settings[0]
    percentages = tuple(map(float, given)) if isinstance(given, tuple) else (float(given),)
    if not percentages or not all(0 <= percentage <= 1 for percentage in percentages):
        return f"{name} needs a percentage from 0 to 1, or an array of percentages"
    accuracy = settings[1] if len(settings) > 1 else DEFAULT_ACCURACY
    if not isinstance(accuracy, int) or not 1 <= accuracy <= _MOST_ACCURACY:
        return f"{name} needs a whole number from 1 to {_MOST_ACCURACY} as its accuracy"
    return ApproxPercentile(type_, percentages if isinstance(given, tuple) else percentages[0], accuracy)
