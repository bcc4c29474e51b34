"""The operations of expressions on columns of values, with the semantics of Spark SQL on doubles.

A NULL argument makes the result NULL, except for `coalesce`, `if`, `and`, `or`, `is null`, and `least` and `greatest`,
which skip it. Operations that fail in Spark's ANSI mode return NULL, like Spark's `try_divide`: division by zero, and
`floor` and `ceil` outside the range of bigint (including NaN). Otherwise results are those of Spark: `ln` of zero and
negative numbers is NULL, `sqrt` of a negative number is NaN, overflow is infinity, NaN equals itself and is above every
number. `exp`, `ln` and `power` may differ from Spark in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np

BIGINT = 2.0**63  # the largest, as a double


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """A column of doubles, booleans or text (as objects). Rows that are not `valid` are NULL."""

    array: np.ndarray
    valid: np.ndarray

    @classmethod
    def constant(cls, value: float | str | bool | None, rows: int) -> Values:
        """Return a column with the same value in every row; NULL has the type double."""
        one: np.ndarray = np.array(np.nan if value is None else value, dtype=_DTYPES.get(type(value), np.float64))
        return cls(np.broadcast_to(one, rows), np.broadcast_to(np.bool_(value is not None), rows))

    @property
    def truth(self) -> np.ndarray:
        """The rows with the value true, neither false nor NULL."""
        holds: np.ndarray = self.valid & self.array.astype(bool, copy=False)
        return holds


_DTYPES: Mapping[type, type] = {str: np.object_, bool: np.bool_}

Operator = Callable[..., Values]


def _strict(function: Callable[..., np.ndarray]) -> Operator:
    """Return an operation that is NULL exactly if one of its arguments is NULL."""

    def operation(*arguments: Values) -> Values:
        return Values(function(*[a.array for a in arguments]), reduce(np.logical_and, [a.valid for a in arguments]))

    return operation


def _divide(left: Values, right: Values) -> Values:
    return Values(left.array / right.array, left.valid & right.valid & (right.array != 0))


def _ln(argument: Values) -> Values:
    return Values(np.log(argument.array), argument.valid & ~(argument.array <= 0))


def _power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    # In C, 1 to any power is 1, and so is -1 to an infinite power; in Java these are NaN.
    java_nan = np.isnan(exponent) | (np.isinf(exponent) & (np.abs(base) == 1))
    return np.where(java_nan, np.nan, np.power(base, exponent))


def _floor(argument: Values) -> Values:
    whole = np.floor(argument.array) + 0.0  # + 0.0 turns -0.0 into 0.0
    return Values(whole, argument.valid & (np.abs(whole) <= BIGINT))


def _ceil(argument: Values) -> Values:
    whole = np.ceil(argument.array) + 0.0
    return Values(whole, argument.valid & (np.abs(whole) <= BIGINT))


def _less(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.asarray((left < right) | (np.isnan(right) & ~np.isnan(left)))


def _equal(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    if left.dtype.kind != right.dtype.kind:  # one of them is a constant NULL
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
    """Return `other` where it is better or `one` is NULL."""
    take = other.valid & (~one.valid | better)
    return Values(np.where(take, other.array, one.array), one.valid | other.valid)


def _if(condition: Values, one: Values, other: Values) -> Values:
    holds = condition.truth
    return Values(np.where(holds, one.array, other.array), np.where(holds, one.valid, other.valid))


def _and(*arguments: Values) -> Values:
    return _not(_or(*map(_not, arguments)))


def _or(*arguments: Values) -> Values:
    any_true = reduce(np.logical_or, [a.truth for a in arguments])
    return Values(any_true, any_true | reduce(np.logical_and, [a.valid for a in arguments]))


def _not(argument: Values) -> Values:
    return Values(~argument.truth, argument.valid)


def _is_null(argument: Values) -> Values:
    return Values(~argument.valid, np.ones(len(argument.valid), dtype=bool))


OPERATIONS: Mapping[str, Operator] = {
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
