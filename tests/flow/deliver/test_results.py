"""Results of many windows at once: to the letter what each function gives window by window."""

import json
import math
import sys
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyspark.sql import VariantVal

from sparing.flow.deliver.json_columns import row_payloads
from sparing.flow.deliver.nested import Objects
from sparing.flow.deliver.payload import json_object, json_value
from sparing.flow.deliver.results import window_payloads
from sparing.flow.deliver.variant import variants
from sparing.match.columns import Column, column
from sparing.model.functions import Avg, Count, Extreme, Sum, Variance, function
from sparing.model.subscription import Aggregation, Output
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
from sparing.model.window import TimeWindow
from tests import strategies

WINDOW = TimeWindow(10, 10)
FIELDS = {
    "double": DOUBLE,
    "float": FLOAT,
    "tinyint": TINYINT,
    "smallint": SMALLINT,
    "int": INT,
    "bigint": BIGINT,
    "boolean": BOOLEAN,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "string": STRING,
    "price": field_type("decimal(10,2)"),
    "digits": field_type("decimal(18,0)"),
    "tiny": field_type("decimal(18,18)"),
}
NAMES = ("count", "sum", "avg", "min", "max", "median", "var_samp", "var_pop", "stddev", "stddev_pop")
NUMBERS = [name for name, kind in FIELDS.items() if not isinstance(function("sum", kind), str)]


def one_by_one(aggregations, of, columns, first, last, rows):
    """The slow and obvious way: each function lifts and finishes each window, and digests have the rows' payloads."""
    texts, values = [], []
    for number, begin, end in zip(of, first, last, strict=True):
        outputs, events, mine = aggregations[number].outputs, aggregations[number].events, rows[begin:end]
        named = {o.name: value for o in outputs if (value := result(o, columns, mine)) is not None}
        text = json_object(named.items())
        found = {o.name: shown(named[o.name], o) for o in outputs if o.name in named}
        if events:
            picked = {name: columns[field].take(np.asarray(mine)) for name, field in events}
            text = '{"events":[' + ",".join(row_payloads(picked, len(mine))) + "]}"
            found = {"events": [one.toPython() for one in read(variants(Objects.of(picked, np.arange(len(mine)))))]}
        texts.append(text)
        values.append(found)
    return texts, values


def result(output, columns, mine):
    values = mine[:0] if output.field is None else columns[output.field].there(mine)
    return output.function.finish(output.function.lift(values, len(mine)))


def shown(value, output):
    """A result as a VARIANT has it: dates, times and what is no number are text, a float's extremes are floats."""
    if isinstance(value, tuple):
        return [shown(one, output) for one in value]
    if isinstance(value, date) or (isinstance(value, float) and not math.isfinite(value)):
        return json.loads(json_value(value))
    if (
        isinstance(value, float)
        and getattr(output.function, "type", None) == FLOAT
        and output.name.startswith(OF_FIELD)
    ):
        return np.float32(value).item()
    return value


def read(found):
    return [VariantVal(row["value"], row["metadata"]) for row in found.to_pylist()]


def payloads_of(payloads):
    """The payloads of all shapes, in the order of the windows, as PySpark reads them."""
    found = {}
    for numbers, objects in payloads.parts:
        found |= zip(numbers.tolist(), read(variants(objects)), strict=True)
    return [found[number].toPython() for number in range(len(found))]


def same(one, other):
    """Equal, down to the sign of a zero and to what is a number and what is a flag."""
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    kinds = {type(one), type(other)}
    return (
        one == other
        and (len(kinds) == 1 or kinds == {int, Decimal})
        and (float not in kinds or repr(one) == repr(other))
    )


def make_column(kind, values):
    """A column of values, None where they are missing."""
    valid = np.array([v is not None for v in values], dtype=bool)
    if kind.kind is Kind.TEXT:
        return Column(kind, np.array(values, dtype=object), valid)
    if kind.kind is Kind.FLOATING:
        return Column(kind, np.array([0.0 if v is None else v for v in values], dtype=np.float64), valid)
    return Column(kind, np.array([0 if v is None else kind.code(v) for v in values], dtype=np.int64), valid)


def aggregation(*outputs):
    return Aggregation(tuple(outputs), WINDOW)


OF_FIELD = ("min", "max", "approx_percentile")  # functions with results of the field's type


def single(name, field, distinct=False, settings=()):
    """One output; its name holds what JSON must quote and templates might take for theirs."""
    kind = None if field is None else FIELDS[field]
    found = function(name, kind, distinct, settings)
    assert not isinstance(found, str), found
    return Output(f'{name}("{field}") %s {{}} {distinct} {settings}', found, field)


def candidates(field):
    """Every function of a field."""
    names = [name for name in NAMES if not isinstance(function(name, FIELDS[field]), str)]
    sketches = [] if isinstance(function("approx_percentile", FIELDS[field], False, (0.5,)), str) else [0.5, (0.0, 0.5)]
    return [
        *(single(name, field) for name in names),
        *(single("approx_percentile", field, settings=(asked,)) for asked in sketches),
        single("count", field, distinct=True),
    ]


def check(aggregations, of, columns, starts, rows):
    check_ranges(aggregations, of, columns, starts[:-1], starts[1:], rows)


def check_ranges(aggregations, of, columns, *ranges):
    of, first, last, rows = (np.array(numbers, dtype=np.int64) for numbers in (of, *ranges))
    found = window_payloads(aggregations, of, columns, first, last, rows)
    texts, values = one_by_one(aggregations, of, columns, first, last, rows)
    assert found.texts() == texts
    with localcontext(prec=60):
        for one, other in zip(payloads_of(found), values, strict=True):
            assert same(one, other), (one, other)


def check_windows(outputs, kind, field, windows):
    """Check windows that are given by their values, one output after the other and all together."""
    aggregations = [aggregation(output) for output in outputs] + [aggregation(*outputs)]
    columns = {field: make_column(kind, [value for window in windows for value in window])}
    starts = np.cumsum([0, *map(len, windows)])
    for number in range(len(aggregations)):
        check(aggregations, [number] * len(windows), columns, starts, np.arange(starts[-1]))


# Whatever is asked


@st.composite
def cases(draw):
    """Aggregations of all kinds over overlapping windows of a few publications."""
    fields = draw(st.lists(st.sampled_from(sorted(FIELDS)), min_size=1, max_size=3, unique=True))
    size = draw(st.integers(1, 8))
    columns = {}
    for field in fields:
        values = st.lists(st.none() | strategies.values(FIELDS[field]), min_size=size, max_size=size)
        columns[field] = make_column(FIELDS[field], draw(values))
    outputs = [output for field in fields for output in candidates(field)]
    outputs += [Output("rows", Count(rows=True), None), Output("n", Count(rows=True), fields[0])]
    chosen = st.lists(st.sampled_from(outputs), max_size=4, unique_by=lambda output: output.name).map(
        lambda found: aggregation(*found)
    )
    digests = st.lists(st.sampled_from(fields), min_size=1, unique=True).map(
        lambda found: Aggregation((), WINDOW, tuple((f"{field} é", field) for field in found))
    )
    aggregations = draw(st.lists(chosen | digests, min_size=1, max_size=4))
    rows = draw(st.lists(st.integers(0, size - 1), max_size=12))
    ranges = st.tuples(st.integers(0, len(rows)), st.integers(0, len(rows))).map(sorted)
    windows = draw(st.lists(st.tuples(st.integers(0, len(aggregations) - 1), ranges), max_size=8))
    first, last = ([ends[at] for _, ends in windows] for at in (0, 1))
    return aggregations, [number for number, _ in windows], columns, first, last, rows


@given(cases())
def test_payloads_are_those_of_the_functions_one_by_one(case):
    check_ranges(*case)


@given(st.lists(st.lists(st.none() | st.text(max_size=3), max_size=5), min_size=1, max_size=5))
def test_texts_straight_from_arrow(windows):
    whole = make_column(STRING, [value for window in windows for value in window])
    columns = {"string": Column(STRING, whole.text, whole.valid)}
    starts = np.cumsum([0, *map(len, windows)])
    asked = [aggregation(*candidates("string"))]
    check(asked, [0] * len(windows), columns, starts, np.arange(starts[-1]))


def test_columns_straight_from_arrow_cannot_be_written_to():
    columns = {"double": column(pa.array([0.5, 1.5, 4.0]), DOUBLE), "bigint": column(pa.array([1, 2, 3]), BIGINT)}
    assert not columns["double"].values.flags.writeable
    asked = [aggregation(*candidates("double"), *candidates("bigint"))]
    check(asked, [0, 0], columns, [0, 1, 3], [0, 1, 2])


def texts(asked, of, columns, starts, rows):
    starts = np.asarray(starts)
    return window_payloads(asked, np.asarray(of), columns, starts[:-1], starts[1:], np.asarray(rows)).texts()


def test_no_windows_give_no_payloads():
    assert texts([], [], {}, [0], []) == []


def test_plain_subscriptions_may_stand_among_the_aggregations():
    columns = {"int": make_column(INT, [4, 5])}
    asked = [None, aggregation(Output("a", Sum(INT), "int"))]
    assert texts(asked, [1], columns, [0, 2], [1, 0]) == ['{"a":9}']


def test_equal_aggregations_in_several_guises_and_windows_in_any_order():
    columns = {"int": make_column(INT, [1, 2, 3])}
    most, least = Output("a", Extreme(INT, largest=True), "int"), Output("b", Extreme(INT, largest=False), "int")
    again = Output("a", Extreme(INT, largest=True), "int")
    asked = [aggregation(most), aggregation(least, most), aggregation(again)]
    check(asked, [2, 1, 0, 1, 2], columns, [0, 1, 2, 3, 5, 8], [0, 1, 2, 0, 2, 2, 1, 0])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_numbers_of_rows_may_be_short_or_long(dtype):
    columns = {"int": make_column(INT, [1, 2, 3])}
    asked = [aggregation(*candidates("int"))]
    of, starts, rows = np.array([0, 0], dtype), np.array([0, 1, 3], dtype), np.array([0, 1, 2], dtype)
    expected, _ = one_by_one(asked, of, columns, starts[:-1], starts[1:], rows)
    assert texts(asked, of, columns, starts, rows) == expected


@dataclass(frozen=True)
class Longest:
    """A function that only this test knows."""

    decomposable = True

    def lift(self, values, rows):
        return rows, max(map(len, values.tolist()), default=None)

    def merge(self, states):
        raise NotImplementedError

    def finish(self, state):
        return None if state[1] is None else state


def test_functions_without_a_loop_speak_for_themselves():
    columns = {"string": make_column(STRING, ["a", None, "ccc"])}
    asked = [aggregation(Output("longest", Longest(), "string"), Output("n", Count(rows=True), None))]
    found = texts(asked, [0, 0, 0], columns, [0, 3, 4, 4], [0, 1, 2, 1])
    assert found == ['{"longest":[3,3],"n":3}', '{"n":1}', '{"n":0}']


# Numbers that are hard to add up

ADDING = ("sum", "avg", "var_pop", "var_samp", "stddev_pop", "stddev")
halves = st.builds(math.ldexp, st.sampled_from([1.0, -1.0, 3.0, 1 + 2.0**-52]), st.integers(-60, 60))
huge = st.builds(math.ldexp, st.sampled_from([1.0, -1.0, 2 - 2.0**-52, -2 + 2.0**-52]), st.integers(960, 1023))
small = st.builds(math.ldexp, st.sampled_from([1.0, -1.0, 1.5]), st.integers(-1074, -900))
short = st.builds(lambda digits, scale: digits / 10**scale, st.integers(-9999, 9999), st.integers(0, 4))
close = st.builds(lambda steps: 1e9 + steps * 2.0**-23, st.integers(-4, 4))
special = st.sampled_from(
    [0.0, -0.0, math.inf, -math.inf, math.nan, 1.7976931348623157e308, 5e-324, 2.0**300, 2.0**-300]
)
doubles = [short, halves, close, st.floats(), st.one_of(huge, small, halves), st.one_of(special, short)]


@st.composite
def windows_of(draw, kinds):
    """Windows of numbers that have something in common."""
    lists = st.sampled_from(kinds).flatmap(lambda numbers: st.lists(numbers, max_size=12))
    return draw(st.lists(lists, min_size=1, max_size=6))


@given(windows_of(doubles))
@example([[1e16, 1.0, 1e-16], [1e16, 1.0, -1e-16], [1.0, 2.0**-53, 2.0**-106], [1.0, 2.0**-53, -(2.0**-106)]])
@example([[1.7e308, 1.7e308], [1e308, 1e308, -1e308], [-sys.float_info.max, -(2.0**970)], [1e308, math.inf, 1e308]])
@example([[-0.0], [-0.0, -0.0], [0.0, -0.0], [math.nan], [math.inf, -math.inf], [math.nan, 1.0]])
@example([[2.0 ** (20 * n) for n in range(-50, 50)] * 2])  # more parts than an exact sum has room for
def test_doubles_are_added_up_to_the_last_bit(windows):
    check_windows([single(name, "double") for name in (*ADDING, "min", "max")], DOUBLE, "double", windows)


@pytest.mark.parametrize("field", ["bigint", "digits", "tiny", "price"])
@given(data=st.data())
def test_whole_numbers_and_decimals_are_added_up_to_the_last_digit(field, data):
    kind = FIELDS[field]
    near = st.one_of(
        st.integers(-20, 20),
        st.integers(2**53 - 2, 2**53 + 2),
        st.integers(kind.high - 3, kind.high),
        st.integers(kind.low, kind.low + 3),
        st.integers(kind.low, kind.high),
    )
    fitting = near.filter(lambda code: kind.low <= code <= kind.high).map(kind.value)
    windows = data.draw(windows_of([fitting, st.integers(-20, 20).map(kind.value)]))
    check_windows([single(name, field) for name in (*ADDING, "min", "max")], kind, field, windows)


def test_a_sum_of_decimals_that_just_fits_64_bits():
    kind, least = FIELDS["digits"], -(2**63)
    window = [kind.value(least // 11)] * 10
    window.append(kind.value(least - 10 * (least // 11)))
    check_windows([single(name, "digits") for name in ("sum", "avg")], kind, "digits", [window])


def test_a_decimal_just_below_zero_is_written_with_its_sign():
    kind = FIELDS["price"]
    columns = {"price": make_column(kind, [kind.value(-1), *[kind.value(0)] * 29_999])}
    asked = [aggregation(Output("a", Avg(kind), "price"))]
    found = texts(asked, [0], columns, [0, 30_000], np.arange(30_000))
    assert found == ['{"a":-0.000000}']


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize("spread", [1, 1000, 2**31])
def test_thousands_of_windows(field, spread):
    kind = FIELDS[field]
    random = np.random.default_rng(spread)
    starts = np.concatenate([[0], np.cumsum(random.integers(0, 40, 1000))])
    numbers = random.normal(0.5, spread, 5000)
    data = numbers if kind.kind is Kind.FLOATING else np.clip(numbers, kind.low, kind.high).astype(np.int64)
    columns = {field: Column(kind, data, random.random(5000) < 0.9)}
    of, rows = random.integers(0, 2, 1000), random.integers(0, 5000, starts[-1])
    asked = [aggregation(*candidates(field)), aggregation(Output("n", Count(rows=True), None), single("avg", field))]
    check(asked, of, columns, starts, rows)


# What is usual is quick


@pytest.mark.parametrize("field", ["double", "int", "price"])
def test_usual_windows_never_take_the_slow_way(field, monkeypatch):
    for kind in (Avg, Count, Extreme, Sum, Variance):
        monkeypatch.setattr(kind, "lift", None)
    random = np.random.default_rng(7)
    usual = (
        random.integers(-99_999, 99_999, 50_000) if field != "double" else random.normal(50.0, 20.0, 50_000).round(2)
    )
    columns = {field: Column(FIELDS[field], usual, random.random(50_000) < 0.99)}
    starts = np.arange(0, 50_001, 10)
    asked = [aggregation(*(single(name, field) for name in (*ADDING, "count", "min", "max")))]
    assert len(texts(asked, np.zeros(5000, np.int64), columns, starts, np.arange(50_000))) == 5000


@pytest.mark.parametrize("spread", [0.0, 1e-6, 1.0])
def test_variances_around_a_distant_mean_are_settled_by_the_loop(spread, monkeypatch):
    monkeypatch.setattr(Variance, "lift", None)
    numbers = np.random.default_rng(3).normal(1e9, spread, 10_000)
    columns = {"double": Column(DOUBLE, numbers, np.ones(10_000, dtype=bool))}
    asked = [aggregation(single("var_pop", "double"))]
    assert len(texts(asked, np.zeros(100, np.int64), columns, np.arange(0, 10_001, 100), np.arange(10_000))) == 100
