"""Publications as VARIANT values say what their JSON text says; PySpark's own reader of variants is the judge."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal, localcontext

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import VariantVal

from sparing.flow.deliver.json_columns import row_payloads, texts
from sparing.flow.deliver.nested import Lists, Objects, Results
from sparing.flow.deliver.payload import json_value
from sparing.flow.deliver.variant import SCHEMA, variants
from sparing.match.columns import Column
from sparing.model.types import STRING, TIMESTAMP, FieldType, Kind, field_type
from tests import strategies
from tests.flow import strategies as walks


def column_of(values: list[object], kind: FieldType) -> Column:
    exact = kind.kind in (Kind.TEXT, Kind.FLOATING)
    return walks.column_of([v if v is None or exact else kind.code(v) for v in values], kind)


def of_rows(columns: dict[str, Column], rows: np.ndarray) -> pa.StructArray:
    return variants(Objects.of(columns, rows))


def read(found: pa.StructArray) -> list[VariantVal]:
    return [VariantVal(row["value"], row["metadata"]) for row in found.to_pylist()]


def shown(value: object) -> object:
    """A value as a payload has it: dates and times are text, and what JSON has no number for."""
    text = isinstance(value, date) or (isinstance(value, float) and not math.isfinite(value))
    return json.loads(json_value(value)) if text else value


def same(one: object, other: object) -> bool:
    """Equal, down to the sign of a zero and to what is a number and what is a flag."""
    return one == other and type(one) is type(other) and (not isinstance(one, float) or repr(one) == repr(other))


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, Column], list[dict[str, object]]]:
    """Columns of all types, and the same rows as mappings without what is missing."""
    names = draw(st.lists(st.one_of(strategies.names(), st.text(max_size=5)), max_size=8, unique=True))
    types = {name: draw(strategies.field_types()) for name in names}
    size = draw(st.integers(0, 5))
    values = {
        name: draw(st.lists(st.none() | strategies.values(kind), min_size=size, max_size=size))
        for name, kind in types.items()
    }
    columns = {name: column_of(found, types[name]) for name, found in values.items()}
    rows = [{name: shown(found[at]) for name, found in values.items() if found[at] is not None} for at in range(size)]
    return columns, rows


@given(tables())
def test_objects_have_the_fields_that_are_there(table):
    columns, rows = table
    found = [one.toPython() for one in read(of_rows(columns, np.arange(len(rows))))]
    assert [one.keys() for one in found] == [row.keys() for row in rows]
    for one, row in zip(found, rows, strict=True):
        for name, value in row.items():
            narrow = columns[name].type.name == "float" and isinstance(value, float)
            expected = np.float32(value).item() if narrow else value
            assert same(one[name], expected), (name, one[name], value)


@given(tables())
def test_texts_say_the_same(table):
    columns, rows = table
    found = [json.loads(text, parse_float=Decimal) for text in row_payloads(columns, len(rows))]
    assert [one.keys() for one in found] == [row.keys() for row in rows]
    for one, row in zip(found, rows, strict=True):
        for name, value in row.items():
            if isinstance(value, float):
                narrow = np.float32 if columns[name].type.name == "float" else np.float64
                expected, given_ = narrow(value).item(), narrow(float(one[name])).item()
                assert same(given_, expected), (name, one[name], value)
            else:
                assert one[name] == value


def test_rows_are_picked_and_columns_renamed():
    columns = {"b": column_of([1, 2, None], field_type("int")), "a": column_of(["x", "y", "z"], STRING)}
    found = read(of_rows({"first": columns["b"], "second": columns["a"]}, np.array([2, 0])))
    assert [one.toPython() for one in found] == [{"second": "z"}, {"first": 1, "second": "x"}]


@pytest.mark.parametrize("size", [0, 63, 64, 255, 256, 65_535, 70_000, 1 << 24])
def test_short_and_long_texts(size):
    text = "é" * (size // 2) + "x" * (size % 2)
    (found,) = read(
        of_rows({"a": column_of([text], STRING), "b": column_of([True], field_type("boolean"))}, np.array([0]))
    )
    assert found.toPython() == {"a": text, "b": True}


@pytest.mark.parametrize("size", [1, 255, 256, 257, 1_000])
def test_few_and_many_fields(size):
    columns = {f"field{at}": column_of([at], field_type("int")) for at in range(size)}
    (found,) = read(of_rows(columns, np.array([0])))
    assert found.toPython() == {f"field{at}": at for at in range(size)}


@pytest.mark.parametrize("size", [0, 1, 127, 128, 255, 256, 70_000])
def test_short_and_long_lists(size):
    numbers = Objects.of({"n": column_of(list(range(size)), field_type("int"))}, np.arange(size))
    ends = np.array([0, size]), np.array([size, size])
    both = np.ones(2, dtype=bool)
    payloads = Objects(["all"], [Lists(numbers, np.arange(size)[::-1].copy(), *ends, both)], both)
    expected = {"all": [{"n": number} for number in reversed(range(size))]}
    assert [one.toPython() for one in read(variants(payloads))] == [expected, {"all": []}]
    assert [json.loads(text) for text in texts(payloads)] == [expected, {"all": []}]


@pytest.mark.parametrize(
    "value",
    [
        *(sign * 2**bits + more for bits in (7, 15, 31, 63, 64, 120) for sign in (-1, 1) for more in (-1, 0, 1)),
        *(Decimal(digits).scaleb(-scale) for digits in (0, -5, 10**9, 10**18, 10**21) for scale in (0, 9, 10, 18, 22)),
        True,
        False,
        -0.0,
        1e300,
        "x" * 63,
        "x" * 64,
    ],
)
def test_results_of_functions_one_by_one(value):
    payloads = Objects(["a"], [Results([None, value])], np.ones(2, dtype=bool))
    with localcontext(prec=60):
        missing, found = (one.toPython() for one in read(variants(payloads)))
        assert missing == {}
        assert found["a"] == value
        assert same(found["a"], value) or not -(2**63) <= value < 2**63
        assert texts(payloads) == ["{}", f'{{"a":{json_value(value)}}}']


def test_columns_straight_from_arrow():
    whole = pa.array(["left out", "one", None, "three"], pa.string())
    column = Column(STRING, whole.slice(1), np.array([True, False, True]))
    assert [one.toPython() for one in read(of_rows({"a": column}, np.arange(3)))] == [{"a": "one"}, {}, {"a": "three"}]


@pytest.mark.parametrize("kind", ["date", "timestamp"])
def test_years_without_four_digits(kind):
    of = field_type(kind)
    unit = "D" if of.kind is Kind.DATE else "us"
    codes = np.array(["12026-05-06", "2026-05-06"], dtype=f"datetime64[{unit}]").astype(np.int64)
    found = read(of_rows({"a": Column(of, codes, np.ones(2, bool))}, np.arange(2)))
    assert [one.toPython()["a"][:11] for one in found] == ["12026-05-06", "2026-05-06" + "T" * (unit == "us")]


def test_a_time_is_written_as_everywhere():
    moment = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)
    (found,) = read(of_rows({"ts": column_of([moment], TIMESTAMP)}, np.array([0])))
    assert found.toPython() == {"ts": "2026-01-02T03:04:05.000006Z"}


def test_arrow_tells_spark_what_it_is():
    assert of_rows({"a": column_of(["x"], STRING)}, np.array([0])).type == SCHEMA
    assert SCHEMA.field("metadata").metadata == {b"variant": b"true"}
