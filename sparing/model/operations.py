"""What the operations of expressions do to columns of values, as Spark SQL does it to doubles.

NULL in, NULL out, but for `coalesce`, `if`, `and`, `or`, `is null`, and `least` and `greatest`, which skip it. Where
Spark's ANSI mode would fail, the result is NULL, as with Spark's `try_divide`: if something is divided by zero, and if
`floor` or `ceil` would not fit into a bigint (NaN does not). All else is what Spark gives: `ln` is NULL at zero and
below, `sqrt` of a negative number is NaN, sums and products that are too large are infinite, and NaN equals itself and
is above every number. Results of `exp`, `ln` and `power` may differ from Spark's in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

BIGINT = 2.0**63  # the largest, as a double


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A column of doubles, truth values or text (as objects). What is not `valid` is NULL, whatever `array` holds."""

    array: np.ndarray
    valid: np.ndarray

    @classmethod
    def constant(cls, value: float | str | bool | None, rows: int) -> Values:
        """The same value in every row; NULL counts as a number."""
        one: np.ndarray = np.array(np.nan if value is None else value, dtype=_DTYPES.get(type(value), np.float64))
        return cls(np.broadcast_to(one, rows), np.broadcast_to(np.bool_(value is not None), rows))

    @property
    def truth(self) -> np.ndarray:
        """Where the value is true: neither false nor NULL."""
        holds: np.ndarray = self.valid & self.array.astype(bool, copy=False)
        return holds


_DTYPES: Mapping[type, type] = {str: np.object_, bool: np.bool_}

Function = Callable[..., Values]


def _strict(function: Callable[..., np.ndarray]) -> Function:
    """An operation that is NULL as soon as one of its arguments is, and only then."""

    def operation(*arguments: Values) -> Values:
        return Values(function(*[a.array for a in arguments]), reduce(np.logical_and, [a.valid for a in arguments]))

    return operation


def _divide(left: Values, right: Values) -> Values:
    return Values(left.array / right.array, left.valid & right.valid & (right.array != 0))


def _ln(argument: Values) -> Values:
    return Values(np.log(argument.array), argument.valid & ~(argument.array <= 0))


def _power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    # C says that 1 to whatever power is 1, and -1 to an infinite one, too; Java does not.
    unsure = np.isnan(exponent) | (np.isinf(exponent) & (np.abs(base) == 1))
    return np.where(unsure, np.nan, np.power(base, exponent))


def _floor(argument: Values) -> Values:
    whole = np.floor(argument.array) + 0.0  # + 0.0: there is no -0
    return Values(whole, argument.valid & (np.abs(whole) <= BIGINT))


def _ceil(argument: Values) -> Values:
    whole = np.ceil(argument.array) + 0.0
    return Values(whole, argument.valid & (np.abs(whole) <= BIGINT))


def _less(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray((left < right) | (np.isnan(right) & ~np.isnan(left)))


def _equal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind != right.dtype.kind:  # one of them is NULL throughout
        return np.zeros(len(left), dtype=bool)
    same: np.ndarray = np.asarray(left == right, dtype=bool)
    return same | (np.isnan(left) & np.isnan(right)) if left.dtype.kind == "f" else same


def _least(*arguments: Values) -> Values:
    return reduce(lambda one, other: _chosen(one, other, _less(other.array, one.array)), arguments)


def _greatest(*arguments: Values) -> Values:
    return reduce(lambda one, other: _chosen(one, other, _less(one.array, other.array)), arguments)


def _coalesce(*arguments: Values) -> Values:
    return reduce(lambda one, other: _chosen(one, other, np.False_), arguments)


def _chosen(one: Values, other: Values, better: np.ndarray | np.bool_) -> Values:
    """The other where it is better, or the only one that is not NULL."""
    take = other.valid & (~one.valid | better)
    return Values(np.where(take, other.array, one.array), one.valid | other.valid)


def _if(condition: Values, one: Values, other: Values) -> Values:
    holds = condition.truth
    return Values(np.where(holds, one.array, other.array), np.where(holds, one.valid, other.valid))


def _and(*arguments: Values) -> Values:
    return _not(_or(*map(_not, arguments)))


def _or(*arguments: Values) -> Values:
    some = reduce(np.logical_or, [a.truth for a in arguments])
    return Values(some, some | reduce(np.logical_and, [a.valid for a in arguments]))


def _not(argument: Values) -> Values:
    return Values(~argument.truth, argument.valid)


def _is_null(argument: Values) -> Values:
    return Values(~argument.valid, np.ones(len(argument.valid), dtype=bool))


OPERATIONS: Mapping[str, Function] = {
    "+": _strict(np.add),
    "-": _strict(np.subtract),
    "*": _strict(np.multiply),
    "/": _divide,
    "negative": _strict(np.negative),
    "abs": _strict(np.abs),
    "sqrt": _strict(np.sqrt),
    "exp": _strict(np.exp),
    "ln": _ln,
    "power": _strict(_power),
    "floor": _floor,
    "ceil": _ceil,
    "least": _least,
    "greatest": _greatest,
    "coalesce": _coalesce,
    "if": _if,
    "=": _strict(_equal),
    "!=": _strict(lambda a, b: ~_equal(a, b)),
    "<": _strict(_less),
    "<=": _strict(lambda a, b: ~_less(b, a)),
    ">": _strict(lambda a, b: _less(b, a)),
    ">=": _strict(lambda a, b: ~_less(a, b)),
    "and": _and,
    "or": _or,
    "not": _not,
    "is null": _is_null,
}

STRICT = frozenset({"+", "-", "*", "/", "negative", "abs", "sqrt", "exp", "ln", "power", "floor", "ceil"})
