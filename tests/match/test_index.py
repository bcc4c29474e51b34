"""The index against the judges: any fields, subscriptions and events, with any settings."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.match import Index
from sparing.match.boxes import Boxes
from sparing.match.columns import column
from sparing.model.box import Box
from sparing.model.constraint import ANYTHING, EXISTS, IS_NULL, between, complement, one_of, starts_with
from sparing.model.types import BIGINT, DOUBLE, INT, STRING, float_code
from tests import strategies
from tests.match import worlds
from tests.match.worlds import check_matches, check_slices, never_holds, pairs_of, tuned, tunings
from tests.tries import tries


def conditions(name, kind, values):
    return strategies.conditions(name, kind)


def holds(condition, kind, value):
    return condition.truth(value) is True


def constraints(name, kind, values):
    return worlds.constraints(kind, values)


def admits(constraint, kind, value):
    return constraint.admits(None if value is None else kind.code(value))


@settings(max_examples=tries(70))
@given(st.data(), worlds.events(), tunings)
def test_conditions_match_as_in_sql(data, events, tuning):
    """From text to pairs, judged by three-valued logic on the values themselves."""

    def ask(name, kind, values):
        return conditions(name, kind, values).filter(lambda condition: not never_holds(condition.text, {name: kind}))

    asked = data.draw(worlds.subscriptions(events, ask, holds, sizes=(0, 1, 5, 40, 300)))
    wheres = [" AND ".join(f"({c.text})" for c in asked.of(s).values()) or "true" for s in range(len(asked))]
    expected = asked.matching(events)
    with tuned(tuning):
        index = Index(events.fields, {"where": pa.array(wheres, pa.string())})
        check_matches(index.match(events.batch), expected)


def paths_of(index):
    """How the last batch was matched."""
    stats, segments = index.stats(), list(index._store.segments())
    yield from {"a segment of a value" if segment.field is not None else "the common segment" for segment in segments}
    if stats.looked_up:
        yield "looked up"
    if len(index._bitmap_indexes):
        yield "bitmaps"
    if any(bitmaps._coarseness for bitmaps in index._bitmap_indexes.values()):
        yield "coarse bitmaps"
    if stats.scanned:
        yield "tiles"
        yield from {"pivots" if segment.pivots[0][0] >= 0 else "no pivots" for segment in segments}
        yield "compared" if stats.verified else "exact"


@pytest.mark.parametrize("events_are", ["many", "few", "as they are"])
def test_boxes_match_the_events_that_they_admit(events_are):
    """With other settings for each example; those that decide on the path are seen to, so that every one is taken."""
    many = {"index.FEW_EVENTS": 0, "layout.PIVOT_GAIN": 1}
    few = {"index.FEW_EVENTS": 10**9, "bitmaps.MOST_BITMAPS": 1}
    pinned = {"many": many, "few": few, "as they are": {}}[events_are]
    taken = Counter()

    @settings(max_examples=tries(8))
    @given(st.data(), worlds.events(), tunings)
    def check(way, data, events, tuning):
        asked = data.draw(worlds.subscriptions(events, constraints, admits))
        boxes = [Box.of(asked.of(s)) for s in range(len(asked))]
        expected = asked.matching(events)
        if data.draw(st.booleans()):
            middle = len(boxes) // 2
            boxes.insert(middle, None)
            expected = np.insert(expected, middle, False, axis=0)
        with tuned({**tuning, **way, **pinned}):
            index = Index.of_boxes(events.fields, boxes)
            first = index.match(events.batch)
            check_matches(first, expected)
            if 0 < expected.sum() < expected.size:
                taken.update(paths_of(index))
            check_matches(index.match(events.batch), expected)
            limit = data.draw(st.sampled_from([0, 1, 50, expected.sum() // 3, expected.sum(), 10**9]))
            if limit > expected.sum() / 60:  # not hundreds of slices
                check_slices(index, events.batch, expected, int(limit))
            check_matches(first, expected)

    for way in worlds.WAYS:
        check(way)
    paths = {"a segment of a value", "the common segment", "looked up"}
    paths |= {"many": {"tiles", "pivots", "compared"}, "few": {"bitmaps", "coarse bitmaps"}, "as they are": set()}[
        events_are
    ]
    assert paths <= set(taken), taken


def test_every_setting_is_varied():
    """One that is added to the index and forgotten here might keep these tests from some path, or from all of them."""
    fixed = {"LEAST", "MOST", "NO_SET", "BITS", "CELLS", "MOST_BUCKETS", "UNSORTED"}
    fixed |= {"MOST_PAIRS", "MOST_FIELDS", "GAP", "SMALL_GAP"}
    found = {
        f"{module}.{name}"
        for module, of in worlds.MODULES.items()
        for name, value in vars(of).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, int) and name not in fixed
    }
    assert found == {*worlds.SETTINGS, *worlds.WAYS[0]}


@settings(max_examples=tries(60))
@given(st.data(), worlds.events(rows=(0, 1, 70)))
def test_each_row_is_checked_against_its_own_box(data, events):
    asked = data.draw(worlds.subscriptions(events, constraints, admits, sizes=(1, 5)))
    boxes = Boxes(events.fields, [Box.of(asked.of(s)) for s in range(len(asked))])
    which = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).integers(-1, len(asked), len(events))
    columns = {name: column(events.batch.column(name), kind) for name, kind in events.fields.items()}
    expected = asked.matching(events)
    expected = [w < 0 or expected[w, row] for row, w in enumerate(which.tolist())]
    assert boxes.admit(columns, which).tolist() == expected


def matching(kind, constraint, values):
    """The values of a one-field batch that a constraint finds; both for few events and for many."""
    batch = pa.record_batch({"f": pa.array(values, worlds.arrow_type(kind))})
    index = Index.of_boxes({"f": kind}, [Box.of({"f": constraint})])
    few = [values[row] for row in index.match(batch).rows]
    many = index.match(pa.Table.from_batches([batch] * 100)).rows
    assert sorted(many.tolist()) == [
        row + k * len(values) for k in range(100) for row in sorted(index.match(batch).rows.tolist())
    ]
    return few


@pytest.mark.parametrize(
    ("kind", "constraint", "values", "expected"),
    [
        (DOUBLE, between(DOUBLE, float_code(1.0), None), [math.inf, -math.inf, 1.0, 0.5], [math.inf, 1.0]),
        (DOUBLE, between(DOUBLE, None, float_code(math.inf)), [math.inf, -math.inf, 5.0], [-math.inf, 5.0]),
        (DOUBLE, one_of(DOUBLE, [0]), [-0.0, 0.0, 5e-324], [-0.0, 0.0]),
        (DOUBLE, between(DOUBLE, None, 0), [-0.0, 0.0, -5e-324], [-5e-324]),
        (STRING, one_of(STRING, [""]), ["", "a", None, "\0"], [""]),
        (STRING, between(STRING, "a\0", None), ["a", "a\0", "a\0\0", "b"], ["a\0", "a\0\0", "b"]),
        (STRING, one_of(STRING, ["a\0"]), ["a", "a\0", "a\0\0", "a\1"], ["a\0"]),
        (STRING, starts_with(STRING, "ab"), ["a", "ab", "ab\0", "ab\U0010ffff", "ac"], ["ab", "ab\0", "ab\U0010ffff"]),
        (STRING, between(STRING, "\uffff", None), ["\ue000", "\U0001f600"], ["\U0001f600"]),
        (INT, one_of(INT, range(0, 40, 2)), [*range(-3, 9), None], [0, 2, 4, 6, 8]),
        (INT, one_of(INT, range(0, 40, 2)).union(IS_NULL), [None, 38, 39, 40], [None, 38]),
        (INT, complement(INT, one_of(INT, range(0, 12, 2))), [None, 0, 1, 2, 10, 11, 12], [1, 11, 12]),
        (BIGINT, one_of(BIGINT, [-(2**63), 2**63 - 1]), [-(2**63), 0, 2**63 - 1], [-(2**63), 2**63 - 1]),
        (BIGINT, complement(BIGINT, one_of(BIGINT, [-(2**63), 2**63 - 1])), [-(2**63), 0, 2**63 - 1], [0]),
        (BIGINT, between(BIGINT, 2**63 - 1, None), [2**63 - 2, 2**63 - 1], [2**63 - 1]),
        (INT, EXISTS, [1, None], [1]),
        (INT, IS_NULL, [1, None], [None]),
        (INT, ANYTHING, [1, None], [1, None]),
    ],
)  # fmt: skip
def test_extreme_values_of_each_type(kind, constraint, values, expected):
    assert sorted(matching(kind, constraint, values), key=repr) == sorted(expected, key=repr)


def test_nan_is_above_infinity():
    above = between(DOUBLE, float_code(math.inf) + 1, None)
    found = matching(DOUBLE, above, [math.nan, -math.nan, math.inf, None])
    assert len(found) == 2
    assert all(map(math.isnan, found))


@pytest.mark.parametrize("rows", [0, 1, 30])
def test_in_an_index_without_fields_all_subscriptions_match(rows):
    index = Index({}, {"id": ["all", "each"], "where": ["true", "true"]})
    found = index.match(pa.table({"anything": [1] * rows}))
    assert pairs_of(found) == [(row, name) for row in range(rows) for name in ("all", "each")]


@pytest.mark.parametrize("rows", [0, 1, 600])
def test_an_index_without_subscriptions_has_no_matches(rows):
    index = Index({"x": "int"})
    assert len(index) == 0
    found = index.match(pa.table({"x": [1] * rows}))
    assert len(found) == 0
    assert found.starts.tolist() == [0] * (rows + 1)


def test_field_types_can_be_given_by_name():
    assert Index({"x": "long", "s": STRING}).fields == {"x": BIGINT, "s": STRING}


def test_columns_without_constraints_are_optional():
    fields = {"x": "int", "y": "double", "s": "string"}
    index = Index(fields, {"where": ["x > 1", "x = 7"]})
    assert pairs_of(index.match(pa.table({"x": [1, 7], "other": [{"a": 1}, None]}))) == [(1, 0), (1, 1)]
    index.insert(2, "s IS NULL")
    index.insert(3, "true")
    found = index.match(pa.table({"x": [7], "s": pa.nulls(1)}))
    assert pairs_of(found) == [(0, 0), (0, 1), (0, 2), (0, 3)]
