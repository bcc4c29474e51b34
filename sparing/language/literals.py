"""Literals: what they say, and where they cut the values of a field.

A literal cuts the codes of a field's type in two places: at `low`, the least code whose value is >= the literal, and
at `above`, the least whose value is > it. So `x < literal` is everything below `low`, `x = literal` is `[low, above)`,
and so on, also where the type cannot hold the literal itself. Which of the two is converted to the other's type is
Spark's rule in ANSI mode: whole numbers and decimals compare exactly, and as soon as a double (or float) takes part,
both sides become doubles.
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
    """The literal of a number as written, with its sign and suffix."""
    written = digits.upper()
    if written.endswith("BD"):
        return _decimal(text, written[:-2], start, end)
    suffix = written[-1]
    if suffix in _WHOLE_SUFFIXES:
        name, bits = _WHOLE_SUFFIXES[suffix]
        whole = written[:-1]
        if not whole.lstrip("-").isdigit():
            raise LanguageError(f"The suffix {suffix} is for whole numbers.", text, start, end)
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
        raise LanguageError(f"A decimal has at most {_MOST_DIGITS} digits.", text, start, end)
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
    """`DATE '...'` and `TIMESTAMP '...'`."""
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
    """`double('...')`, `date('...')` and the like, or the same with CAST."""
    if word in ("DATE", "TIMESTAMP"):
        return typed(text, word, literal, start, end)
    written = str(literal.value).strip().lower()
    if written == "nan":
        raise LanguageError(
            "NaN cannot be compared with: it is above every number, so write > double('Infinity') to find it.",
            text,
            literal.start,
            literal.end,
        )
    if written.lstrip("+-") in ("inf", "infinity") and len(written.lstrip("+-")) >= len(written) - 1:
        value = -math.inf if written[0] == "-" else math.inf
        return Literal(LiteralKind.FLOATING, value, start, end)
    raise LanguageError("Only 'Infinity' and '-Infinity' need a cast: write the number itself.", text, start, end)


def _no_date(text: str, literal: Literal) -> NoReturn:
    raise LanguageError("This is not a date: write one as '2026-01-31'.", text, literal.start, literal.end)


def _no_timestamp(text: str, literal: Literal) -> NoReturn:
    raise LanguageError(
        "This is not a timestamp: write one as '2026-01-31 12:30:00', with Z or an offset such as +02:00 if need be.",
        text,
        literal.start,
        literal.end,
    )


def cut(text: str, field: str, kind: FieldType, literal: Literal, as_double: bool = False) -> Cut:
    """Where a literal, not NULL, cuts the codes of a field; `as_double` if it is compared as one whatever it is."""
    code: Code
    match kind.kind, literal.kind:
        case Kind.WHOLE | Kind.DECIMAL, LiteralKind.EXACT if not as_double:
            _check_decimals(text, literal)
            return _exact_cut(kind, literal.value)
        case Kind.WHOLE | Kind.DECIMAL, LiteralKind.EXACT | LiteralKind.FLOATING:
            return _double_cut(kind, float(literal.value))
        case Kind.FLOATING, LiteralKind.EXACT | LiteralKind.FLOATING:
            code = float_code(float(literal.value))
        case (Kind.TEXT, LiteralKind.TEXT) | (Kind.BOOLEAN, LiteralKind.BOOLEAN):
            code = kind.code(literal.value)
        case Kind.DATE, LiteralKind.TEXT:
            code = typed(text, "DATE", literal, literal.start, literal.end).value
        case Kind.TIMESTAMP, LiteralKind.TEXT:
            code = typed(text, "TIMESTAMP", literal, literal.start, literal.end).value
        case (Kind.DATE, LiteralKind.DATE) | (Kind.TIMESTAMP, LiteralKind.TIMESTAMP):
            code = literal.value
        case Kind.TIMESTAMP, LiteralKind.DATE:
            code = literal.value * MICROSECONDS_PER_DAY
        case Kind.DATE, LiteralKind.TIMESTAMP:  # a date stands for its midnight
            day, rest = divmod(literal.value, MICROSECONDS_PER_DAY)
            return (day + 1 if rest else day), day + 1
        case _:
            hint = ""
            if literal.kind is LiteralKind.TEXT and kind.kind in NUMBERS:
                hint = ": leave out the quotes"
            elif literal.kind in (LiteralKind.EXACT, LiteralKind.FLOATING) and kind.kind is Kind.TEXT:
                hint = ": put it in quotes"
            raise LanguageError(
                f"{field} is {kind} and cannot be compared with {literal.kind.value}{hint}.",
                text,
                literal.start,
                literal.end,
            )
    return code, successor(code)


def _check_decimals(text: str, literal: Literal) -> None:
    """Spark would round more decimals away beside a bigint, whose 20 digits have to fit into the 38 as well."""
    value = literal.value
    if isinstance(value, Decimal) and (Fraction(value) * 10**_MOST_DECIMALS).denominator != 1:
        raise LanguageError(
            f"A number may have at most {_MOST_DECIMALS} decimals here.", text, literal.start, literal.end
        )


def check_list(text: str, field: str, kind: FieldType, literals: list[Literal]) -> None:
    """Refuse numbers so large that Spark, making one decimal type of a list, would round the others."""
    for literal in literals:
        if (
            kind.kind in (Kind.WHOLE, Kind.DECIMAL)
            and literal.kind is LiteralKind.EXACT
            and abs(literal.value) >= _LARGE
        ):
            raise LanguageError(
                f"No value of {field} is this large: leave it out of the list.", text, literal.start, literal.end
            )


def _exact_cut(kind: FieldType, value: int | Decimal) -> Cut:
    if isinstance(value, int):
        code = value * 10**kind.scale
        return code, code + 1
    return kind.at_least(value), 1 - kind.at_least(-value)


def _double_cut(kind: FieldType, value: float) -> Cut:
    """The field's values become doubles: the nearest ones, so many large values may become the same."""
    if kind.scale == 0 and kind.high <= _EXACT_IN_DOUBLES and math.isfinite(value):
        return math.ceil(value), math.floor(value) + 1
    unit = 10**kind.scale
    # Rounding keeps the order, so the two places can be found by halving.
    return (
        _first(kind, lambda code: code / unit >= value),
        _first(kind, lambda code: code / unit > value),
    )


def _first(kind: FieldType, reached: Callable[[int], bool]) -> int:
    low, high = kind.low, kind.high + 1
    while low < high:
        middle = (low + high) // 2
        if reached(middle):
            high = middle
        else:
            low = middle + 1
    return low
