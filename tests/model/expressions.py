"""Hypothesis strategies for expressions over a fixed set of fields and attributes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sparing.model.expression import Attribute, Constant, Expression, Field, Operation, Values
from sparing.model.topic import Topic
from sparing.model.types import field_type

TOPIC = Topic(
    "t",
    "ts",
    {
        "ts": field_type("timestamp"),
        "x": field_type("double"),
        "y": field_type("double"),
        "n": field_type("int"),
        "money": field_type("decimal(6,2)"),
        "place": field_type("string"),
        "wet": field_type("boolean"),
    },
)
ATTRIBUTES = {"a": "number", "b": "number", "home": "text", "keen": "truth"}

NUMBER_FIELDS = ("x", "y", "n", "money")
SMALL = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -2.5, 10.0])
NUMBERS = st.one_of(
    SMALL,
    SMALL,
    st.sampled_from([-0.0, 1e-310, 5e-324, 1e308, -1e308, 1e16, 1e-9, 0.1, math.inf, -math.inf, math.nan]),
    st.floats(),
)
TEXTS = st.sampled_from(["", "a", "b", "it's"])


def values(kind: str) -> st.SearchStrategy[Any]:
    """Values of a kind, or None."""
    return st.none() | {"number": NUMBERS, "text": TEXTS, "truth": st.booleans()}[kind]


def rows(kinds: dict[str, str]) -> st.SearchStrategy[dict[str, Any]]:
    """A value or None for each name."""
    return st.fixed_dictionaries({name: values(kind) for name, kind in kinds.items()})


FIELD_KINDS = {**dict.fromkeys(NUMBER_FIELDS, "number"), "place": "text", "wet": "truth"}


def columns(rows_of: list[dict[str, Any]], kinds: dict[str, str]) -> dict[str, Values]:
    """Rows as columns."""
    dtypes = {"number": np.float64, "text": object, "truth": bool}
    blank = {"number": 7.0, "text": None, "truth": True}  # what stands where there is NULL must not matter
    found = {}
    for name, kind in kinds.items():
        given = [row[name] for row in rows_of]
        array = np.array([blank[kind] if v is None else v for v in given], dtype=dtypes[kind])
        found[name] = Values(array, np.array([v is not None for v in given], dtype=bool))
    return found


def _operation(name: str, *arguments: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.tuples(*arguments).map(lambda given: Operation(name, given))


def _several(name: str, least: int, part: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.lists(part, min_size=least, max_size=3).map(lambda given: Operation(name, tuple(given)))


CONSTANTS = st.one_of(SMALL, SMALL, st.sampled_from([1e300, 1e-300, 100.0])).map(Constant)


@st.composite
def scores(draw: st.DrawFn, depth: int = 3, null: bool = True) -> Expression:
    """Expressions that are numbers."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        leaves = [CONSTANTS, st.sampled_from(NUMBER_FIELDS).map(Field), st.sampled_from(["a", "b"]).map(Attribute)]
        if null and draw(st.integers(0, 19)) == 0:
            return Constant(None)
        return draw(st.one_of(*leaves))
    part = scores(depth=depth - 1)
    sums = ("+", "-", "*")
    functions = ("negative", "abs", "sqrt", "exp", "ln", "power", "square", "floor", "ceil")
    name = draw(st.sampled_from([*sums, *sums, "/", *functions, "least", "greatest", "coalesce", "if", "if"]))
    match name:
        case "+" | "-" | "*" | "/" | "power":
            return draw(_operation(name, part, part))
        case "square":
            return draw(_operation("power", part, st.just(Constant(2.0))))
        case "least" | "greatest":
            return draw(_several(name, 2, part))
        case "coalesce":
            return draw(_several(name, 1, part))
        case "if":
            return draw(_operation(name, conditions(depth - 1), part, part))
        case _:
            return draw(_operation(name, part))


@st.composite
def affine(draw: st.DrawFn, depth: int = 3) -> Expression:
    """Scores of the sort that something can be proved about."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        leaves = [st.sampled_from(["a", "b"]).map(Attribute), st.sampled_from(["x", "n"]).map(Field), CONSTANTS]
        return draw(st.one_of(*leaves))
    part = affine(depth=depth - 1)
    name = draw(st.sampled_from(["+", "-", "*", "*", "/", "negative", "square", "abs", "if", "least"]))
    match name:
        case "square":
            return draw(_operation("power", part, st.just(Constant(2.0))))
        case "negative" | "abs":
            return draw(_operation(name, part))
        case "if":
            return draw(_operation(name, conditions(1), part, part))
        case _:
            return draw(_operation(name, part, part))


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> Expression:
    """Expressions that are true or false."""
    if depth <= 0:
        return draw(st.sampled_from([Field("wet"), Attribute("keen"), Constant(True), Constant(None)]))
    number, inner = scores(depth=depth - 1), conditions(depth - 1)
    text = st.sampled_from([Field("place"), Attribute("home"), Constant("a"), Constant("it's")])
    order = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    same = st.sampled_from(["=", "!="])
    return draw(
        st.one_of(
            order.flatmap(lambda name: _operation(name, number, number)),
            order.flatmap(lambda name: _operation(name, number, number)),
            same.flatmap(lambda name: _operation(name, text, text)),
            same.flatmap(lambda name: _operation(name, inner, inner)),
            _several("and", 2, inner),
            _several("or", 2, inner),
            _operation("not", inner),
            _operation("is null", st.one_of(number, inner, text)),
            inner,
        )
    )
