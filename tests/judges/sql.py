"""The slow and obvious judge of conditions: SQL's three-valued logic, value by value, as Spark compares them."""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

from sparing.model.types import FieldType, Kind

Truth = bool | None
Given = bool | Decimal | float | str | date | datetime | None  # a literal: Decimal if exact, float if a double


def both(a: Truth, b: Truth) -> Truth:
    """AND."""
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def either(a: Truth, b: Truth) -> Truth:
    """OR."""
    return negated(both(negated(a), negated(b)))


def negated(a: Truth) -> Truth:
    """NOT."""
    return None if a is None else not a


def order(a: Any, b: Any) -> int:
    """-1, 0 or 1, as Spark orders two values of one type."""
    if isinstance(a, float) and isinstance(b, float):
        a, b = (math.isnan(a), 0.0 if math.isnan(a) else a), (math.isnan(b), 0.0 if math.isnan(b) else b)
    elif isinstance(a, str):
        a, b = a.encode(), b.encode()
    return (a > b) - (a < b)


def compared(kind: FieldType, value: Any, op: str, given: Given) -> Truth:
    """`value op given` for a field of a type."""
    if value is None or given is None:
        return (value is None and given is None) if op == "<=>" else None
    left, right = _one_type(kind, value, given)
    sign = order(left, right)
    return {
        "=": sign == 0,
        "==": sign == 0,
        "<=>": sign == 0,
        "!=": sign != 0,
        "<>": sign != 0,
        "<": sign < 0,
        "<=": sign <= 0,
        ">": sign > 0,
        ">=": sign >= 0,
    }[op]


def _one_type(kind: FieldType, value: Any, given: Any) -> tuple[Any, Any]:
    if kind.kind in (Kind.WHOLE, Kind.DECIMAL, Kind.FLOATING):
        if kind.kind is Kind.FLOATING or isinstance(given, float):
            return float(value), float(given)
        return Fraction(value), Fraction(given)
    if kind.kind in (Kind.DATE, Kind.TIMESTAMP):
        return _moment(value), _moment(given)
    return value, given


def _moment(value: date | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time(), UTC)


def matches(value: str | None, pattern: str) -> Truth:
    """LIKE, with backslash as the escape."""
    if value is None:
        return None
    regex, at = "", 0
    while at < len(pattern):
        if pattern[at] == "\\":
            at += 1
            regex += re.escape(pattern[at])
        else:
            regex += {"%": ".*", "_": "."}.get(pattern[at], re.escape(pattern[at]))
        at += 1
    return re.fullmatch(regex, value, re.DOTALL) is not None
