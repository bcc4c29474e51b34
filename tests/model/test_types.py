"""Codes keep Spark's order, and every range of them has one spelling."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.model.errors import SparingError
from sparing.model.types import DOUBLE, FLOAT, INT, Kind, after_prefix, field_type, float_code, float_codes, successor
from tests import strategies
from tests.judges.sql import order

NUMBERS = (Kind.WHOLE, Kind.DECIMAL)


@given(st.data())
def test_codes_are_ordered_as_spark_orders_values(data):
    kind = data.draw(strategies.field_types())
    one, other = data.draw(strategies.values(kind)), data.draw(strategies.values(kind))
    a, b = kind.code(one), kind.code(other)
    assert (a > b) - (a < b) == order(one, other)


@given(st.data())
def test_a_value_comes_back_from_its_code(data):
    kind = data.draw(strategies.field_types())
    value = data.draw(strategies.values(kind))
    back = kind.value(kind.code(value))
    assert order(back, value) == 0
    assert type(back) is type(value)


@given(st.data())
def test_codes_lie_in_the_range_of_their_type(data):
    kind = data.draw(strategies.field_types(*set(Kind) - {Kind.TEXT}))
    code = kind.code(data.draw(strategies.values(kind)))
    assert kind.low <= code <= kind.high


@given(st.data())
def test_nothing_lies_between_a_code_and_its_successor(data):
    kind = data.draw(strategies.field_types())
    one, other = data.draw(strategies.codes(kind)), data.draw(strategies.codes(kind))
    assert one < successor(one)
    assert not one < other < successor(one)


@given(st.lists(st.floats()))
def test_a_column_of_doubles_has_the_codes_of_its_values(values):
    assert float_codes(np.array(values)).tolist() == [float_code(value) for value in values]


@given(st.text(max_size=4), st.text(max_size=6))
def test_texts_with_a_prefix_lie_between_it_and_after_prefix(prefix, text):
    end = after_prefix(prefix)
    assert text.startswith(prefix) == (prefix <= text and (end is None or text < end))


@given(
    strategies.field_types(*NUMBERS),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**40), max_value=10**40),
)
def test_at_least_is_the_first_code_not_below_a_number(kind, number):
    code = kind.at_least(number)
    unit = Fraction(1, 10**kind.scale)
    assert (code - 1) * unit < Fraction(number) <= code * unit


def test_at_least_keeps_digits_beyond_the_28th():
    assert INT.at_least(Decimal("3.0000000000000000000000000000001")) == 4


@given(st.data())
def test_moving_a_bound_passes_no_value(data):
    kind = data.draw(st.sampled_from([FLOAT, DOUBLE]))
    bound = data.draw(st.integers(kind.low, kind.high))
    code = kind.code(data.draw(strategies.values(kind)))
    assert kind.canonical_bound(bound) >= bound
    assert (code >= bound) == (code >= kind.canonical_bound(bound))


@given(st.integers(FLOAT.low, FLOAT.high))
def test_every_bound_of_a_float_field_is_a_float(bound):
    value = FLOAT.value(FLOAT.canonical_bound(bound))
    assert math.isnan(value) or float(np.float32(value)) == value


@given(st.data())
def test_clip_keeps_exactly_the_values_in_the_range(data):
    kind = data.draw(strategies.field_types())
    low, high = data.draw(st.none() | strategies.codes(kind)), data.draw(st.none() | strategies.codes(kind))
    code = data.draw(strategies.codes(kind))
    inside = (low is None or low <= code) and (high is None or code < high)
    clipped = kind.clip(low, high)
    if clipped is None:
        assert not inside
    else:
        low, high = clipped
        assert inside == ((low is None or low <= code) and (high is None or code < high))


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("INTEGER", "int"),
        ("long", "bigint"),
        ("Real", "float"),
        ("dec", "decimal(10,0)"),
        ("numeric( 5 , 2 )", "decimal(5,2)"),
    ],
)
def test_type_names_as_spark_spells_them(name, canonical):
    assert str(field_type(name)) == canonical


@pytest.mark.parametrize("name", ["text", "decimal(19,0)", "decimal(2,3)", "decimal(0)", "array<int>", ""])
def test_other_types_are_refused(name):
    with pytest.raises(SparingError):
        field_type(name)


def test_a_small_decimal_is_written_without_an_exponent():
    assert field_type("decimal(18,18)").literal(1) == "0.000000000000000001"
