"""Expressions over the fields of a publication and the attributes of a subscription, such as a score.

All numbers are doubles: whole numbers and decimals become the nearest one, dates count days and timestamps seconds
since 1970. What each operation does is in `operations`. `CASE` is a chain of `if`, `IS NOT NULL` is `not` of `is null`.
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
    """A number, a text, a truth value, or NULL."""

    value: float | str | bool | None


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the publication."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute of the subscription; NULL if it has none of that name."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator or function by name, applied to its arguments."""

    name: str
    arguments: tuple[Expression, ...]


Expression = Constant | Field | Attribute | Operation


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The expression and everything inside it."""
    yield expression
    if isinstance(expression, Operation):
        for argument in expression.arguments:
            yield from parts_of(argument)


def fields_of(expression: Expression) -> set[str]:
    """The names of the fields that it uses."""
    return {part.name for part in parts_of(expression) if isinstance(part, Field)}


def attributes_of(expression: Expression) -> set[str]:
    """The names of the attributes that it uses."""
    return {part.name for part in parts_of(expression) if isinstance(part, Attribute)}


def evaluate(
    expression: Expression, fields: Mapping[str, Values], attributes: Mapping[str, Values], rows: int
) -> Values:
    """Its value in every row: a row is a publication and a subscription, `fields` and `attributes` are theirs.

    >>> weight = Values(np.array([1.0, 2.0, 0.0]), np.array([True, True, False]))
    >>> found = evaluate(Operation("*", (Constant(3.0), Attribute("weight"))), {}, {"weight": weight}, 3)
    >>> found.array[:2].tolist(), found.valid.tolist()
    ([3.0, 6.0], [True, True, False])
    """
    with np.errstate(all="ignore"):
        return _evaluate(expression, fields, attributes, rows)


def scores(
    expression: Expression, fields: Mapping[str, Values], attributes: Mapping[str, Values], rows: int
) -> np.ndarray:
    """Its value in every row as a number to rank by: what is NULL or NaN ranks last, as minus infinity."""
    found = evaluate(expression, fields, attributes, rows)
    return np.where(found.valid & ~np.isnan(found.array), found.array, -np.inf)


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


def number(kind: FieldType, code: Code) -> float:
    """The double that stands for a value of a field, given by its code; the type is a number, a date or a timestamp.

    >>> from sparing.model.types import field_type
    >>> number(field_type("decimal(4,2)"), 150), number(field_type("timestamp"), 2_500_000)
    (1.5, 2.5)
    """
    assert isinstance(code, int)
    match kind.kind:
        case Kind.FLOATING:
            return code_float(code)
        case Kind.DECIMAL:
            return code / int(10**kind.scale)
        case Kind.TIMESTAMP:
            return code / 1_000_000
        case _:
            return float(code)


_INFIX = frozenset({"+", "-", "*", "=", "!=", "<", "<=", ">", ">=", "and", "or"})


def sql(expression: Expression) -> str:
    """The expression as Spark SQL text over columns that are doubles, truth values and text already.

    It means the same to Spark, but for `floor` and `ceil` of what no bigint holds: in ANSI mode, Spark fails there.

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
            written = [sql(argument) for argument in arguments]
            if name in _INFIX:
                return f"({f' {name.upper()} '.join(written)})"
            match name:
                case "negative":
                    return f"(- {written[0]})"
                case "not":
                    return f"(NOT {written[0]})"
                case "is null":
                    return f"({written[0]} IS NULL)"
                case "/":
                    name = "try_divide"
            call = f"{name}({', '.join(written)})"
            return f"double({call})" if name in ("floor", "ceil") else call  # Spark's are bigint


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
