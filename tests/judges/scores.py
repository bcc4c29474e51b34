"""What an expression is for one publication and one subscription, worked out step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from sparing.model.expression import Attribute, Constant, Expression, Field

Value = float | str | bool | None


def value_of(expression: Expression, fields: Mapping[str, Value], attributes: Mapping[str, Value]) -> Value:
    """Its value; None is NULL."""
    if isinstance(expression, Constant):
        return expression.value
    if isinstance(expression, Field):
        return fields[expression.name]
    if isinstance(expression, Attribute):
        return attributes.get(expression.name)
    given = [value_of(argument, fields, attributes) for argument in expression.arguments]
    match expression.name:
        case "coalesce":
            return next((value for value in given if value is not None), None)
        case "if":
            return given[1] if given[0] is True else given[2]
        case "is null":
            return given[0] is None
        case "and":
            return False if False in given else None if None in given else True
        case "or":
            return True if True in given else None if None in given else False
        case "least" | "greatest":
            there = [value for value in given if value is not None]
            return (min if expression.name == "least" else max)(there, key=place, default=None)
    if None in given:
        return None
    with np.errstate(all="ignore"):
        return strictly(expression.name, *given)


def place(number: float) -> tuple[bool, float]:
    """Where a number stands in Spark's order: NaN is last, and equals itself."""
    return (True, 0.0) if math.isnan(number) else (False, number)


def strictly(name: str, *given: float | str | bool) -> Value:
    """An operation on values that are there."""
    if name == "not":
        return not given[0]
    if name in ("=", "!=", "<", "<=", ">", ">="):
        left, right = (place(v) if isinstance(v, float) else v for v in given)
        return {
            "=": left == right,
            "!=": left != right,
            "<": left < right,
            "<=": left <= right,
            ">": left > right,
            ">=": left >= right,
        }[name]
    x, y = np.float64(given[0]), np.float64(given[-1])
    match name:
        case "+" | "-" | "*":
            return float({"+": x + y, "-": x - y, "*": x * y}[name])
        case "/":
            return None if y == 0 else float(x / y)
        case "negative":
            return float(-x)
        case "abs":
            return abs(float(x))
        case "sqrt":
            return math.nan if x < 0 else float(np.sqrt(x))
        case "exp":
            return float(np.exp(x))
        case "ln":
            return None if x <= 0 else float(np.log(x))
        case "power":
            if math.isnan(y) or (math.isinf(y) and abs(x) == 1):
                return math.nan
            return float(np.power(x, y))
    assert name in ("floor", "ceil")
    if math.isnan(x) or abs(x) > 2.0**63:  # no bigint
        return None
    return float(math.floor(x) if name == "floor" else math.ceil(x))


def rank_of(value: Value) -> float:
    """The number that a score ranks by: NULL and NaN are last."""
    return -math.inf if value is None or math.isnan(value) else float(value)
