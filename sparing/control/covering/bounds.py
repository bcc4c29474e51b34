"""Bounds of scores for all publications at once, to prove which of two subscriptions ranks higher.

The score of subscription i, wherever it is a number, is

    sum over j of coefficients[i, j] * symbol j  +  a value from low[i] to high[i].

A symbol is a field, a part of the expression without attributes, or a product of two of these. For one publication it
is the same for all subscriptions, so it cancels out when two scores are compared. Other parts that depend on both the
publication and the subscription, such as `abs(price - subscription.limit)`, are bounded by interval arithmetic over the
subscription's box.

A score that is NULL or NaN ranks as minus infinity (`sparing.model.expression.scores`). NULL comes from missing
attributes (the score is never a number), from a missing field or a symbol that divides by zero (then all scores are
NULL, if the expression is strict), or from the publication and the subscription together (then `low` is minus
infinity). A value that may be NaN or infinite is unbounded and proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparing.control.covering.intervals import Known, Range, known_field, known_range, never_missing
from sparing.control.covering.ranked_boxes import ScoreForms
from sparing.model.box import Box
from sparing.model.expression import (
    Constant,
    Expression,
    Operation,
    Values,
    attributes_of,
    evaluate,
    fields_of,
    parts_of,
    scores,
    sql,
)
from sparing.model.operations import STRICT
from sparing.model.types import FieldType

_TINY = 1e-300  # smaller values may have been rounded away
_SMALLEST, _LARGEST = 1e-290, 1e300  # beyond, coefficients or their differences may have lost digits
_MOST_TERMS = 16


@dataclass(frozen=True, eq=False)
class ScoreAnalysis:
    """The scores of n subscriptions as linear forms of m symbols; see the module for the formula.

    `symbol_low` and `symbol_high` bound the symbols for publications in the subscription's box and the advertised one;
    they are infinite without a bound, or if the symbol may be NaN. `magnitude` bounds every term and intermediate
    result, for a margin against rounding. Subscriptions of the same `score_class` have equal scores for every
    publication. `missing`: a field or symbol may be NULL. If a score is never a number, `low` and `high` are minus
    infinity and the rest is zero.

    `static`: scores do not depend on the publication, `low` and `high` are the score. `strict`: if a field or symbol is
    NULL, so is every score.
    """

    symbols: tuple[Expression, ...]
    coefficients: np.ndarray  # [n, m], as are the bounds of symbols
    symbol_low: np.ndarray
    symbol_high: np.ndarray
    low: np.ndarray  # [n], as are the following
    high: np.ndarray
    magnitude: np.ndarray
    score_class: np.ndarray  # int32
    missing: np.ndarray  # bool
    static: bool
    strict: bool

    @property
    def forms(self) -> ScoreForms:
        """The arrays for compiled code."""
        return ScoreForms(**{name: getattr(self, name) for name in ScoreForms._fields})


def analyze_scores(
    expression: Expression,
    boxes: Sequence[Box],
    advertised: Box,
    types: Mapping[str, FieldType],
    attributes: Mapping[str, Values],
) -> ScoreAnalysis:
    """Return the scores of subscriptions with these boxes and attributes, for publications in the advertised box."""
    with np.errstate(all="ignore"):
        if fields_of(expression):
            return _Analyzer(expression, boxes, advertised, types, attributes).analysis()
        score = scores(expression, {}, attributes, len(boxes))
        none, nowhere = np.zeros((len(boxes), 0)), np.zeros(len(boxes), dtype=bool)
        score_class = _score_classes(expression, attributes, len(boxes))
        return ScoreAnalysis(
            (), none, none, none, score, score, np.abs(score), score_class, nowhere, static=True, strict=True
        )


def _score_classes(expression: Expression, attributes: Mapping[str, Values], rows: int) -> np.ndarray:
    """Return numbers that are equal for rows with equal attributes in the expression."""
    found = np.zeros(rows, dtype=np.int64)
    for name in sorted(attributes_of(expression) & attributes.keys()):
        array, valid = attributes[name].array, attributes[name].valid
        if array.dtype.kind == "f":
            array = np.ascontiguousarray(array).view(np.int64)  # distinguishes -0.0 from 0.0, whose powers differ
        value = np.zeros(rows, dtype=np.int64)
        value[valid] = np.unique(array[valid], return_inverse=True)[1] + 1
        found = np.unique(found * (rows + 1) + value, return_inverse=True)[1]
    return found.astype(np.int32)


def _is_strict(expression: Expression) -> bool:
    """Return whether every operation on a field is NULL if one of its arguments is."""
    operations = (part for part in parts_of(expression) if isinstance(part, Operation))
    return all(operation.name in STRICT for operation in operations if fields_of(operation))


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """The form of a part of an expression: coefficients by symbol (None: the constant 1), and the range of the rest."""

    terms: Mapping[Expression | None, np.ndarray]
    magnitude: np.ndarray
    undefined: np.ndarray  # may be NULL or NaN without a NULL symbol
    no_number: np.ndarray  # is never a number
    rest: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def constant(self) -> np.ndarray | None:
        """The value, if it does not depend on the publication; otherwise None."""
        return self.terms[None] if self.rest is None and self.terms.keys() == {None} else None


class _Analyzer:
    """The analysis of one expression over many subscriptions."""

    def __init__(
        self,
        expression: Expression,
        boxes: Sequence[Box],
        advertised: Box,
        types: Mapping[str, FieldType],
        attributes: Mapping[str, Values],
    ) -> None:
        self.expression = expression
        self.attributes = attributes
        self.rows = len(boxes)
        self.strict = _is_strict(expression)
        self.nowhere = np.zeros(self.rows, dtype=bool)
        self.missing = self.nowhere
        self.fields: dict[str, Known] = {}
        for field in fields_of(expression):
            found = known_field(field, types[field], boxes, advertised)
            if self.strict:  # with a missing field, every score is NULL
                self.missing = self.missing | found.null
                found = never_missing(found)
            self.fields[field] = found
        self.symbols: dict[Expression, Range] = {}
        self.products: set[Expression] = set()

    def analysis(self) -> ScoreAnalysis:
        whole = self.sum_of(self.expression)
        nothing = np.zeros(self.rows)
        symbols = tuple(symbol for symbol in whole.terms if symbol is not None)
        ranges = [self.range_of(symbol) for symbol in symbols]
        empty = np.zeros((self.rows, 0))
        coefficients = np.column_stack([empty, *[whole.terms[symbol] for symbol in symbols]])
        coefficients[whole.no_number] = 0.0
        low, high = whole.rest or (nothing, nothing)
        constant = whole.terms.get(None, nothing)
        low = np.where(whole.no_number | whole.undefined, -np.inf, constant + low)
        high = np.where(whole.no_number, -np.inf, constant + high)
        lost = np.isnan(whole.magnitude) | ~(np.abs(coefficients) < _LARGEST).all(axis=1)
        magnitude = np.where(whole.no_number, 0.0, np.where(lost, np.inf, whole.magnitude))
        missing = np.logical_or.reduce([self.missing, *[found.null for found in ranges]])
        return ScoreAnalysis(
            symbols,
            coefficients,
            np.column_stack([empty, *[found.low for found in ranges]]),
            np.column_stack([empty, *[found.high for found in ranges]]),
            np.where(np.isnan(low), -np.inf, low),
            np.where(np.isnan(high), np.inf, high),
            magnitude,
            _score_classes(self.expression, self.attributes, self.rows),
            missing & ~whole.no_number,
            static=False,
            strict=self.strict,
        )

    # Parts of the expression

    def sum_of(self, part: Expression) -> _Form:
        """Return the form of a part."""
        if not fields_of(part):
            return self.fixed(part)
        if not attributes_of(part):
            return self.symbol(part)
        assert isinstance(part, Operation)
        arguments = part.arguments
        found: _Form | None = None
        match part.name:
            case "+":
                found = self.added(self.sum_of(arguments[0]), self.sum_of(arguments[1]))
            case "-":
                found = self.added(self.sum_of(arguments[0]), self.negative(self.sum_of(arguments[1])))
            case "negative":
                found = self.negative(self.sum_of(arguments[0]))
            case "*":
                found = self.multiplied(self.sum_of(arguments[0]), self.sum_of(arguments[1]))
            case "power" if arguments[1] == Constant(2.0):
                base = self.sum_of(arguments[0])
                found = self.multiplied(base, base)
            case "/":
                found = self.divided(arguments[0], arguments[1])
            case "if":
                found = self.chosen(*arguments)
        return self.range(part) if found is None else found

    def fixed(self, part: Expression) -> _Form:
        """Return the form of a part that does not depend on the publication."""
        found = evaluate(part, {}, self.attributes, self.rows)
        good = found.valid & ~np.isnan(found.array)
        value = np.where(good, found.array, 0.0)
        return _Form({None: value}, np.abs(value) + _TINY, self.nowhere, ~good)

    def symbol(self, part: Expression) -> _Form:
        """Return the form of a part that does not depend on the subscription."""
        found = self.range_of(part)
        magnitude = np.maximum(np.abs(found.low), np.abs(found.high)) + _TINY
        return _Form({part: np.ones(self.rows)}, magnitude, self.nowhere, self.nowhere)

    def range(self, part: Expression) -> _Form:
        """Return the form of any other part: its range."""
        found = known_range(part, self.fields, self.attributes, self.rows)
        low, high = np.where(found.empty, 0.0, found.low), np.where(found.empty, 0.0, found.high)
        magnitude = np.maximum(np.abs(low), np.abs(high)) + _TINY
        return _Form({}, magnitude, found.null | found.nan, found.empty, (low, high))

    def range_of(self, symbol: Expression) -> Range:
        """Return the range of a symbol, unbounded if it may be NaN, and wide enough for a product before rounding."""
        if symbol not in self.symbols:
            found = known_range(symbol, self.fields, self.attributes, self.rows)
            unbounded = found.nan | found.empty
            low, high = np.where(unbounded, -np.inf, found.low), np.where(unbounded, np.inf, found.high)
            if isinstance(symbol, Operation):
                low, high = np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
            self.symbols[symbol] = replace(found, low=low, high=high)
        return self.symbols[symbol]

    # Operations on forms

    def added(self, one: _Form, other: _Form) -> _Form:
        terms = dict(one.terms)
        for symbol, coefficient in other.terms.items():
            terms[symbol] = terms[symbol] + coefficient if symbol in terms else coefficient
        rest = one.rest or other.rest
        if one.rest is not None and other.rest is not None:
            rest = one.rest[0] + other.rest[0], one.rest[1] + other.rest[1]
        undefined, no_number = one.undefined | other.undefined, one.no_number | other.no_number
        return _Form(terms, one.magnitude + other.magnitude, undefined, no_number, rest)

    def negative(self, one: _Form) -> _Form:
        rest = None if one.rest is None else (-one.rest[1], -one.rest[0])
        return replace(one, terms={symbol: -coefficient for symbol, coefficient in one.terms.items()}, rest=rest)

    def multiplied(self, one: _Form, other: _Form) -> _Form | None:
        """Return the product term by term; None with too many terms or a product of more than two symbols."""
        if other.constant is not None:
            one, other = other, one
        if (one.rest or other.rest) and one.constant is None:
            return None
        if len(one.terms) * len(other.terms) > _MOST_TERMS:
            return None
        magnitude = one.magnitude * other.magnitude + _TINY
        terms: dict[Expression | None, np.ndarray] = {}
        for symbol, coefficient in one.terms.items():
            for other_symbol, other_coefficient in other.terms.items():
                both = self.product(symbol, other_symbol)
                if both is None and (symbol or other_symbol):
                    return None
                value = coefficient * other_coefficient
                lost = (np.abs(value) < _SMALLEST) & (coefficient != 0) & (other_coefficient != 0)
                magnitude = np.where(lost, np.inf, magnitude)
                terms[both] = terms[both] + value if both in terms else value
        rest = None
        if other.rest is not None and one.constant is not None:
            ends = [one.constant * end for end in other.rest]
            rest = np.minimum(*ends), np.maximum(*ends)
        return _Form(terms, magnitude, one.undefined | other.undefined, one.no_number | other.no_number, rest)

    def product(self, one: Expression | None, other: Expression | None) -> Expression | None:
        """Return the product of two symbols; None for two constants or a product of more than two symbols."""
        if one is None or other is None:
            return one or other
        if {one, other} & self.products:
            return None
        both = Operation("*", tuple(sorted((one, other), key=sql)))
        self.products.add(both)
        self.range_of(both)
        return both

    def divided(self, one: Expression, other: Expression) -> _Form | None:
        """Return the quotient; None if the divisor depends on both the publication and the subscription."""
        if attributes_of(other) and fields_of(other):
            return None
        if fields_of(other):
            return self.multiplied(self.sum_of(one), self.symbol(Operation("/", (Constant(1.0), other))))
        divisor = self.fixed(other)
        value = divisor.terms[None]
        inverse = 1.0 / np.where(value == 0, 1.0, value)
        lost = ~((np.abs(inverse) > _SMALLEST) & (np.abs(inverse) < _LARGEST))
        magnitude = np.where(lost, np.inf, np.abs(inverse) + _TINY)
        return self.multiplied(
            self.sum_of(one), _Form({None: inverse}, magnitude, self.nowhere, divisor.no_number | (value == 0))
        )

    def chosen(self, condition: Expression, one: Expression, other: Expression) -> _Form | None:
        """Return one of two forms; None if the condition depends on both the publication and the subscription."""
        if attributes_of(condition) and fields_of(condition):
            return None
        first, second = self.sum_of(one), self.sum_of(other)
        if not fields_of(condition):
            return self.selected(evaluate(condition, {}, self.attributes, self.rows).truth, first, second)
        # The second, plus the difference to the first if the condition holds.
        holds = self.symbol(Operation("if", (condition, Constant(1.0), Constant(0.0))))
        change = self.added(first, self.negative(second))
        part = self.multiplied(holds, change)
        if part is None:
            return None
        found = self.added(second, part)
        return replace(
            found,
            undefined=first.undefined | second.undefined | first.no_number | second.no_number,
            no_number=first.no_number & second.no_number,
        )

    def selected(self, truth: np.ndarray, one: _Form, other: _Form) -> _Form:
        """Return the first form in rows where `truth` holds, otherwise the second."""
        nothing = np.zeros(self.rows)
        symbols = dict.fromkeys((*one.terms, *other.terms))
        rest = None
        if one.rest or other.rest:
            ends = zip(one.rest or (nothing, nothing), other.rest or (nothing, nothing), strict=True)
            low, high = (np.where(truth, end, other_end) for end, other_end in ends)
            rest = low, high
        return _Form(
            {s: np.where(truth, one.terms.get(s, nothing), other.terms.get(s, nothing)) for s in symbols},
            np.where(truth, one.magnitude, other.magnitude),
            np.where(truth, one.undefined, other.undefined),
            np.where(truth, one.no_number, other.no_number),
            rest,
        )
