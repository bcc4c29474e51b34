"""Expressions over columns mean what they mean row by row, and that is what Spark documents."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.expression import (
    Attribute,
    Constant,
    Field,
    Operation,
    Values,
    attributes_of,
    evaluate,
    fields_of,
    number,
    scores,
    sql,
)
from sparing.model.types import field_type
from tests.judges.scores import rank_of, value_of
from tests.model import expressions

INFINITY, NAN = math.inf, math.nan


def same(ours, theirs) -> bool:
    return ours == theirs or (isinstance(ours, float) and math.isnan(ours) and math.isnan(theirs))


@given(
    expressions.scores() | expressions.conditions(),
    st.lists(
        st.tuples(expressions.rows(expressions.FIELD_KINDS), expressions.rows(expressions.ATTRIBUTES)), max_size=20
    ),
)
def test_columns_hold_what_each_row_gives(expression, rows):
    fields = expressions.columns([row for row, _ in rows], expressions.FIELD_KINDS)
    attributes = expressions.columns([row for _, row in rows], expressions.ATTRIBUTES)
    found = evaluate(expression, fields, attributes, len(rows))
    assert found.array.shape == found.valid.shape == (len(rows),)
    for at, row in enumerate(rows):
        expected = value_of(expression, *row)
        assert found.valid[at] == (expected is not None)
        assert expected is None or same(found.array[at].item(), expected)


@given(expressions.scores(), expressions.rows(expressions.FIELD_KINDS), expressions.rows(expressions.ATTRIBUTES))
def test_null_and_nan_rank_last(expression, fields, attributes):
    columns = expressions.columns([fields], expressions.FIELD_KINDS)
    given = expressions.columns([attributes], expressions.ATTRIBUTES)
    (score,) = scores(expression, columns, given, 1)
    assert score == rank_of(value_of(expression, fields, attributes))


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [  # as Spark's documentation, or Spark itself, has it
        ("/", [3.0, 2.0], 1.5),
        ("/", [3.0, 0.0], None),
        ("/", [0.0, 0.0], None),
        ("/", [INFINITY, INFINITY], NAN),
        ("/", [1.0, INFINITY], 0.0),
        ("+", [INFINITY, -INFINITY], NAN),
        ("*", [1e200, 1e200], INFINITY),
        ("+", [1.0, None], None),
        ("sqrt", [4.0], 2.0),
        ("sqrt", [-1.0], NAN),
        ("ln", [1.0], 0.0),
        ("ln", [0.0], None),
        ("ln", [-1.0], None),
        ("ln", [NAN], NAN),
        ("exp", [0.0], 1.0),
        ("exp", [1000.0], INFINITY),
        ("power", [2.0, 3.0], 8.0),
        ("power", [NAN, 0.0], 1.0),
        ("power", [1.0, NAN], NAN),
        ("power", [-1.0, INFINITY], NAN),
        ("power", [-8.0, 1 / 3], NAN),
        ("power", [0.0, -1.0], INFINITY),
        ("floor", [-0.1], -1.0),
        ("floor", [NAN], None),
        ("floor", [1e19], None),
        ("ceil", [-0.1], 0.0),
        ("ceil", [INFINITY], None),
        ("ceil", [2.0**63], 2.0**63),
        ("least", [10.0, 9.0, None, 4.0, 3.0], 3.0),
        ("least", [NAN, 9.0], 9.0),
        ("least", [None, None], None),
        ("greatest", [10.0, 9.0, None, 4.0, 3.0], 10.0),
        ("greatest", [NAN, 9.0], NAN),
        ("coalesce", [None, 1.0, None], 1.0),
        ("coalesce", [None, NAN, 1.0], NAN),
        ("if", [None, 1.0, 2.0], 2.0),
        ("if", [True, None, 2.0], None),
        ("=", [NAN, NAN], True),
        ("=", [-0.0, 0.0], True),
        ("=", [None, None], None),
        ("=", ["a", "b"], False),
        ("!=", ["a", None], None),
        ("<", [INFINITY, NAN], True),
        ("<", [NAN, NAN], False),
        ("<=", [NAN, NAN], True),
        (">", [NAN, INFINITY], True),
        ("and", [False, None], False),
        ("and", [True, None], None),
        ("or", [True, None], True),
        ("or", [False, None], None),
        ("not", [None], None),
        ("is null", [None], True),
        ("is null", [NAN], False),
    ],
)
def test_values_that_spark_gives(name, given, expected):
    found = evaluate(Operation(name, tuple(map(Constant, given))), {}, {}, 1)
    assert found.valid[0] == (expected is not None)
    assert expected is None or same(found.array[0].item(), expected)


def test_no_negative_zero_comes_out_of_rounding():
    found = evaluate(Operation("power", (Operation("ceil", (Constant(-0.5),)), Constant(-1.0))), {}, {}, 1)
    assert found.array[0] == INFINITY


def test_an_attribute_that_nobody_has_is_null():
    assert not evaluate(Attribute("a"), {}, {}, 2).valid.any()


def test_names_that_are_used():
    expression = Operation("if", (Field("wet"), Operation("*", (Field("x"), Attribute("a"))), Attribute("b")))
    assert fields_of(expression) == {"wet", "x"}
    assert attributes_of(expression) == {"a", "b"}


@pytest.mark.parametrize(
    ("type_name", "code", "expected"),
    [
        ("int", -3, -3.0),
        ("bigint", 2**53 + 1, 2.0**53),
        ("decimal(18,18)", 1, 1e-18),
        ("date", 31, 31.0),
        ("timestamp", 1_500_000, 1.5),
    ],
)
def test_numbers_behind_codes(type_name, code, expected):
    assert number(field_type(type_name), code) == expected


@given(st.floats())
def test_doubles_behind_codes(value):
    kind = field_type("double")
    assert same(number(kind, kind.code(value)), value + 0.0)


def test_sql_text():
    condition = Operation("and", (Operation("not", (Field("wet"),)), Operation("is null", (Attribute("order"),))))
    score = Operation("if", (condition, Operation("negative", (Constant(-1.5),)), Operation("floor", (Field("x"),))))
    assert sql(score) == ("if(((NOT wet) AND (subscription.`order` IS NULL)), (- -1.5D), double(floor(x)))")
    assert sql(Operation("=", (Constant("it's"), Constant(None)))) == r"('it\'s' = NULL)"
    assert [sql(Constant(value)) for value in (True, -INFINITY, 2.0)] == ["true", "double('-Infinity')", "2.0D"]


def test_columns_are_not_changed():
    array = np.array([-1.0, 2.0])
    given = Values(array, np.array([True, False]))
    evaluate(Operation("abs", (Field("x"),)), {"x": given}, {}, 2)
    assert array.tolist() == [-1.0, 2.0]
