"""Aggregate functions with mergeable partial states.

A function *lifts* the values of publications into a state, *merges* states, and *finishes* a state into the result.
Sums are exact: a state is a short list of non-overlapping doubles (Shewchuk 1997). Results are correctly rounded and do
not depend on the order of publications, on micro-batches, or on the brokers that compute partial results.

Values are an array without NULLs: doubles for floating point fields, objects for text, and codes (see `types`) for all
other types. States are tuples, numbers and bytes, which can be stored in rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from sparing.model.sketches import SKETCHES, Setting, sketch
from sparing.model.types import NUMBERS, FieldType, Kind, Value

State = Any  # depends on the function: None, numbers, tuples of numbers, or bytes
Result = Value | tuple[Value, ...] | None


class Function(Protocol):
    """The interface of aggregate functions."""

    @property
    def decomposable(self) -> bool:
        """Whether brokers may compute partial states and merge them."""

    def lift(self, values: np.ndarray, rows: int) -> State:
        """Return the state of some publications, from their values that are not NULL and their number."""

    def merge(self, states: Sequence[State]) -> State:
        """Return the state of at least one state, in any order and grouping."""

    def finish(self, state: State) -> Result:
        """Return the result of a state."""


@dataclass(frozen=True, slots=True)
class Count:
    """`count(*)` and `count(x)`."""

    rows: bool
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> int:
        """Return the number of rows, or of values."""
        return rows if self.rows else len(values)

    def merge(self, states: Sequence[int]) -> int:
        """Return the sum of counts."""
        return sum(states)

    def finish(self, state: int) -> Result:
        """Return the count."""
        return state


Expansion = tuple[float, ...]
ExactSum = tuple[int, Expansion, float]  # a whole number, finite doubles, and the sum of infinities and NaN


def _expansion(parts: Sequence[float]) -> tuple[int, Expansion]:
    """Return the shortest list of doubles with exactly the same sum, largest first, and a whole number to add.

    The whole number is zero unless the sum may overflow: then it has the large parts, which are whole.
    """
    kept: list[float] = []
    rest = list(parts)
    try:
        while rest and (head := math.fsum(rest)) != 0.0:
            kept.append(head)
            rest.append(-head)
    except OverflowError:
        large = sum(int(part) for part in parts if abs(part) >= _WHOLE)
        whole, small = _expansion([part for part in parts if abs(part) < _WHOLE])
        return large + whole, small
    return 0, tuple(kept)


_WHOLE = 2.0**53  # doubles from here on are whole numbers


def _exact_sum(values: np.ndarray) -> ExactSum:
    if values.dtype.kind != "f":
        # Sums of 32-bit halves do not overflow 64 bits; Python's whole numbers have no limit.
        high, low = int((values >> 32).sum()), int((values & 0xFFFF_FFFF).sum())
        return (high << 32) + low, (), 0.0
    finite = np.isfinite(values)
    if finite.all():
        return *_expansion(values.tolist()), 0.0
    with np.errstate(invalid="ignore"):
        return *_expansion(values[finite].tolist()), float(values[~finite].sum())


def _merged_sums(sums: Sequence[ExactSum]) -> ExactSum:
    special = 0.0
    for _, _, part in sums:
        special += part
    whole, parts = _expansion([part for s in sums for part in s[1]])
    return whole + sum(s[0] for s in sums), parts, special


def _rounded(total: ExactSum) -> float:
    whole, parts, special = total
    if special != 0.0:  # infinity or NaN
        return special
    return _nearest_double(whole + sum(map(Fraction, parts), Fraction(0))) if whole else math.fsum(parts)


def _nearest_double(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


SumState = tuple[int, ExactSum]  # number of values, and their sum


@dataclass(frozen=True, slots=True)
class _OfSum:
    """Base of functions of a sum and a count."""

    type: FieldType
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> SumState:  # noqa: ARG002
        """Return the number of values and their exact sum."""
        return len(values), _exact_sum(values)

    def merge(self, states: Sequence[SumState]) -> SumState:
        """Return the sum of counts and of sums."""
        return sum(s[0] for s in states), _merged_sums([s[1] for s in states])


@dataclass(frozen=True, slots=True)
class Sum(_OfSum):
    """`sum(x)`: exact for whole numbers, correctly rounded for doubles, NULL without values."""

    def finish(self, state: SumState) -> Result:
        """Return the sum, in Spark's result type."""
        count, total = state
        if count == 0:
            return None
        if self.type.kind is Kind.FLOATING:
            return _rounded(total)
        return Decimal(total[0]).scaleb(-self.type.scale) if self.type.kind is Kind.DECIMAL else total[0]


@dataclass(frozen=True, slots=True)
class Avg(_OfSum):
    """`avg(x)`: a double, or for decimals a decimal with four more digits, rounded half up as in Spark."""

    def finish(self, state: SumState) -> Result:
        """Return the sum divided by the count."""
        count, total = state
        if count == 0:
            return None
        if self.type.kind is Kind.DECIMAL:
            with localcontext(prec=60):
                mean = Decimal(total[0]).scaleb(-self.type.scale) / count
                return mean.quantize(Decimal(1).scaleb(-self.type.scale - 4), ROUND_HALF_UP)
        return _rounded(total) / count


VarianceState = tuple[int, ExactSum, ExactSum]  # number of values, their sum, the sum of their squares


def _exact_square_sum(values: np.ndarray) -> ExactSum:
    if values.dtype.kind != "f":
        return sum(v * v for v in values.tolist()), (), 0.0
    finite = values[np.isfinite(values)]
    # x*x = square + error exactly, by splitting x into halves of 26 bits (Dekker 1971).
    with np.errstate(over="ignore", invalid="ignore"):
        square = finite * finite
        shifted = finite * 134217729.0
        high = shifted - (shifted - finite)
        low = finite - high
        error = ((high * high - square) + 2.0 * high * low) + low * low
    exact = np.isfinite(square) & np.isfinite(error)
    whole, parts = _expansion(np.concatenate([square[exact], error[exact]]).tolist())
    large = sum(int(v) ** 2 for v in finite[~exact].tolist())  # squares overflow, so the values are whole
    return whole + large, parts, 0.0 if len(finite) == len(values) else math.nan


@dataclass(frozen=True, slots=True)
class Variance:
    """`var_pop`, `var_samp` (`sample`) and, with `root`, the standard deviations."""

    type: FieldType
    sample: bool
    root: bool
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> VarianceState:  # noqa: ARG002
        """Return the count, the exact sum and the exact sum of squares."""
        return len(values), _exact_sum(values), _exact_square_sum(values)

    def merge(self, states: Sequence[VarianceState]) -> VarianceState:
        """Return the sums of counts, sums and sums of squares."""
        return sum(s[0] for s in states), _merged_sums([s[1] for s in states]), _merged_sums([s[2] for s in states])

    def finish(self, state: VarianceState) -> Result:
        """Return the variance, computed in exact fractions and rounded once."""
        count, total, squares = state
        divisor = count - 1 if self.sample else count
        if divisor <= 0:
            return None
        if total[2] != 0.0 or squares[2] != 0.0:
            return math.nan
        unit = Fraction(1, 10**self.type.scale)
        mean_sum = (total[0] + sum(map(Fraction, total[1]), Fraction(0))) * unit
        square_sum = (squares[0] + sum(map(Fraction, squares[1]), Fraction(0))) * unit * unit
        variance = _nearest_double((square_sum - mean_sum * mean_sum / count) / divisor)
        return math.sqrt(variance) if self.root else variance


@dataclass(frozen=True, slots=True)
class Extreme:
    """`min(x)` and `max(x)` in Spark's order: NaN is above every other number."""

    type: FieldType
    largest: bool
    decomposable = True

    def lift(self, values: np.ndarray, rows: int) -> State:  # noqa: ARG002
        """Return the extreme value, None without values."""
        return self.merge(values.tolist()) if values.dtype.kind != "f" else self._floating(values)

    def _floating(self, values: np.ndarray) -> State:
        numbers = values[~np.isnan(values)]
        if len(values) == 0 or (self.largest and len(numbers) < len(values)) or len(numbers) == 0:
            return None if len(values) == 0 else math.nan
        return float(numbers.max() if self.largest else numbers.min()) + 0.0  # turns -0.0 into 0.0

    def merge(self, states: Sequence[State]) -> State:
        """Return the extreme of the extremes."""
        values = [state for state in states if state is not None]
        if not values:
            return None
        if self.type.kind is Kind.FLOATING:
            return self._floating(np.array(values, dtype=np.float64))
        return max(values) if self.largest else min(values)

    def finish(self, state: State) -> Result:
        """Return the extreme value."""
        if state is None or self.type.kind is Kind.FLOATING:
            return state  # type: ignore[no-any-return]
        return self.type.value(state)


@dataclass(frozen=True, slots=True)
class CountDistinct:
    """`count(DISTINCT x)`: not decomposable, because the subscriber's broker needs all values."""

    type: FieldType
    decomposable = False

    def lift(self, values: np.ndarray, rows: int) -> State:  # noqa: ARG002
        """Return the distinct values; all NaNs are one."""
        if values.dtype.kind == "f":
            distinct = np.unique(values + 0.0)  # turns -0.0 into 0.0; np.unique keeps one NaN
            return tuple(distinct.tolist())
        return tuple(sorted(set(values.tolist())))

    def merge(self, states: Sequence[State]) -> State:
        """Return the union of distinct values."""
        values = [value for state in states for value in state]
        dtype = np.float64 if self.type.kind is Kind.FLOATING else object
        return self.lift(np.array(values, dtype=dtype), 0)

    def finish(self, state: State) -> Result:
        """Return the number of distinct values."""
        return len(state)


@dataclass(frozen=True, slots=True)
class Median:
    """`median(x)`: the middle value, or the mean of the two in the middle, as a double."""

    type: FieldType
    decomposable = False

    def lift(self, values: np.ndarray, rows: int) -> State:  # noqa: ARG002
        """All values."""
        return tuple(values.tolist())

    def merge(self, states: Sequence[State]) -> State:
        """All values."""
        return tuple(value for state in states for value in state)

    def finish(self, state: State) -> Result:
        """Return the middle of the sorted values (NaN last)."""
        if not state:
            return None
        if self.type.kind is Kind.FLOATING:
            ordered = sorted(state, key=lambda v: (math.isnan(v), v))
        else:
            ordered = [v / 10**self.type.scale for v in sorted(state)]
        low, high = (float(ordered[at]) for at in ((len(ordered) - 1) // 2, len(ordered) // 2))
        return low + 0.0 if low == high else 0.5 * low + 0.5 * high  # turns -0.0 into 0.0


_VARIANCES = {  # name: (sample, root)
    "variance": (True, False),
    "var_samp": (True, False),
    "var_pop": (False, False),
    "stddev": (True, True),
    "std": (True, True),
    "stddev_samp": (True, True),
    "stddev_pop": (False, True),
}
FUNCTION_NAMES = ("count", "sum", "avg", "mean", "min", "max", "median", *_VARIANCES, *SKETCHES)


def function(
    name: str, type_: FieldType | None, distinct: bool = False, settings: Sequence[Setting] = ()
) -> Function | str:
    """Return the function with a Spark SQL name over a field of a type (None: over rows), or the reason against it.

    Settings are the arguments after the field.

    >>> function("count", None).lift(np.array([]), 3)
    3
    """
    if name not in FUNCTION_NAMES:
        return f"{name} is not an aggregate function: use one of {', '.join(FUNCTION_NAMES)}"
    if distinct and name not in ("count", "min", "max"):
        return f"{name}(DISTINCT ...) is not supported: use DISTINCT with count, min or max only"
    if settings and name not in SKETCHES:
        return f"{name} takes one field"
    if name == "count":
        if type_ is None:
            return "count(DISTINCT *) needs a field" if distinct else Count(rows=True)
        return CountDistinct(type_) if distinct else Count(rows=False)
    if type_ is None:
        return f"{name} needs a field"
    if name in SKETCHES:
        return sketch(name, type_, settings)
    if name in ("min", "max"):
        return Extreme(type_, largest=name == "max")
    if type_.kind not in NUMBERS:
        return f"{name} needs a number"
    if name == "sum":
        return Sum(type_)
    if name in ("avg", "mean"):
        return Avg(type_)
    if name == "median":
        return Median(type_)
    sample, root = _VARIANCES[name]
    return Variance(type_, sample, root)
