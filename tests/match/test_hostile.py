"""Input that is huge, skewed or invalid: it takes bounded time and memory, or is rejected with an error.

Times are many times what an idle machine needs; they tell a quadratic algorithm from a linear one.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sparing.match import Index
from sparing.match.index import MOST_FIELDS
from sparing.model.errors import SparingError
from tests.match.worlds import check_matches, in_order, pairs_of
from tests.messages import missing, refused

pytestmark = pytest.mark.usefixtures("compiled")

MEGABYTE = 1 << 20
MANY = 200_000


@contextmanager
def seconds(most):
    begin = time.perf_counter()
    yield
    assert time.perf_counter() - begin < most


def resident(kind):
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(kind))
    return int(line.split()[1]) * 1024


@contextmanager
def memory(most):
    """The process may grow by so many bytes at any time, not only in the end."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    except OSError:
        pytest.skip("the peak of memory cannot be measured here")
    before = resident("VmRSS")
    yield
    grown = resident("VmHWM") - before
    assert grown < most, f"grew by {grown / MEGABYTE:.0f} MB"


# Long texts and long lists


def test_texts_of_a_megabyte():
    long = "x" * MEGABYTE
    with seconds(10), memory(200 * MEGABYTE):
        index = Index(
            {"s": "string"},
            [
                {"id": "=", "where": f"s = '{long}'"},
                {"id": "like", "where": f"s LIKE '{long}%'"},
                {"id": "<", "where": f"s < '{long}'"},
                {"id": ">", "where": f"s > '{long}'"},
            ],
        )
        index.insert("later", f"s >= '{long}y'")
        index.insert_many({"id": ["table"], "s in": [[long, long + "z"]]})
        values = [long, long + "x", long[:-1], long[:-1] + "y", long + "y", "", None]
        found = index.match(pa.table({"s": values}))
        many = index.match(pa.table({"s": values * 5}))
    by_value = [["=", "like", "table"], ["like", ">"], ["<"], ["later", ">"], ["like", ">", "later"], ["<"], []]
    expected = [(row, id_) for row, ids in enumerate(by_value) for id_ in ids]
    assert pairs_of(found) == in_order(expected)
    assert pairs_of(many) == in_order((row + 7 * k, id_) for row, id_ in expected for k in range(5))
    assert str(index.explain({"s": "short"}, "=")) == f"s = '{long}' fails: s is 'short'."


def test_a_list_of_a_hundred_thousand_values():
    values = np.arange(0, 300_000, 3)
    batch = pa.table({"x": np.arange(-5, 2000)})
    expected = np.isin(batch["x"].to_numpy(), values)
    with seconds(30), memory(500 * MEGABYTE):
        written = Index({"x": "bigint"}, {"where": [f"x IN ({', '.join(map(str, values))})"]})
        listed = Index({"x": "bigint"}, {"x in": [values]})
        without = Index({"x": "bigint"}, {"where": [f"x NOT IN ({', '.join(map(str, values[:10_000]))})"]})
    with seconds(2):
        check_matches(written.match(batch), expected[None])
        check_matches(listed.match(batch), expected[None])
        check_matches(without.match(batch), ~expected[None])
        check_matches(listed.match(batch.slice(0, 20)), expected[None, :20])


def test_a_list_of_a_hundred_thousand_texts():
    values = [f"name {n}" for n in range(100_000)]
    with seconds(20):
        index = Index({"s": "string"}, {"s in": [values]})
        index.insert("later", "s = 'name 77777'")
    found = index.match(pa.table({"s": ["name 5", "name 77777", "name", "name 100000", None]}))
    assert pairs_of(found) == in_order([(0, 0), (1, 0), (1, "later")])


# Very many alike


def test_two_hundred_thousand_equal_subscriptions():
    with seconds(10), memory(300 * MEGABYTE):
        index = Index({"x": "bigint", "s": "string"}, {"where": ["x BETWEEN 10 AND 12 AND s = 'a'"] * MANY})
        assert len(index) == MANY
        batch = pa.table({"x": np.arange(1000), "s": ["a"] * 1000})
        found = index.match(batch)
    assert np.flatnonzero(np.diff(found.starts)).tolist() == [10, 11, 12]
    assert all(np.array_equal(np.sort(mine), np.arange(MANY)) for mine in np.split(found.numbers, 3))
    with seconds(1):
        assert len(index.match(batch.slice(0, 10))) == 0
    with seconds(5):
        for number in range(0, MANY, 2):
            index.remove(number)
    assert np.array_equal(np.sort(index.match(batch.slice(11, 1)).numbers), np.arange(1, MANY, 2))


@pytest.mark.parametrize("pairs", [2_000_000, 1000])
def test_subscriptions_that_match_everything_do_not_fill_memory(pairs):
    """All pairs at once would take 240 MB."""
    rows = 300 if pairs > MANY else 40
    batch = pa.table({"x": np.arange(rows)})
    index = Index({"x": "bigint"}, {"where": ["true"] * MANY})
    next(index.slices(batch.slice(0, 1)))  # lay out and warm up
    total, seen = 0, []
    with seconds(60), memory(60 * MEGABYTE):
        for part in index.slices(batch, pairs):
            assert len(part) <= pairs or len(part.events) == 1
            total += len(part)
            seen += part.events.tolist()
            assert len(part) == MANY * len(part.events)
    assert total == MANY * rows
    assert sorted(seen) == list(range(rows))


def test_a_few_events_that_match_everything_do_not_fill_memory_either():
    """They are matched by bitmaps, and all of their pairs would take 40 MB before they are found to be too many."""
    index = Index({"x": "bigint"}, {"where": ["true"] * MANY})
    index.match(pa.table({"x": [1]}))
    index.match(pa.table({"x": pa.array([], pa.int64())}))  # so that the next batch is not cut beforehand
    with memory(20 * MEGABYTE):
        sizes = [len(part) for part in index.slices(pa.table({"x": np.arange(24)}), 1000)]
    assert sizes == [MANY] * 24


def test_one_event_can_have_more_pairs_than_the_limit():
    index = Index({"x": "bigint"}, {"where": ["x = 5"] * 300 + ["x = 6"] * 3})
    parts = list(index.slices(pa.table({"x": [6, 5, 7, 6, 5]}), 10))
    assert sorted((len(part), len(part.events)) for part in parts if len(part) > 10) == [(300, 1), (300, 1)]
    assert in_order(pair for part in parts for pair in pairs_of(part)) == in_order(
        [(row, number) for row in (1, 4) for number in range(300)]
        + [(row, number) for row in (0, 3) for number in range(300, 303)]
    )


# Lopsided values


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -0.0, 5e-324, None])
@pytest.mark.parametrize("rows", [1, 5 * 512])
def test_columns_with_a_single_value(value, rows):
    wheres = {
        "finite": "d > double('-Infinity') AND d < double('Infinity')", "infinite": "d = double('Infinity')",
        "not a number": "d > double('Infinity')", "any": "d IS NOT NULL", "none": "d IS NULL", "zero": "d = 0",
        "least": "d <= double('-Infinity')", "positive": "d > 0", "either": "d IS NULL OR d < 0",
    }  # fmt: skip
    index = Index({"d": "double"}, {"id": list(wheres), "where": list(wheres.values())})
    expected = {
        "nan": ["not a number", "any", "positive"],
        "inf": ["infinite", "any", "positive"],
        "-inf": ["any", "least", "either"],
        "-0.0": ["finite", "any", "zero"],
        "5e-324": ["finite", "any", "positive"],
        "None": ["none", "either"],
    }[str(value)]
    with seconds(5):
        found = index.match(pa.table({"d": pa.array([value] * rows, pa.float64())}))
    assert sorted(found.ids[: len(expected)]) == sorted(expected)
    assert np.diff(found.starts).tolist() == [len(expected)] * rows


def test_bounds_at_the_ends_and_close_together():
    """Nearly all bounds within a hair's breadth, and a few so far off that differences overflow."""
    near = np.nextafter(1.0, 2.0) + np.arange(3000) * np.finfo(float).eps
    bounds = np.concatenate([near, [-math.inf, -1.7e308, 0.0, 1.7e308, math.inf]])
    values = np.concatenate([near[::7], bounds[-5:], [1.0, 2.0, -5e-324]])
    index = Index({"d": "double"}, {"d >=": bounds})
    for some in (values, values[-20:]):
        check_matches(index.match(pa.table({"d": some})), some >= bounds[:, None])
    whole = np.array([-(2**63), -(2**63) + 1, -1, 0, 1, 2**63 - 2, 2**63 - 1])
    index = Index({"x": "bigint"}, {"x >=": np.repeat(whole, 7), "x <=": np.tile(whole, 7)})
    values = np.tile(whole, 10)
    expected = (np.repeat(whole, 7)[:, None] <= values) & (values <= np.tile(whole, 7)[:, None])
    check_matches(index.match(pa.table({"x": values})), expected)


# Very many fields


def test_a_thousand_fields_with_a_subscription_on_each():
    fields = {f"f{n}": "bigint" for n in range(1000)}
    with seconds(20), memory(400 * MEGABYTE):
        index = Index(fields, [{"where": f"f{n} = {n}"} for n in range(1000)])
        index.insert_many([{"where": f"f{n} > {n}"} for n in range(1000)])
        index.insert("all", " AND ".join(f"f{n} >= {n % 3}" for n in range(1000)))
        values = np.random.default_rng(1).integers(0, 1000, (1000, 600))
        values[:, 5] = 1000
        batch = pa.record_batch(dict(zip(fields, values, strict=True)))
        found, few = index.match(batch), index.match(batch.slice(0, 7))
        list(index.slices(batch, 10_000))
    numbers = np.arange(1000)[:, None]
    expected = np.vstack([values == numbers, values > numbers, (values >= numbers % 3).all(axis=0)[None]])
    assert expected[2000].sum() >= 1
    check_matches(found, expected)
    check_matches(few, expected[:, :7])


def test_the_largest_number_of_fields():
    fields = {f"f{n}": "int" for n in range(MOST_FIELDS)}
    with seconds(20):
        index = Index(fields, {"where": ["f0 = 1", f"f{MOST_FIELDS - 1} > 3", f"f{MOST_FIELDS - 1} < 3 AND f7 > 3"]})
        batch = pa.table({"f0": [1, 2] * 20, "f7": [4] * 40, f"f{MOST_FIELDS - 1}": [5, 2] * 20})
        found = index.match(batch)
    assert pairs_of(found) == [
        (row, number) for k in range(20) for row, number in [(2 * k, 0), (2 * k, 1), (2 * k + 1, 2)]
    ]


def test_too_many_fields_are_an_error():
    with refused(f"{MOST_FIELDS} {MOST_FIELDS + 1}"):
        Index({f"f{n}": "int" for n in range(MOST_FIELDS + 1)})


# Batches that do not fit


def error_of(batch, kind="bigint"):
    index = Index({"x": kind, "y": "int"}, {"where": ["x IS NOT NULL"]})
    with pytest.raises(SparingError) as raised:
        index.match(batch)
    with pytest.raises(SparingError) as again:
        next(index.slices(batch))
    assert str(again.value) == str(raised.value)
    return str(raised.value)


def test_a_batch_without_a_required_column_is_an_error():
    for batch in ({"y": [1]}, {"X": [1]}, {}):
        assert missing(error_of(pa.table(batch)), "x") == []


def test_a_batch_with_a_duplicate_column_is_an_error():
    batch = pa.table([[1], [2]], names=["x", "x"])
    assert missing(error_of(batch), "x") == []


NANOSECOND = pa.array([1], pa.timestamp("ns"))


@pytest.mark.parametrize(
    ("kind", "array", "why"),
    [
        ("bigint", pa.array(["a"]), "Failed to parse string: 'a' as a scalar of type int64"),
        ("bigint", pa.array([1.5]), "Float value 1.500000 was truncated converting to int64"),
        ("bigint", pa.array([2**63], pa.uint64()), f"Integer value {2**63} not in range: 0 to {2**63 - 1}"),
        ("bigint", pa.array([[1]]), "Unsupported cast from list<item: int64> to int64 using function cast_int64"),
        ("double", pa.array([2**53 + 1]), f"Integer value {2**53 + 1} not in range: -{2**53} to {2**53}"),
        ("double", pa.array(["a"]), "Failed to parse string: 'a' as a scalar of type double"),
        ("string", pa.array([[1]]), "Unsupported cast from list<item: int64> to utf8 using function cast_string"),
        ("string", pa.array([b"\xff"]), "Invalid UTF8 payload"),
        ("boolean", pa.array(["perhaps"]), "Failed to parse value: perhaps"),
        ("date", pa.array(["soon"]), "Failed to parse string: 'soon' as a scalar of type date32[day]"),
        ("timestamp", NANOSECOND, "Casting from timestamp[ns] to timestamp[us, tz=UTC] would lose data: 1"),
        ("decimal(8,2)", pa.array([Decimal("1.005")]), "Rescaling Decimal value would cause data loss"),
        ("decimal(18,0)", pa.array([Decimal(2**64)]), "Decimal value does not fit in precision 18"),
    ],
)
def test_a_batch_with_a_column_of_the_wrong_type_is_an_error(kind, array, why):
    message = error_of(pa.table({"x": array}), kind)
    assert why in message
    assert missing(message, f"x {array.type} {kind}") == []


def test_a_rejected_batch_leaves_the_index_unchanged():
    index = Index({"x": "bigint"}, {"where": ["x > 1"]})
    before = index.match(pa.table({"x": [1, 2]}))
    with pytest.raises(SparingError):
        index.match(pa.table({"x": ["no", "no"]}))
    assert index.stats().events == 2
    assert pairs_of(index.match(pa.table({"x": [2, 1]}))) == [(0, 0)]
    assert pairs_of(before) == [(1, 0)]
