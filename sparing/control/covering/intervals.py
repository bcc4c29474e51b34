"""Interval arithmetic: the possible values of an expression for all publications in a subscription's box.

Every result is a column with one row per subscription. A range contains the results of `evaluate`, not those of exact
arithmetic: sums, products, quotients and roots of doubles are monotonic, so they are applied to the ends; `exp`, `ln`
and `power` may not be in the last digits, so their ranges are widened a little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from sparing.model.box import Box
from sparing.model.constraint import Constraint
from sparing.model.expression import Expression, Field, Operation, Values, evaluate, fields_of, number
from sparing.model.operations import BIGINT, OPERATIONS
from sparing.model.types import FieldType, Kind, code_float, float_code

_INFINITY_CODE = float_code(np.inf)
_EXACT_IN_DOUBLES = 1 << 53
_LARGEST = float(np.finfo(np.float64).max)
_SLACK = 1e-14  # more than the relative error of exp, ln and power


@dataclass(frozen=True, slots=True, eq=False)
class Range:
    """A number from `low` to `high` (none if low > high), or NaN if `nan`, or NULL if `null`."""

    low: np.ndarray
    high: np.ndarray
    nan: np.ndarray
    null: np.ndarray

    @property
    def empty(self) -> np.ndarray:
        """Rows that are never a number (NaN is none)."""
        return np.asarray(self.low > self.high)

    @property
    def present(self) -> np.ndarray:
        """Where it may be something other than NULL."""
        return np.asarray(~self.empty | self.nan)


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The possible truth values: `true`, `false` and `null`."""

    true: np.ndarray
    false: np.ndarray
    null: np.ndarray

    @property
    def present(self) -> np.ndarray:
        """Where it may be something other than NULL."""
        return np.asarray(self.true | self.false)


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """The text `known` if it is `sure`, otherwise any text; NULL if `null`."""

    known: np.ndarray
    sure: np.ndarray
    null: np.ndarray

    @property
    def present(self) -> np.ndarray:
        """Where it may be something other than NULL."""
        return np.asarray(~(self.sure & self.null))


Known = Range | Truth | Text


def known(expression: Expression, fields: Mapping[str, Known], attributes: Mapping[str, Values], rows: int) -> Known:
    """Return the possible values of an expression, in every row."""
    if not fields_of(expression):
        return _exactly(evaluate(expression, {}, attributes, rows))
    if isinstance(expression, Field):
        return fields[expression.name]
    assert isinstance(expression, Operation)
    arguments = expression.arguments
    if expression.name == "*" and arguments[0] == arguments[1]:  # a square does not depend on the sign
        arguments = (Operation("abs", arguments[:1]),) * 2
    return _RULES[expression.name](*[known(argument, fields, attributes, rows) for argument in arguments])


def known_range(
    expression: Expression, fields: Mapping[str, Known], attributes: Mapping[str, Values], rows: int
) -> Range:
    """Return the possible values of a numeric expression, in every row."""
    found = known(expression, fields, attributes, rows)
    assert isinstance(found, Range)
    return found


def known_field(field: str, kind: FieldType, boxes: Sequence[Box], advertised: Box) -> Known:
    """Return the possible values of a field in each box, for publications in the advertised box."""
    constraints = [box.on(field) for box in boxes]
    outer = advertised.on(field)
    null = np.array([constraint.missing for constraint in constraints], dtype=bool) & outer.missing
    if kind.kind is Kind.BOOLEAN:
        true, false = (
            np.array([c.admits(code) for c in constraints], dtype=bool) & outer.admits(code) for code in (1, 0)
        )
        return Truth(true, false, null)
    if kind.kind is Kind.TEXT:
        only = outer.point()
        points = np.array([constraint.point() if only is None else only for constraint in constraints], dtype=object)
        return Text(points, np.array([point is not None for point in points], dtype=bool), null)
    ends = np.array([_ends(constraint, kind) for constraint in constraints], dtype=np.float64).reshape(-1, 3).T
    outer_low, outer_high, outer_nan = _ends(outer, kind)
    low, high = np.maximum(ends[0], outer_low), np.minimum(ends[1], outer_high)
    apart = low > high  # nothing is ever published in the box
    nan = ends[2].astype(bool) & bool(outer_nan)
    return Range(np.where(apart, ends[0], low), np.where(apart, ends[1], high), nan, null)


def never_missing(found: Known) -> Known:
    """Return the possible values for publications that have the field."""
    return replace(found, null=np.zeros_like(found.null))


def _ends(constraint: Constraint, kind: FieldType) -> tuple[float, float, bool]:
    """Return the least and the greatest number that a constraint admits, and whether it admits NaN."""
    if not constraint.ranges:
        return np.inf, -np.inf, False
    (first, _), (_, end) = constraint.ranges[0], constraint.ranges[-1]
    assert not isinstance(first, str)
    assert not isinstance(end, str)
    if kind.kind is Kind.FLOATING:
        low = -np.inf if first is None else code_float(first) if first <= _INFINITY_CODE else np.inf
        high = np.inf if end is None or end > _INFINITY_CODE else code_float(end - 1)
        return low, high, end is None
    first = kind.low if first is None else first
    last = kind.high if end is None else end - 1
    low, high = number(kind, first), number(kind, last)
    if (
        abs(first) > _EXACT_IN_DOUBLES or abs(last) > _EXACT_IN_DOUBLES
    ):  # may be rounded twice in conversion to a double
        low, high = float(np.nextafter(low, -np.inf)), float(np.nextafter(high, np.inf))
    return low, high, False


def _exactly(values: Values) -> Known:
    """Return given values as possible values."""
    array, null = values.array, ~values.valid
    if array.dtype.kind == "b":
        return Truth(values.valid & array, values.valid & ~array, null)
    if array.dtype.kind == "O":
        return Text(array, np.ones(len(array), dtype=bool), null)
    nan = values.valid & np.isnan(array)
    no_number = null | nan
    return Range(np.where(no_number, np.inf, array), np.where(no_number, -np.inf, array), nan, null)


# Numbers

Ends = tuple[np.ndarray, np.ndarray]


def _strict(ends: Callable[..., Ends], nan: Callable[..., np.ndarray] | None = None) -> Callable[..., Range]:
    """Return the rule of an operation: the `ends` of its result, and `nan` where it is NaN without a NaN argument."""

    def rule(*arguments: Range) -> Range:
        low, high = ends(*arguments)
        empty = _any([argument.empty for argument in arguments])
        new = [] if nan is None else [nan(*arguments)]
        return Range(
            np.where(empty, np.inf, np.where(np.isnan(low), -np.inf, low)),
            np.where(empty, -np.inf, np.where(np.isnan(high), np.inf, high)),
            _any([*[argument.nan for argument in arguments], *new]),
            _any([argument.null for argument in arguments]),
        )

    return rule


def _any(flags: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(reduce(np.logical_or, flags))


def _all(flags: Sequence[np.ndarray]) -> np.ndarray:
    return np.asarray(reduce(np.logical_and, flags))


def _corners(operation: np.ufunc, a: Range, b: Range) -> Ends:
    """Return the ends of an operation that is monotonic in both arguments; 0 * inf and inf / inf count as 0."""
    found = [operation(one, other) for one in (a.low, a.high) for other in (b.low, b.high)]
    found = [np.where(np.isnan(corner), 0.0, corner) for corner in found]
    return reduce(np.minimum, found), reduce(np.maximum, found)


def _unbounded(a: Range) -> np.ndarray:
    return np.asarray(np.isinf(a.low) | np.isinf(a.high))


def _holds_zero(a: Range) -> np.ndarray:
    return np.asarray((a.low <= 0) & (a.high >= 0))


def _negative(a: Range) -> Range:
    return replace(a, low=-a.high, high=-a.low)


_add = _strict(
    lambda a, b: (a.low + b.low, a.high + b.high),
    nan=lambda a, b: (np.isneginf(a.low) & np.isposinf(b.high)) | (np.isposinf(a.high) & np.isneginf(b.low)),
)
_multiply = _strict(
    lambda a, b: _corners(np.multiply, a, b),
    nan=lambda a, b: (_holds_zero(a) & _unbounded(b)) | (_unbounded(a) & _holds_zero(b)),
)
_quotient = _strict(lambda a, b: _corners(np.divide, a, b), nan=lambda a, b: _unbounded(a) & _unbounded(b))


def _divide(a: Range, b: Range) -> Range:
    found, zero = _quotient(a, b), _holds_zero(b)
    only_zero = zero & (b.low == b.high)
    return Range(
        np.where(zero & ~found.empty, np.where(only_zero, np.inf, -np.inf), found.low),
        np.where(zero & ~found.empty, np.where(only_zero, -np.inf, np.inf), found.high),
        found.nan,
        found.null | zero,
    )


def _abs_ends(a: Range) -> Ends:
    low, high = np.abs(a.low), np.abs(a.high)
    return np.where(_holds_zero(a), 0.0, np.minimum(low, high)), np.maximum(low, high)


_abs = _strict(_abs_ends)


def _from(a: Range, least: float) -> Range:
    """Return the part of a range at or above a number."""
    return replace(a, low=np.where(a.empty, a.low, np.maximum(a.low, least)))


def _wider(low: np.ndarray, high: np.ndarray) -> Ends:
    low, high = np.minimum(low, _LARGEST), np.maximum(high, -_LARGEST)  # a rounded overflow may have been finite
    return low - np.abs(low) * _SLACK - 1e-320, high + np.abs(high) * _SLACK + 1e-320


def _sqrt(a: Range) -> Range:
    part = _from(a, 0.0)
    found = _strict(lambda a: (np.sqrt(a.low), np.sqrt(a.high)))(part)
    return replace(found, nan=found.nan | (~a.empty & (a.low < 0)))


def _ln(a: Range) -> Range:
    part = _from(a, 0.0)
    part = replace(part, low=np.where(part.high <= 0, np.inf, part.low))  # never positive: never a number
    found = _strict(lambda a: _wider(np.log(a.low), np.log(a.high)))(part)
    return replace(found, null=found.null | (~a.empty & (a.low <= 0)))


_exp = _strict(lambda a: _wider(np.exp(a.low), np.exp(a.high)))


def _power(a: Range, b: Range) -> Range:
    """Return bounds for bases at or above zero and for integer exponents; NaN to the power of zero is one."""
    power = OPERATIONS["power"]

    def corner(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
        valid = np.ones(len(base), dtype=bool)
        return power(Values(base, valid), Values(exponent, valid)).array

    whole = (b.low == b.high) & (np.floor(b.low) == b.low) & (b.low > 0) & (b.low < _EXACT_IN_DOUBLES)
    even = whole & (b.low % 2 == 0)
    small, large = _abs_ends(a)
    bases = np.where(even, small, a.low), np.where(even, large, a.high)
    plain = ((a.low > 0) | ((a.low >= 0) & (b.low > 0))) & ~_unbounded(a) & ~_unbounded(b)
    corners = [corner(one, other) for one in bases for other in (b.low, b.high)]
    low, high = _wider(reduce(np.minimum, corners), reduce(np.maximum, corners))
    low = np.where(even | plain, np.maximum(low, 0.0), low)
    surely = whole | plain
    ends = np.where(surely, low, -np.inf), np.where(surely, high, np.inf)
    found = _strict(lambda *_: ends, nan=lambda *_: ~surely)(a, b)
    one = a.nan & _holds_zero(b)
    return replace(
        found,
        low=np.where(one, np.minimum(found.low, 1.0), found.low),
        high=np.where(one, np.maximum(found.high, 1.0), found.high),
    )


def _rounded(rounding: np.ufunc) -> Callable[[Range], Range]:
    def rule(a: Range) -> Range:
        found = _strict(lambda a: (rounding(a.low), rounding(a.high)))(a)
        outside = ~found.empty & ((found.low < -BIGINT) | (found.high > BIGINT))
        low, high = np.maximum(found.low, -BIGINT), np.minimum(found.high, BIGINT)
        return Range(
            np.where(found.empty, found.low, low),
            np.where(found.empty, found.high, high),
            np.zeros_like(a.nan),
            a.null | a.nan | outside,
        )

    return rule


def _least(*arguments: Range) -> Range:
    """Skip NULL, and NaN unless all arguments are NaN or NULL."""
    sure = [~a.null & ~a.nan for a in arguments]
    bound = reduce(np.minimum, [np.where(s, a.high, np.inf) for s, a in zip(sure, arguments, strict=True)])
    return Range(
        reduce(np.minimum, [a.low for a in arguments]),
        np.where(_any(sure), bound, reduce(np.maximum, [a.high for a in arguments])),
        _all([a.nan | a.null for a in arguments]) & _any([a.nan for a in arguments]),
        _all([a.null for a in arguments]),
    )


def _greatest(*arguments: Range) -> Range:
    """Skip NULL; one NaN makes the result NaN."""
    sure = [~a.null & ~a.empty for a in arguments]
    bound = reduce(np.maximum, [np.where(s, a.low, -np.inf) for s, a in zip(sure, arguments, strict=True)])
    return Range(
        np.where(_any(sure), bound, reduce(np.minimum, [a.low for a in arguments])),
        reduce(np.maximum, [a.high for a in arguments]),
        _any([a.nan for a in arguments]),
        _all([a.null for a in arguments]),
    )


def _union(reached: Sequence[np.ndarray], ranges: Sequence[Range]) -> Range:
    """Return the union of the ranges that may be reached."""
    pairs = list(zip(reached, ranges, strict=True))
    return Range(
        reduce(np.minimum, [np.where(r, a.low, np.inf) for r, a in pairs]),
        reduce(np.maximum, [np.where(r, a.high, -np.inf) for r, a in pairs]),
        _any([r & a.nan for r, a in pairs]),
        _any([r & a.null for r, a in pairs]),
    )


def _coalesce(*arguments: Range) -> Range:
    reached = [
        _all([np.ones_like(arguments[0].null), *[a.null for a in arguments[:at]]]) for at in range(len(arguments))
    ]
    return replace(_union(reached, arguments), null=_all([a.null for a in arguments]))


def _if(condition: Known, one: Range, other: Range) -> Range:
    truth = _truth(condition)
    return _union([truth.true, truth.false | truth.null], [one, other])


# Truth values


def _truth(found: Known) -> Truth:
    """Return a condition as truth values; the literal NULL has the range of a number."""
    if isinstance(found, Truth):
        return found
    nowhere = np.zeros_like(found.null)
    return Truth(nowhere, nowhere, found.null)


def _equal(a: Known, b: Known) -> Truth:
    null = a.null | b.null
    if isinstance(a, Range) and isinstance(b, Range):
        points = (a.low == a.high) & (b.low == b.high)
        meet = (a.low <= b.high) & (b.low <= a.high) & ~a.empty & ~b.empty
        differ = ~a.empty & ~b.empty & ~(points & (a.low == b.low))
        return Truth(meet | (a.nan & b.nan), differ | (a.nan & ~b.empty) | (~a.empty & b.nan), null)
    if isinstance(a, Truth) and isinstance(b, Truth):
        return Truth((a.true & b.true) | (a.false & b.false), (a.true & b.false) | (a.false & b.true), null)
    if isinstance(a, Text) and isinstance(b, Text):
        both, sure = a.present & b.present, a.sure & b.sure
        same = np.asarray(a.known == b.known, dtype=bool)
        return Truth(both & (~sure | same), both & ~(sure & same), null)
    return _truth(Range(null, null, null, null))  # one of them is always NULL


def _less(a: Range, b: Range) -> Truth:
    both = ~a.empty & ~b.empty
    return Truth(
        (both & (a.low < b.high)) | (~a.empty & b.nan),
        (both & (a.high >= b.low)) | (a.nan & b.present),
        a.null | b.null,
    )


def _not(a: Known) -> Truth:
    truth = _truth(a)
    return Truth(truth.false, truth.true, truth.null)


def _or(*arguments: Known) -> Truth:
    truths = [_truth(argument) for argument in arguments]
    nulls = [truth.null for truth in truths]
    return Truth(
        _any([truth.true for truth in truths]),
        _all([truth.false for truth in truths]),
        _any(nulls) & _all([truth.false | truth.null for truth in truths]),
    )


def _and(*arguments: Known) -> Truth:
    return _not(_or(*map(_not, arguments)))


def _is_null(a: Known) -> Truth:
    return Truth(a.null, a.present, np.zeros_like(a.null))


_RULES: Mapping[str, Callable[..., Known]] = {
    "+": _add,
    "-": lambda a, b: _add(a, _negative(b)),
    "*": _multiply,
    "/": _divide,
    "negative": _negative,
    "abs": _abs,
    "sqrt": _sqrt,
    "exp": lambda a: _from(_exp(a), 0.0),
    "ln": _ln,
    "power": _power,
    "floor": _rounded(np.floor),
    "ceil": _rounded(np.ceil),
    "least": _least,
    "greatest": _greatest,
    "coalesce": _coalesce,
    "if": _if,
    "=": _equal,
    "!=": lambda a, b: _not(_equal(a, b)),
    "<": _less,
    "<=": lambda a, b: _not(_less(b, a)),
    ">": lambda a, b: _less(b, a),
    ">=": lambda a, b: _not(_less(a, b)),
    "and": _and,
    "or": _or,
    "not": _not,
    "is null": _is_null,
}
