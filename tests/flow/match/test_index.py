"""Matching a whole batch against asking every box about every row."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from sparing.flow.match.index import Index, rows_in
from sparing.flow.match.ranked import MISSING, Ranked
from sparing.model.box import Box
from sparing.model.constraint import ANYTHING, EXISTS, IS_NULL, between, complement, one_of, starts_with
from sparing.model.types import BIGINT, DOUBLE, INT, STRING, Kind, float_code
from tests import strategies
from tests.flow.strategies import column_of


def batch_of(types, rows):
    """Rows (field -> value or None) as a ranked batch."""
    columns = {}
    for name, kind in types.items():
        found = [row[name] for row in rows]
        if kind.kind is not Kind.FLOATING:  # doubles are kept as they are
            found = [None if value is None else kind.code(value) for value in found]
        columns[name] = column_of(found, kind)
    return Ranked(columns, len(rows))


def codes_of(types, row):
    return {name: None if row[name] is None else kind.code(row[name]) for name, kind in types.items()}


@st.composite
def _constraints(draw, kind, near):
    """Constraints whose ends are often values of the batch; some of them long lists."""
    pool = strategies.codes(kind) | (st.sampled_from(near) if near else st.nothing())
    if draw(st.integers(0, 3)):
        return draw(strategies.constraints(kind, pool=pool))
    many = one_of(kind, draw(st.lists(pool, min_size=5, max_size=12, unique=True)))
    return draw(st.sampled_from([many, complement(kind, many), many.union(IS_NULL)]))


@st.composite
def batches_and_boxes(draw):
    """Up to four fields of any type, up to twelve rows, up to six boxes."""
    types = {name: draw(strategies.field_types()) for name in draw(st.sampled_from(["a", "ab", "abcd"]))}
    shape = st.fixed_dictionaries({name: st.none() | strategies.values(kind) for name, kind in types.items()})
    rows = draw(st.lists(shape, max_size=12))
    boxes = []
    for _ in range(draw(st.integers(0, 6))):
        constraints = {}
        for name in draw(st.lists(st.sampled_from(sorted(types)), unique=True)):
            near = [types[name].code(row[name]) for row in rows if row[name] is not None]
            constraints[name] = draw(_constraints(types[name], near).filter(lambda c: not c.empty))
        boxes.append(Box.of(constraints))
    return types, rows, boxes


@given(batches_and_boxes())
def test_index_finds_exactly_what_boxes_admit(case):
    types, rows, boxes = case
    ranked = batch_of(types, rows)
    found = Index(boxes).match(ranked)
    pairs = list(zip(found.boxes.tolist(), found.rows.tolist(), strict=True))
    expected = [(b, r) for b, box in enumerate(boxes) for r, row in enumerate(rows) if box.admits(codes_of(types, row))]
    event(f"some but not all match: {0 < len(expected) < len(rows) * len(boxes)}")
    assert sorted(pairs) == expected
    # Within a box rows ascend, so a stable sort by row is all that a caller needs.
    assert all(one < other for one, other in pairwise(pairs) if one[0] == other[0])


@given(batches_and_boxes(), st.data())
def test_rows_in_agrees_with_admits(case, data):
    types, rows, boxes = case
    ranked = batch_of(types, rows)
    some = data.draw(st.lists(st.sampled_from(range(len(rows))))) if rows else []
    for box in boxes:
        holds = rows_in(ranked, box, np.array(some, dtype=np.int64))
        assert holds.tolist() == [box.admits(codes_of(types, rows[row])) for row in some]


@given(batches_and_boxes())
@settings(max_examples=50)
def test_ranks_put_every_field_in_order(case):
    types, rows, _ = case
    ranked = batch_of(types, rows)
    for name, kind in types.items():
        field = ranked.field(name)
        codes = [codes_of({name: kind}, row)[name] for row in rows]
        in_order = [codes[row] for row in field.order]
        assert in_order == sorted(code for code in codes if code is not None)
        assert [field.rank[row] for row in field.order] == list(range(len(field.order)))
        assert sorted(field.missing.tolist()) == [row for row, code in enumerate(codes) if code is None]
        assert (field.rank[field.missing] == MISSING).all()


def matching(kind, constraint, values):
    """The values of a one-field batch that a constraint finds."""
    ranked = batch_of({"f": kind}, [{"f": value} for value in values])
    return [values[row] for row in Index([Box.of({"f": constraint})]).match(ranked).rows]


@pytest.mark.parametrize(
    ("kind", "constraint", "values", "expected"),
    [
        (DOUBLE, between(DOUBLE, float_code(1.0), None), [math.inf, -math.inf, 1.0, 0.5], [math.inf, 1.0]),
        (DOUBLE, between(DOUBLE, None, float_code(math.inf)), [math.inf, -math.inf, 5.0], [-math.inf, 5.0]),
        (DOUBLE, one_of(DOUBLE, [0]), [-0.0, 0.0, 5e-324], [-0.0, 0.0]),
        (STRING, one_of(STRING, [""]), ["", "a", None], [""]),
        (
            STRING,
            starts_with(STRING, "ab"),
            ["a", "ab", "ab\0", "abz\U0010ffff", "ac"],
            ["ab", "ab\0", "abz\U0010ffff"],
        ),
        (STRING, between(STRING, "\uffff", None), ["\ue000", "\U0001f600"], ["\U0001f600"]),
        (INT, one_of(INT, range(0, 40, 2)), [*range(-3, 9), None], [0, 2, 4, 6, 8]),
        (INT, one_of(INT, range(0, 40, 2)).union(IS_NULL), [None, 38, 39, 40], [None, 38]),
        (INT, complement(INT, one_of(INT, range(0, 12, 2))), [None, 0, 1, 2, 10, 11, 12], [1, 11, 12]),
        (BIGINT, one_of(BIGINT, [-(2**63), 2**63 - 1]), [-(2**63), 0, 2**63 - 1], [-(2**63), 2**63 - 1]),
        (INT, EXISTS, [1, None], [1]),
        (INT, IS_NULL, [1, None], [None]),
        (INT, ANYTHING, [1, None], [1, None]),
    ],
)
def test_corners(kind, constraint, values, expected):
    assert sorted(matching(kind, constraint, values), key=repr) == sorted(expected, key=repr)


def test_nan_is_above_infinity():
    above = between(DOUBLE, float_code(math.inf) + 1, None)
    found = matching(DOUBLE, above, [math.nan, -math.nan, math.inf, None])
    assert len(found) == 2
    assert all(map(math.isnan, found))


@pytest.mark.parametrize("boxes", [[], [Box()], [Box.of({"f": EXISTS}), Box()]])
@pytest.mark.parametrize("values", [[], [None], [1, None, 2]])
def test_no_boxes_unconstrained_boxes_and_empty_batches(boxes, values):
    found = Index(boxes).match(batch_of({"f": INT}, [{"f": value} for value in values]))
    expected = [(b, r) for b, box in enumerate(boxes) for r, v in enumerate(values) if box.admits({"f": v})]
    assert sorted(zip(found.boxes.tolist(), found.rows.tolist(), strict=True)) == expected
