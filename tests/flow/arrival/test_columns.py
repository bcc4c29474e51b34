"""Columns from Arrow and back, for every type, however the array was cut."""

import math
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparing.match.columns import arrow, column, unarrow
from sparing.model.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    Kind,
    field_type,
)
from tests import strategies

ARROW = {
    BOOLEAN: pa.bool_(),
    TINYINT: pa.int8(),
    SMALLINT: pa.int16(),
    INT: pa.int32(),
    BIGINT: pa.int64(),
    FLOAT: pa.float32(),
    DOUBLE: pa.float64(),
    STRING: pa.string(),
    DATE: pa.date32(),
    TIMESTAMP: pa.timestamp("us", "UTC"),
}


def arrow_type(kind):
    if kind.kind is Kind.DECIMAL:
        digits = int(kind.name.removeprefix("decimal(").split(",")[0])
        return pa.decimal128(digits, kind.scale)
    return ARROW[kind]


def expected_values(kind, values):
    """What aggregate functions get for the values that are there."""
    there = [value for value in values if value is not None]
    return there if kind.kind in (Kind.FLOATING, Kind.TEXT) else [kind.code(value) for value in there]


def same(one, other):
    """Equal, with NaN equal to itself."""
    return [repr(value) for value in one] == [repr(value) for value in other]


@st.composite
def arrays(draw):
    """A type, values, and an Arrow array of them: sliced, chunked, or both."""
    kind = draw(strategies.field_types())
    values = draw(st.lists(st.none() | strategies.values(kind), max_size=8))
    before, after = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    # The neighbours that a slice must not show are values too, so that a wrong offset is seen.
    padding = draw(st.lists(strategies.values(kind), min_size=before + after, max_size=before + after))
    longer = pa.array([*padding[:before], *values, *padding[before:]], type=arrow_type(kind))
    array = longer.slice(before, len(values))
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(values)))
        array = pa.chunked_array([array.slice(0, cut), array.slice(cut)], type=arrow_type(kind))
    return kind, values, array


@given(arrays())
def test_columns_hold_what_the_array_holds(case):
    kind, values, array = case
    found = column(array, kind)
    assert len(found) == len(values)
    assert found.valid.tolist() == [value is not None for value in values]
    there = found.there(np.arange(len(values)))
    assert same(there.tolist(), expected_values(kind, values))
    codes = found.codes()[found.valid].tolist()
    assert codes == [kind.code(value) for value in values if value is not None]


@given(arrays(), st.data())
def test_taking_rows(case, data):
    kind, values, array = case
    found = column(array, kind)
    rows = np.array(data.draw(st.lists(st.sampled_from(range(len(values))))) if values else [], dtype=np.int64)
    taken = found.take(rows)
    assert taken.valid.tolist() == [values[row] is not None for row in rows]
    assert same(taken.there(np.arange(len(rows))).tolist(), found.there(rows).tolist())


@given(arrays())
def test_back_to_arrow_and_again(case):
    kind, values, array = case
    before = column(array, kind)
    for travelled in (arrow(before), pa.chunked_array([arrow(before)])):
        after = unarrow(travelled, kind)
        everything = np.arange(len(values))
        assert after.valid.tolist() == before.valid.tolist()
        assert same(after.there(everything).tolist(), before.there(everything).tolist())


@pytest.mark.parametrize("kind", [*ARROW, field_type("decimal(10,2)")], ids=str)
def test_nothing_and_nothing_but_nulls(kind):
    for array in (pa.array([], arrow_type(kind)), pa.chunked_array([], arrow_type(kind))):
        assert len(column(array, kind)) == 0
        assert len(unarrow(pa.chunked_array([], arrow(column(array, kind)).type), kind)) == 0
    missing = column(pa.nulls(3, arrow_type(kind)).slice(1), kind)
    assert missing.valid.tolist() == [False, False]
    assert len(missing.there(np.arange(2))) == 0


def test_other_arrow_types_that_fit():
    """What Spark and readers may hand over for the same field."""
    east = timezone(timedelta(hours=5, minutes=30))
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    micros = TIMESTAMP.code(noon)
    assert column(pa.array([noon], pa.timestamp("ms", "UTC")), TIMESTAMP).values.tolist() == [micros]
    assert column(pa.array([noon.astimezone(east)]), TIMESTAMP).values.tolist() == [micros]
    assert column(pa.array([noon.replace(tzinfo=None)], pa.timestamp("us")), TIMESTAMP).values.tolist() == [micros]
    assert column(pa.array(["a"], pa.large_string()), STRING).values.tolist() == ["a"]
    assert column(pa.array(["a", "b"]).dictionary_encode(), STRING).values.tolist() == ["a", "b"]
    assert column(pa.array([Decimal("-1.5")], pa.decimal128(38, 4)), field_type("decimal(18,2)")).values.tolist() == [
        -150
    ]


def test_a_slice_of_the_widest_decimals():
    """Nothing needs to be cast, so the digits are read where the slice begins."""
    array = pa.array([Decimal(n) for n in range(5)] + [None], pa.decimal128(38, 2)).slice(2)
    found = column(array, field_type("decimal(18,2)"))
    assert found.values[found.valid].tolist() == [200, 300, 400]


def test_doubles_keep_their_kind():
    found = column(pa.array([math.nan, -0.0, math.inf, None]), DOUBLE)
    assert math.isnan(found.values[0])
    assert math.copysign(1, found.values[1]) == -1.0
    assert found.codes()[1] == 0
