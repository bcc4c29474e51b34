"""Literals: their values, and the comparison of fields with them.

A literal cuts the codes of a field's type in two places: at `low`, the least code whose value is >= the literal, and at
`above`, the least code whose value is > it. So `x < literal` is all codes below `low`, `x = literal` is `[low, above)`,
and so on, even if the type cannot represent the literal. Types are converted as in Spark's ANSI mode: whole numbers and
decimals are compared exactly, and if one side is a double (or float), both sides become doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import NoReturn

import numpy as np

from sparing.language.datetimes import MICROSECONDS_PER_DAY, days, microseconds
from sparing.language.errors import LanguageError
from sparing.language.syntax import Literal, LiteralKind
from sparing.model.types import NUMBERS, Code, FieldType, Kind, float_code, successor

Cut = tuple[Code, Code]

_MOST_DIGITS = 38  # of Spark's decimals
_MOST_DECIMALS = 18
_LARGE = 10**20
_WHOLE_SUFFIXES = {"Y": ("tinyint", 7), "S": ("smallint", 15), "L": ("bigint", 63)}
_EXACT_IN_DOUBLES = 1 << 53


def number(text: str, digits: str, start: int, end: int) -> Literal:
    """Return the literal of a number in SQL, with sign and suffix."""
    written = digits.upper()
    if written.endswith("BD"):
        return _decimal(text, written[:-2], start, end)
    suffix = written[-1]
    if suffix in _WHOLE_SUFFIXES:
        name, bits = _WHOLE_SUFFIXES[suffix]
        whole = written[:-1]
        if not whole.lstrip("-").isdigit():
            raise LanguageError(f"The suffix {suffix} is for whole numbers: remove it.", text, start, end)
        if len(whole) > 20 or not -(1 << bits) <= int(whole) < 1 << bits:
            raise LanguageError(f"This number is too large for a {name}.", text, start, end)
        return Literal(LiteralKind.EXACT, int(whole), start, end)
    if suffix in "DF":
        return _floating(text, written[:-1], suffix == "F", start, end)
    if "E" in written:
        return _floating(text, written, False, start, end)
    if "." in written or len(written) > _MOST_DIGITS:
        return _decimal(text, written, start, end)
    return Literal(LiteralKind.EXACT, int(written), start, end)


def _decimal(text: str, digits: str, start: int, end: int) -> Literal:
    mantissa, _, exponent = digits.partition("E")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    shift = int(exponent) if exponent and len(exponent) < 5 else 9999 if exponent else 0
    scale = len(fraction) - shift
    precision = max(len((whole + fraction).lstrip("0")) + max(0, -scale), scale)
    if precision > _MOST_DIGITS:
        raise LanguageError(f"A decimal can have at most {_MOST_DIGITS} digits.", text, start, end)
    return Literal(LiteralKind.EXACT, Decimal(digits), start, end)


def _floating(text: str, digits: str, single: bool, start: int, end: int) -> Literal:
    value = float(digits)
    if single:
        with np.errstate(over="ignore"):
            value = float(np.float32(digits))
    if math.isinf(value):
        raise LanguageError(f"This number is too large for a {'float' if single else 'double'}.", text, start, end)
    return Literal(LiteralKind.FLOATING, value, start, end)


def typed(text: str, word: str, literal: Literal, start: int, end: int) -> Literal:
    """Return the literal of `DATE '...'` or `TIMESTAMP '...'`."""
    written = str(literal.value)
    if word == "DATE":
        day = days(written)
        if day is None:
            _no_date(text, literal)
        return Literal(LiteralKind.DATE, day, start, end)
    moment = microseconds(written)
    if moment is None:
        _no_timestamp(text, literal)
    return Literal(LiteralKind.TIMESTAMP, moment, start, end)


def cast(text: str, word: str, literal: Literal, start: int, end: int) -> Literal:
    """Return the literal of `double('...')`, `date('...')` and similar casts, also with CAST."""
    if word in ("DATE", "TIMESTAMP"):
        return typed(text, word, literal, start, end)
    written = str(literal.value).strip().lower()
    if written == "nan":
        raise LanguageError(
            "Comparisons with NaN are not supported: NaN is above every number, so write > double('Infinity').",
            text,
            literal.start,
            literal.end,
        )
    if written.lstrip("+-") in ("inf", "infinity") and len(written.lstrip("+-")) >= len(written) - 1:
        value = -math.inf if written[0] == "-" else math.inf
        return Literal(LiteralKind.FLOATING, value, start, end)
    raise LanguageError("Only 'Infinity' and '-Infinity' can be cast: write the number itself.", text, start, end)


def _no_date(text: str, literal: Literal) -> NoReturn:
    raise LanguageError("This is not a date: write one as '2026-01-31'.", text, literal.start, literal.end)


def _no_timestamp(text: str, literal: Literal) -> NoReturn:
    raise LanguageError(
        "This is not a timestamp: write one as '2026-01-31 12:30:00', optionally with Z or an offset such as +02:00.",
        text,
        literal.start,
        literal.end,
    )


def cut(text: str, field: str, type_: FieldType, literal: Literal, as_double: bool = False) -> Cut:
    """Return the two places where a literal other than NULL cuts a field's codes; `as_double` compares as doubles."""
    code: Code
    match type_.kind, literal.kind:
        case Kind.WHOLE | Kind.DECIMAL, LiteralKind.EXACT if not as_double:
            _check_decimals(text, literal)
            return _exact_cut(type_, literal.value)
        case Kind.WHOLE | Kind.DECIMAL, LiteralKind.EXACT | LiteralKind.FLOATING:
            return _double_cut(type_, float(literal.value))
        case Kind.FLOATING, LiteralKind.EXACT | LiteralKind.FLOATING:
            code = float_code(float(literal.value))
        case (Kind.TEXT, LiteralKind.TEXT) | (Kind.BOOLEAN, LiteralKind.BOOLEAN):
            code = type_.code(literal.value)
        case Kind.DATE, LiteralKind.TEXT:
            code = typed(text, "DATE", literal, literal.start, literal.end).value
        case Kind.TIMESTAMP, LiteralKind.TEXT:
            code = typed(text, "TIMESTAMP", literal, literal.start, literal.end).value
        case (Kind.DATE, LiteralKind.DATE) | (Kind.TIMESTAMP, LiteralKind.TIMESTAMP):
            code = literal.value
        case Kind.TIMESTAMP, LiteralKind.DATE:
            code = literal.value * MICROSECONDS_PER_DAY
        case Kind.DATE, LiteralKind.TIMESTAMP:  # a date is compared as its midnight
            day, rest = divmod(literal.value, MICROSECONDS_PER_DAY)
            return (day + 1 if rest else day), day + 1
        case _:
            hint = ""
            if literal.kind is LiteralKind.TEXT and type_.kind in NUMBERS:
                hint = ": remove the quotes"
            elif literal.kind in (LiteralKind.EXACT, LiteralKind.FLOATING) and type_.kind is Kind.TEXT:
                hint = ": put it in quotes"
            raise LanguageError(
                f"{field} is {type_} and cannot be compared with {literal.kind.value}{hint}.",
                text,
                literal.start,
                literal.end,
            )
    return code, successor(code)


def _check_decimals(text: str, literal: Literal) -> None:
    """Reject more decimals than Spark keeps: beside a bigint, 20 of the 38 digits are needed for the whole part."""
    value = literal.value
    if isinstance(value, Decimal) and (Fraction(value) * 10**_MOST_DECIMALS).denominator != 1:
        raise LanguageError(
            f"A number can have at most {_MOST_DECIMALS} decimals here.", text, literal.start, literal.end
        )


def check_list(text: str, field: str, type_: FieldType, literals: list[Literal]) -> None:
    """Reject numbers so large that Spark, with one decimal type per list, would round the others."""
    for literal in literals:
        if (
            type_.kind in (Kind.WHOLE, Kind.DECIMAL)
            and literal.kind is LiteralKind.EXACT
            and abs(literal.value) >= _LARGE
        ):
            raise LanguageError(
                f"No value of {field} is this large: remove it from the list.", text, literal.start, literal.end
            )


def _exact_cut(type_: FieldType, value: int | Decimal) -> Cut:
    if isinstance(value, int):
        code = value * 10**type_.scale
        return code, code + 1
    return type_.at_least(value), 1 - type_.at_least(-value)


def _double_cut(type_: FieldType, value: float) -> Cut:
    """Return the cut of values compared as the nearest doubles; several large values can have the same double."""
    if type_.scale == 0 and type_.high <= _EXACT_IN_DOUBLES and math.isfinite(value):
        return math.ceil(value), math.floor(value) + 1
    unit = 10**type_.scale
    # Rounding preserves the order, so binary search works.
    return (
        _first(type_, lambda code: code / unit >= value),
        _first(type_, lambda code: code / unit > value),
    )


def _first(type_: FieldType, reached: Callable[[int], bool]) -> int:
    low, high = type_.low, type_.high + 1
    while low < high:
        middle = (low + high) // 2
        if reached(middle):
            high = middle
        else:
            low = middle + 1
    return low
