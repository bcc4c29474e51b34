"""Payloads as JSON text."""

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.flow.deliver.payload import json_object, json_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (-(2**63), "-9223372036854775808"),
        (0.1, "0.1"),
        (-0.0, "-0.0"),
        (math.nan, '"NaN"'),
        (math.inf, '"Infinity"'),
        (-math.inf, '"-Infinity"'),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.000000000000000001"), "0.000000000000000001"),
        (date(2026, 1, 2), '"2026-01-02"'),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), '"2026-01-02T03:04:05.000000Z"'),
        ('q"\\\n', '"q\\"\\\\\\n"'),
        ("été \U0001f600", '"été \U0001f600"'),
        ("", '""'),
        (None, "null"),
        ((1, "a", None), '[1,"a",null]'),
    ],
)
def test_values(value, text):
    assert json_value(value) == text


def test_values_of_whole_numbers_are_not_booleans():
    assert json_value(1) == "1"
    assert json_value(True) == "true"  # although True == 1


scalars = st.one_of(
    st.booleans(), st.integers(-(2**63), 2**63), st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.dictionaries(st.text(max_size=4), st.none() | scalars))
def test_objects_are_json_without_missing_values(fields):
    text = json_object(fields.items())
    assert json.loads(text) == {name: value for name, value in fields.items() if value is not None}


def test_times_of_other_zones_are_the_same_moment():
    east = datetime(2026, 1, 1, 5, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert datetime.fromisoformat(json.loads(json_value(east))) == datetime(2026, 1, 1, tzinfo=UTC)
