"""Expressions over the fields of a publication and the attributes of a subscription, such as a score.

All numbers are doubles: whole numbers and decimals are rounded to the nearest double, dates are days and timestamps
seconds since 1970. `operations` defines the operations. `CASE` is a chain of `if`, `IS NOT NULL` is `not` of `is null`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sparing.model.names import quoted
from sparing.model.operations import OPERATIONS, Values
from sparing.model.types import STRING, Code, FieldType, Kind, code_float

__all__ = [
    "Attribute",
    "Constant",
    "Expression",
    "Field",
    "Operation",
    "Values",
    "attributes_of",
    "evaluate",
    "fields_of",
    "number",
    "parts_of",
    "scores",
    "sql",
]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text, boolean or NULL."""

    value: float | str | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the publication."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of the subscription; NULL if the subscription does not have it."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function by name, applied to its arguments."""

    name: str
    arguments: tuple[Expression, ...]


Expression = Constant | Field | Attribute | Operation


def parts_of(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all its subexpressions."""
    yield expression
    if isinstance(expression, Operation):
        for argument in expression.arguments:
            yield from parts_of(argument)


def fields_of(expression: Expression) -> set[str]:
    """Return the names of the fields in an expression."""
    return {part.name for part in parts_of(expression) if isinstance(part, Field)}


def attributes_of(expression: Expression) -> set[str]:
    """Return the names of the attributes in an expression."""
    return {part.name for part in parts_of(expression) if isinstance(part, Attribute)}


def evaluate(
    expression: Expression, fields: Mapping[str, Values], attributes: Mapping[str, Values], rows: int
) -> Values:
    """Return the values of an expression for pairs of a publication (`fields`) and a subscription (`attributes`).

    >>> weight = Values(np.array([1.0, 2.0, 0.0]), np.array([True, True, False]))
    >>> values = evaluate(Operation("*", (Constant(3.0), Attribute("weight"))), {}, {"weight": weight}, 3)
    >>> values.array[:2].tolist(), values.valid.tolist()
    ([3.0, 6.0], [True, True, False])
    """
    with np.errstate(all="ignore"):
        return _evaluate(expression, fields, attributes, rows)


def scores(
    expression: Expression, fields: Mapping[str, Values], attributes: Mapping[str, Values], rows: int
) -> np.ndarray:
    """Return the values of an expression as scores: NULL and NaN become minus infinity and rank last."""
    values = evaluate(expression, fields, attributes, rows)
    return np.where(values.valid & ~np.isnan(values.array), values.array, -np.inf)


def _evaluate(
    expression: Expression, fields: Mapping[str, Values], attributes: Mapping[str, Values], rows: int
) -> Values:
    match expression:
        case Constant(value):
            return Values.constant(value, rows)
        case Field(name):
            return fields[name]
        case Attribute(name):
            return attributes[name] if name in attributes else Values.constant(None, rows)
        case Operation(name, arguments):
            return OPERATIONS[name](*[_evaluate(argument, fields, attributes, rows) for argument in arguments])


def number(type_: FieldType, code: Code) -> float:
    """Return the double for the code of a number, date or timestamp.

    >>> from sparing.model.types import field_type
    >>> number(field_type("decimal(4,2)"), 150), number(field_type("timestamp"), 2_500_000)
    (1.5, 2.5)
    """
    assert isinstance(code, int)
    match type_.kind:
        case Kind.FLOATING:
            return code_float(code)
        case Kind.DECIMAL:
            return code / int(10**type_.scale)
        case Kind.TIMESTAMP:
            return code / 1_000_000
        case _:
            return float(code)


_INFIX = frozenset({"+", "-", "*", "=", "!=", "<", "<=", ">", ">=", "and", "or"})


def sql(expression: Expression) -> str:
    """Return the expression as Spark SQL over columns of doubles, booleans and text.

    Spark computes the same values, except for `floor` and `ceil` outside the range of bigint, which fail in ANSI mode.

    >>> sql(Operation("/", (Field("speed"), Attribute("usual"))))
    'try_divide(speed, subscription.usual)'
    """
    match expression:
        case Constant(value):
            return _literal(value)
        case Field(name):
            return quoted(name)
        case Attribute(name):
            return f"subscription.{quoted(name)}"
        case Operation(name, arguments):
            texts = [sql(argument) for argument in arguments]
            if name in _INFIX:
                return f"({f' {name.upper()} '.join(texts)})"
            match name:
                case "negative":
                    return f"(- {texts[0]})"
                case "not":
                    return f"(NOT {texts[0]})"
                case "is null":
                    return f"({texts[0]} IS NULL)"
                case "/":
                    name = "try_divide"
            call = f"{name}({', '.join(texts)})"
            return f"double({call})" if name in ("floor", "ceil") else call  # Spark returns bigint


def _literal(value: float | str | bool | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return STRING.literal(value)
    if math.isfinite(value):
        return f"{float(value)!r}D"
    return "double('NaN')" if math.isnan(value) else f"double('{'-' if value < 0 else ''}Infinity')"
