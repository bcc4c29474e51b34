"""Explanations of matches: in agreement with matching, and their texts."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.match import Explanation, Failure, Index
from sparing.model.box import Box
from sparing.model.errors import SparingError
from tests.match import worlds
from tests.match.test_index import admits, constraints
from tests.match.worlds import tuned, tunings
from tests.messages import missing, refused
from tests.tries import tries

FIELDS = {
    "symbol": "string", "price": "double", "size": "bigint", "flag": "boolean", "day": "date", "at": "timestamp",
    "amount": "decimal(8,2)", "air speed": "int",
}  # fmt: skip


@settings(max_examples=tries(60))
@given(st.data(), worlds.events(rows=(1, 3)), tunings)
def test_explanations_agree_with_matches(data, events, tuning):
    """For every pair, wherever the subscription stands; and they name exactly the fields that fail."""
    asked = data.draw(worlds.subscriptions(events, constraints, admits, sizes=(1, 12)))
    expected = asked.matching(events)
    with tuned(tuning):
        half = len(asked) // 2
        index = Index.of_boxes(events.fields, [Box.of(asked.of(s)) for s in range(half)])
        for s in range(half, len(asked)):
            index.insert(s, Box.of(asked.of(s)))
        matched = np.zeros_like(expected)
        found = index.match(events.batch)
        matched[found.numbers, found.rows] = True
        for s in range(len(asked)):
            for row in range(len(events)):
                explanation = index.explain(events.row(row), s)
                assert explanation.matches == expected[s, row] == matched[s, row]
                failing = [
                    name
                    for name, constraint in sorted(asked.of(s).items())
                    if not admits(constraint, events.fields[name], events.row(row)[name])
                ]
                assert [failure.field for failure in explanation.failures] == failing
                for failure in explanation.failures:
                    kind = events.fields[failure.field]
                    assert failure.wanted == asked.of(s)[failure.field].sql(failure.field, kind)
                text = str(explanation)
                assert all(failure.wanted in text and failure.found in text for failure in explanation.failures)


@pytest.mark.parametrize(
    ("where", "event", "failures"),
    [
        ("symbol = 'A'", {"symbol": "B"}, [("symbol = 'A'", "'B'")]),
        ("symbol = 'A'", {}, [("symbol = 'A'", "missing")]),
        ("symbol = 'A'", {"symbol": None}, [("symbol = 'A'", "missing")]),
        ("symbol = 'A'", {"symbol": "A"}, []),
        ("symbol LIKE 'A%'", {"symbol": "It's"}, [("symbol LIKE 'A%'", "'It\\'s'")]),
        ("symbol IN ('A', 'B')", {"symbol": "C"}, [("symbol IN ('A', 'B')", "'C'")]),
        ("symbol > 'A' AND symbol <= 'B'", {"symbol": "A"}, [("(symbol > 'A' AND symbol <= 'B')", "'A'")]),
        ("price < 10", {"price": 12.5}, [("price < 10.0D", "12.5D")]),
        ("price < 10", {"price": 12}, [("price < 10.0D", "12.0D")]),
        ("price < 10", {"price": math.nan}, [("price < 10.0D", "NaN")]),
        ("price < 10", {"price": math.inf}, [("price < 10.0D", "double('inf')")]),
        ("price > double('Infinity')", {"price": 1.0}, [("price > double('Infinity')", "1.0D")]),
        ("size IS NULL", {"size": 0}, [("size IS NULL", "0")]),
        ("size IS NOT NULL", {}, [("size IS NOT NULL", "missing")]),
        ("size <> 3", {"size": 3}, [("(size < 3 OR size >= 4)", "3")]),
        ("size = 3 OR size IS NULL", {"size": 2}, [("(size = 3 OR size IS NULL)", "2")]),
        ("flag", {"flag": False}, [("flag = true", "false")]),
        ("day >= '2026-01-02'", {"day": date(2026, 1, 1)}, [("day >= DATE '2026-01-02'", "DATE '2026-01-01'")]),
        (
            "at < '2026-01-01'",
            {"at": datetime(2026, 1, 1, 12, tzinfo=UTC)},
            [("at < TIMESTAMP '2026-01-01 00:00:00'", "TIMESTAMP '2026-01-01 12:00:00'")],
        ),
        ("amount = 9.99", {"amount": Decimal("10.5")}, [("amount = 9.99", "10.50")]),
        ("`air speed` > 5", {"air speed": 5}, [("`air speed` >= 6", "5")]),
        ("price < 10 AND size > 5", {"size": 1, "price": 1.0}, [("size >= 6", "1")]),
        ("size > 5 AND price < 10", {}, [("price < 10.0D", "missing"), ("size >= 6", "missing")]),
    ],
)
def test_explanations_show_conditions_and_values(where, event, failures):
    check(Index(FIELDS, {"where": [where]}).explain(event, 0), failures)


def check(explanation, failures):
    """Conditions that fail, and the values at which they do; None where no value is to blame."""
    assert [failure.wanted for failure in explanation.failures] == [wanted for wanted, _ in failures]
    for failure, (wanted, found) in zip(explanation.failures, failures, strict=True):
        assert found in (None, failure.found)
        assert wanted in str(explanation)
        assert failure.found in str(explanation)


@pytest.mark.parametrize(
    ("table", "event", "failures"),
    [
        ({"day <=": [date.max]}, {}, [("day IS NOT NULL", "missing")]),
        ({"day >=": [date.min]}, {}, [("day IS NOT NULL", "missing")]),
        ({"at <=": [datetime.max.replace(tzinfo=UTC)]}, {}, [("at IS NOT NULL", "missing")]),
        ({"size <=": [2**63 - 1]}, {}, [("size IS NOT NULL", "missing")]),
        ({"air speed <=": [2**31 - 1]}, {}, [("`air speed` IS NOT NULL", "missing")]),
        ({"price <=": [math.nan]}, {}, [("price IS NOT NULL", "missing")]),
        ({"price <": [math.nan]}, {"price": math.nan}, [("price <= double('Infinity')", "NaN")]),
        ({"price <": [0.0]}, {"price": 1.0}, [("price < 0.0D", "1.0D")]),
        ({"symbol <=": ["A"]}, {"symbol": "A\0"}, [("symbol <= 'A'", "'A\x00'")]),
        ({"symbol in": [["B", "A"]]}, {"symbol": "C"}, [("symbol IN ('A', 'B')", "'C'")]),
        ({"size >": [5], "size <": [3]}, {"size": 4}, [("false", None)]),
        ({"size in": [[]]}, {"size": 4}, [("false", None)]),
        ({"size >": [2**63 - 1]}, {"size": 4}, [("false", None)]),
    ],
)
def test_explanations_of_comparisons_show_conditions_and_values(table, event, failures):
    check(Index(FIELDS, table).explain(event, 0), failures)


def test_an_explanation_has_failures_as_records():
    explanation = Index(FIELDS, {"id": ["cheap"], "where": ["price < 10"]}).explain({"price": 12.5}, "cheap")
    assert explanation == Explanation((Failure("price", "price < 10.0D", "12.5D"),))
    assert not explanation.matches


def test_missing_values_of_pandas():
    index = Index(FIELDS, {"where": ["at IS NULL", "price IS NULL"]})
    assert index.explain({"at": np.datetime64("NaT", "us")}, 0).matches
    assert not index.explain({"price": np.float64("nan")}, 1).matches  # NaN is a number, as in Spark


TOO_LARGE = "Python int too large to convert to C long"
NOT_UNICODE = r"'utf-8' codec can't encode character '\ud800' in position 0: surrogates not allowed"


@pytest.mark.parametrize(
    ("field", "value", "kind", "why"),
    [
        ("size", "many", "bigint", "Failed to parse string: 'many' as a scalar of type int64"),
        ("size", 2.5, "bigint", "Float value 2.500000 was truncated converting to int64"),
        ("size", 2**70, "bigint", TOO_LARGE),
        ("size", 2**63, "bigint", TOO_LARGE),
        ("symbol", "\ud800", "string", NOT_UNICODE),
        ("flag", "maybe", "boolean", "Failed to parse value: maybe"),
        ("at", pd.NaT, "timestamp", "NaTType does not support utcoffset"),
    ],
)
def test_values_of_the_wrong_type_are_an_error(field, value, kind, why):
    with pytest.raises(SparingError) as raised:
        Index(FIELDS, {"where": [f"{field} IS NOT NULL"]}).explain({field: value}, 0)
    assert why in str(raised.value)
    assert missing(str(raised.value), f"{value!r} {field} {kind}") == []


def test_an_event_with_an_unknown_field_is_an_error():
    with refused("weight symbol price size flag day at amount air speed"):
        Index(FIELDS, {"where": ["true"]}).explain({"weight": 1}, 0)


def test_an_unknown_subscription_is_an_error():
    with refused("x"):
        Index(FIELDS).explain({}, "x")


def test_explain_does_not_change_matches():
    index = Index(FIELDS, {"where": ["size > 5"]})
    before = index.match(pa.table({"size": [6, 5]})).rows.tolist()
    index.explain({"size": 1}, 0)
    assert index.match(pa.table({"size": [6, 5]})).rows.tolist() == before == [0]
