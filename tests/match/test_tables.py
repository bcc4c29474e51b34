"""Tables of subscriptions: conditions, columns of comparisons, and all their errors."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparing.match import Index
from sparing.model.errors import SparingError
from sparing.model.types import Kind
from tests import messages, strategies
from tests.judges.sql import compared
from tests.match import worlds
from tests.match.worlds import arrow_type, check_matches, never_holds, pairs_of, tuned, tunings
from tests.messages import refused
from tests.tries import tries

FIELDS = {"symbol": "string", "price": "double", "size": "bigint"}
SIGNS = ["=", ">=", ">", "<=", "<"]


def error_of(table, fields=FIELDS):
    with pytest.raises(SparingError) as raised:
        Index(fields, table)
    return str(raised.value)


def found_by(table, batch, fields=FIELDS):
    return pairs_of(Index(fields, table).match(pa.table(batch)))


# Columns of comparisons


@st.composite
def tables(draw, events):
    """A column for some comparisons with each field, NULL in many cells; lists only where nothing else is asked."""
    rows = draw(st.sampled_from([0, 1, 3, 12]))
    columns = {}
    for name, kind in events.fields.items():
        near = [value for value in events.values[name] if value is not None]
        cells = strategies.values(kind) | (st.sampled_from(near) if near else st.nothing())
        for sign in draw(st.lists(st.sampled_from(SIGNS), unique=True, max_size=3)):
            some = draw(st.lists(st.none() | cells, min_size=rows, max_size=rows))
            columns[f"{name} {sign}"] = pa.array(some, arrow_type(kind))
        if draw(st.integers(0, 2)) == 0:
            taken = np.zeros(rows, dtype=bool)
            for sign in SIGNS:
                if f"{name} {sign}" in columns:
                    taken |= columns[f"{name} {sign}"].is_valid().to_numpy(zero_copy_only=False)
            lists = st.none() | st.lists(st.none() | cells, max_size=5)
            columns[f"{name} in"] = pa.array(
                [None if taken[row] else draw(lists) for row in range(rows)], pa.list_(arrow_type(kind))
            )
    ids = draw(st.sampled_from([None, pa.array([f"n{n}" for n in range(rows)], pa.string())]))
    return pa.table(columns if ids is None and columns else {"id": pa.array(range(rows)), **columns})


def same_table(draw, table):
    """The same in one of the forms in which tables come."""
    match draw(st.sampled_from(["table", "batch", "chunks", "dict", "rows", "pandas", "polars"])):
        case "batch":
            return table.combine_chunks().to_batches()[0] if table.num_rows else table
        case "chunks":
            return pa.concat_tables([table.slice(0, 1), table.slice(1)])
        case "dict":
            return table.to_pydict()
        case "rows":
            first, *others = table.to_pylist() or [{}]
            rows = [first, *({k: v for k, v in row.items() if v is not None} for row in others)]
            return rows if table.num_rows else []
        case "pandas":
            return table.to_pandas(types_mapper=pd.ArrowDtype)
        case "polars":
            return pl.from_arrow(table)
    return table


def truth(kind, value, comparison, cell):
    """What SQL says to one cell."""
    if cell is None:
        return True
    if comparison == "in":
        return any(compared(kind, value, "=", one) is True for one in cell)
    return compared(kind, value, comparison, cell) is True


@settings(max_examples=tries(120))
@given(st.data(), worlds.events(most_fields=3, rows=(1, 30, 600)), tunings)
def test_comparison_columns_match_as_in_sql(data, events, tuning):
    table = data.draw(tables(events))
    expected = np.ones((table.num_rows, len(events)), dtype=bool)
    for column in table.column_names:
        if column != "id":
            name, _, comparison = column.rpartition(" ")
            kind, cells = events.fields[name], table[column].to_pylist()
            says = [[truth(kind, value, comparison, cell) for value in events.values[name]] for cell in cells]
            shape = (len(cells), len(events.values[name]))
            expected &= np.array(says, dtype=bool).reshape(shape)[:, events.picks[name]]
    given_as = same_table(data.draw, table)
    with tuned(tuning):
        index = Index(events.fields, given_as)
        assert len(index) == table.num_rows
        check_matches(index.match(events.batch), expected)
        later = Index(events.fields, {"where": ["true"]})
        later.insert_many(given_as if "id" not in table.column_names else table.drop_columns(["id"]))
        check_matches(later.match(events.batch), np.vstack([np.ones((1, len(events)), dtype=bool), expected]))


def conditions_of(table, fields):
    """The same table with the comparisons of each row as SQL."""
    for row in table.to_pylist():
        parts = []
        for column, cell in row.items():
            name, _, comparison = column.rpartition(" ")
            if cell is not None and column != "id":
                written = [fields[name].literal(fields[name].code(c)) for c in (cell if comparison == "in" else [cell])]
                parts.append(
                    f"`{name}` {comparison} " + (f"({', '.join(written)})" if comparison == "in" else written[0])
                )
        yield " AND ".join(parts) or "true"


def missing(value):
    """What conditions have no literal for."""
    return value is None or (isinstance(value, float) and math.isnan(value))


@settings(max_examples=tries(60))
@given(st.data(), worlds.events(most_fields=3, rows=(30,)))
def test_comparison_columns_equal_conditions(data, events):
    table = data.draw(tables(events))
    for column in table.column_names:
        if column.endswith(" in"):  # nor can they say that it is empty
            kept = [[v for v in some or () if not missing(v)] or None for some in table[column].to_pylist()]
            lists = pa.array(kept, table[column].type)
            table = table.set_column(table.column_names.index(column), column, lists)
        elif pa.types.is_floating(table[column].type):
            cells = [None if missing(v) else v for v in table[column].to_pylist()]
            table = table.set_column(table.column_names.index(column), column, pa.array(cells, table[column].type))
    columns = Index(events.fields, table)
    found = pairs_of(columns.match(events.batch))
    for number, where in enumerate(conditions_of(table, events.fields)):
        id_ = table["id"][number].as_py() if "id" in table.column_names else number
        mine = [row for row, other in found if other == id_]
        explanation = columns.explain(events.row(0), id_)
        if never_holds(where, events.fields):
            assert mine == []
            assert not explanation.matches
        else:
            same = Index(events.fields, {"where": [where]})
            assert mine == same.match(events.batch).rows.tolist()
            assert explanation == same.explain(events.row(0), 0)


def test_null_means_no_constraint():
    table = {"id": ["a", "b", "c"], "price >=": [1.0, None, None], "symbol =": [None, "X", None], "size in": [None] * 3}
    batch = {"symbol": ["X", "Y", None], "price": [0.5, 1.0, None]}
    expected = [(0, "b"), (0, "c"), (1, "a"), (1, "c"), (2, "c")]
    assert found_by(table, batch) == expected


def test_null_in_a_list_is_ignored_and_an_empty_list_matches_nothing():
    table = {"size in": [[1, None], [], [None], [None, 3, 3]]}
    assert found_by(table, {"size": [1, None, 3]}) == [(0, 0), (2, 3)]


def test_lists_and_comparisons_in_different_rows():
    table = {"size in": [[1, 2], None, None], "size >": [None, 5, None], "symbol in": [None, ["A", ""], ["B"]]}
    batch = {"size": [1, 6, 6, 2], "symbol": ["B", "A", "", "A"]}
    assert found_by(table, batch) == [(0, 0), (0, 2), (1, 1), (2, 1), (3, 0)]


@pytest.mark.parametrize(
    "bounds",
    [
        {"size >": [5], "size <": [5]}, {"size >=": [6], "size <=": [5]}, {"size =": [5], "size >": [5]},
        {"size >": [5], "size <": [6]}, {"size >": [2**63 - 1]}, {"size <": [-(2**63)]},
        {"size >": [2**63 - 1], "size <=": [2**63 - 1]}, {"size <": [-(2**63)], "size =": [-(2**63)]},
        {"price >": [math.nan]}, {"price <": [-math.inf]}, {"price >": [0.0], "price <": [-0.0]},
        {"symbol >": ["b"], "symbol <": ["a"]}, {"symbol <": [""]}, {"symbol >": ["a"], "symbol <": ["a\0"]},
        {"symbol =": ["a"], "symbol <": ["a"]},
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", [1, 60])
def test_contradictory_bounds_match_nothing(bounds, rows):
    batch = {
        "size": [-(2**63), 4, 5, 6, 2**63 - 1, None] * rows,
        "price": [-math.inf, -0.0, 0.0, math.inf, math.nan, None] * rows,
        "symbol": ["", "a", "a\0", "b", "c", None] * rows,
    }
    index = Index(FIELDS, bounds)
    assert len(index.match(pa.table(batch))) == 0
    for row in range(6):
        assert not index.explain({name: values[row] for name, values in batch.items()}, 0).matches


def test_bounds_at_the_ends_of_the_codes():
    least, most = -(2**63), 2**63 - 1
    values = [least, least + 1, 0, most - 1, most]
    rows = [{"size >=": least}, {"size >=": most}, {"size <=": least}, {"size <=": most}]
    rows += [{"size >": most - 1}, {"size <": least + 1}, {"size =": most}, {"size =": least}]
    found = found_by(rows, {"size": values})
    by_row = [[values[row] for row, id_ in found if id_ == number] for number in range(len(rows))]
    assert by_row == [values, [most], [least], values, [most], [least], [most], [least]]


def test_decimals_dates_and_timestamps():
    fields = {"amount": "decimal(8,2)", "day": "date", "at": "timestamp"}
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    table = [
        {"id": "cents", "amount >": Decimal("9.99"), "amount <=": Decimal("10")},
        {"id": "whole", "amount in": [Decimal(10), Decimal("-0.50")]},
        {"id": "day", "day =": date(2026, 1, 1)},
        {"id": "last day", "day >=": date.max},
        {"id": "from noon", "at >=": noon},
        {"id": "moments", "at in": [noon, datetime(1, 1, 1, tzinfo=UTC)]},
    ]
    batch = {
        "amount": pa.array([Decimal("9.99"), Decimal("10.00"), Decimal("-0.50")], pa.decimal128(8, 2)),
        "day": [date(2026, 1, 1), date(2025, 12, 31), date.max],
        "at": pa.array([noon, noon.replace(hour=11), datetime(1, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
    }
    by_row = [["day", "from noon", "moments"], ["cents", "whole"], ["last day", "moments", "whole"]]
    assert found_by(table, batch, fields) == [(row, id_) for row, ids in enumerate(by_row) for id_ in ids]


def test_columns_of_compatible_types():
    fields = {"amount": "decimal(8,2)", "at": "timestamp", "size": "bigint", "symbol": "string", "flag": "boolean"}
    table = pa.table(
        {
            "amount >=": pa.array([5, None], pa.int8()),
            "at <": pa.array([datetime(2026, 1, 1), None], pa.timestamp("s")),
            "size =": pa.array([3.0, None]),
            "symbol =": pa.array(["A", None]).dictionary_encode(),
            "symbol in": pa.array([None, ["B"]], pa.large_list(pa.large_string())),
            "flag =": [True, None],
        }
    )
    batch = {
        "amount": [5, 6],
        "at": [datetime(2025, 12, 31), None],
        "size": [3, 4],
        "symbol": ["A", "B"],
        "flag": [True, True],
    }
    assert found_by(table, batch, fields) == [(0, 0), (1, 1)]
    fixed = pa.table({"size in": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.int32(), 2))})
    assert found_by(fixed, {"size": [2, 3]}, fields) == sorted([(0, 0), (0, 1), (1, 1), (1, 2)])


def test_a_field_name_can_have_blanks():
    assert found_by({"air speed >=": [5]}, {"air speed": [4, 5]}, {"air speed": "int", "air": "int"}) == [(1, 0)]


def test_text_in_lists_can_end_in_the_least_character():
    table = {"symbol in": [["a\0"], ["a", "a\0"], ["a\0\0"], [""]], "symbol =": [None] * 4}
    values = ["", "\0", "a", "a\0", "a\0\0", "a\0a"]
    assert found_by(table, {"symbol": values}) == [(0, 3), (2, 1), (3, 0), (3, 1), (4, 2)]
    found = found_by({"symbol =": ["a\0", "a"], "symbol <": [None, "a\0"]}, {"symbol": values})
    assert found == [(2, 1), (3, 0)]


# What tables may be


ROWS = [{"id": "x", "size >": 5}, {"id": "y", "size >": None}, {"id": "z", "size >": 1}]
COLUMNS = {"id": ["x", "y", "z"], "size >": [5, None, 1]}


@pytest.mark.parametrize(
    "table",
    [
        ROWS, tuple(ROWS), COLUMNS, pa.table(COLUMNS), pa.record_batch(COLUMNS), pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).set_index("id"), pd.DataFrame(COLUMNS).convert_dtypes(), pl.DataFrame(COLUMNS),
        pd.DataFrame({"id": ["w", "x", "y", "z"], "size >": [9, 5, None, 1]}).iloc[1:],
    ],
)  # fmt: skip
def test_every_kind_of_table_gives_the_same_index(table):
    assert found_by(table, {"size": [0, 3, 6]}) == [(0, "y"), (1, "y"), (1, "z"), (2, "x"), (2, "y"), (2, "z")]


def test_rows_can_have_different_keys():
    rows = [{"id": 1, "size >": 5}, {"id": 2, "price <": 1.0}, {"id": 3, "symbol in": ["A"]}, {"id": 4}]
    batch = {"size": [6, 0, 0], "price": [2.0, 0.5, 2.0], "symbol": ["B", "B", "A"]}
    assert found_by(rows, batch) == [(0, 1), (0, 4), (1, 2), (1, 4), (2, 3), (2, 4)]


@pytest.mark.parametrize(
    "table",
    [
        *([], (), {}, {"where": []}, {"id": [], "where": []}),
        *({"id": [], "size >": []}, {"symbol in": []}, {"symbol =": []}),
        *(pa.table({"where": pa.array([], pa.string())}), pd.DataFrame({"where": []}), pl.DataFrame({"where": []})),
        pa.table({"size in": pa.chunked_array([], pa.list_(pa.int64()))}),
        pa.table({"id": pa.chunked_array([], pa.string())}),
    ],
)
def test_an_empty_table_has_no_subscriptions(table):
    index = Index(FIELDS, table)
    index.insert_many(table)
    assert len(index) == 0
    assert len(index.match(pa.table({"size": [1]}))) == 0
    index.insert("first", "size = 1")
    assert index.match(pa.table({"size": [1]})).ids == ["first"]


@pytest.mark.parametrize(
    "form", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
def test_conditions_in_any_arrow_text_type(form):
    where = pa.array(["size > 5", "true", "size > 5"]).cast(form)
    table = pa.table({"where": pa.chunked_array([where, where])})
    assert found_by(table, {"size": [6]}) == [(0, number) for number in range(6)]


def test_ids_are_optional_and_of_any_type():
    where = ["size > 5", "size > 6"]
    for ids in ([7, 3], ["b", "a"], [date(2026, 1, 2), date(2026, 1, 1)], [2.5, 1.5]):
        index = Index(FIELDS, {"id": ids, "where": where})
        assert index.match(pa.table({"size": [6]})).ids == [ids[0]]
        assert all(id_ in index for id_ in ids)
        assert 0 not in index
    index = Index(FIELDS, {"where": where})
    assert 0 in index
    assert 2 not in index
    assert -1 not in index
    assert "0" not in index


# What may be wrong


def no_column(name):
    return f"{name} id where symbol price size = >= > <= < in"


def loses(name, holds, kind, why):
    return f"{name} {holds} {kind} {why}"


TRUNCATED = "Float value 2.500000 was truncated converting to int64"
WRONG = {
    "a number": (5, "int"),
    "text": ("size > 5", "str"),
    "no text": ("", "str"),
    "a list of texts": (["size > 5"], "list"),
    "columns of different length": (
        {"id": [1], "where": ["true", "true"]},
        "where 1 2",
    ),
    "cells of different types": (
        [{"size >": 1}, {"size >": "a"}],
        "a str int64",
    ),
    "a number beyond all types": (
        {"size >": [2**70]},
        "int",
    ),
    "a column twice": (
        pa.table([[1], [2]], names=["size >", "size >"]),
        "size >",
    ),
    "an unknown column": ({"owner": ["me"]}, no_column("owner")),
    "an unknown comparison": ({"size !=": [1]}, no_column("size !=")),
    "an unknown field": ({"weight >": [1]}, no_column("weight >")),
    "a comparison without a blank": ({"size>": [1]}, no_column("size>")),
    "conditions and comparisons": (
        {"where": ["true"], "size >": [1]},
        "size > where",
    ),
    "no condition": (
        {"where": ["true", None]},
        "1 where true",
    ),
    "no condition at all": ({"where": [None]}, "0 where true"),
    "conditions that are not text": ({"where": [5]}, "where int64"),
    "no id": (
        {"id": ["a", None], "where": ["true", "true"]},
        "1 id",
    ),
    "a list where there should be none": (
        {"size >": [[1]]},
        loses(
            *("size >", "list<item: int64>", "bigint"),
            "Unsupported cast from list<item: int64> to int64 using function cast_int64",
        ),
    ),
    "no list where there should be one": (
        {"size in": [1]},
        "size in int64",
    ),
    "no list of texts": ({"symbol in": ["A"]}, "symbol in string"),
    "a fraction for a whole number": ({"size >=": [2.5]}, loses("size >=", "double", "bigint", TRUNCATED)),
    "a fraction in a list": ({"size in": [[1.0], [2.5]]}, loses("size in", "double", "bigint", TRUNCATED)),
    "text for a number": (
        {"price >": ["high"]},
        loses("price >", "string", "double", "Failed to parse string: 'high' as a scalar of type double"),
    ),
    "a whole number that no double is": (
        {"price =": [2**53 + 1]},
        loses("price =", "int64", "double", f"Integer value {2**53 + 1} not in range: -{2**53} to {2**53}"),
    ),
    "a list and a bound": (
        {"size in": [None, [1]], "size >": [1, 0]},
        "size where",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_every_mistake_is_an_error_and_changes_nothing(case):
    table, parts = WRONG[case]
    assert messages.missing(error_of(table), parts) == []
    index = Index(FIELDS, {"where": ["symbol = 'A'"]})
    with pytest.raises(SparingError):
        index.insert_many(table)
    assert len(index) == 1
    assert index.match(pa.table({"symbol": ["A", "B"]})).rows.tolist() == [0]


def test_a_duplicate_id_is_an_error():
    table = {"id": ["a", "b", "a"], "where": ["true"] * 3}
    assert messages.missing(error_of(table), "a") == []
    index = Index(FIELDS)
    with refused("id"):
        index.insert_many({"id": ["a", "a"], "where": ["true", "true"]})
    with refused("a"):
        index.remove("a")
    index.insert("a", "true")
    with refused("a"):
        index.insert_many({"id": ["b", "a"], "where": ["true", "true"]})
    with refused("a"):
        index.insert("a", "true")
    assert "b" not in index


def test_an_invalid_condition_is_shown_in_the_error():
    message = error_of({"where": ["size > 5", "siz > 5"]})
    assert message == "Topic events has no field siz; did you mean size?\n  siz > 5\n  ^^^"
    assert messages.missing(error_of({"where": ["size > 5 AND size < 3"]}), "size never") == []


def test_decimals_with_too_many_digits_are_an_error():
    fields = {"amount": "decimal(8,2)"}
    too_fine = error_of({"amount >": [Decimal("1.005")]}, fields)
    assert too_fine == (
        "Column 'amount >' holds decimal128(4, 3), which cannot be read as decimal(8,2) without loss: "
        "Rescaling Decimal value would cause data loss. Cast it first."
    )
    assert "decimal(8,2) without loss" in error_of({"amount in": [[Decimal("1.005")]]}, fields)
    too_large = error_of({"amount >": [Decimal(10**25)]}, fields)
    assert too_large.startswith("Column 'amount >' holds decimal128(26, 0), which cannot be read as decimal(8,2)")
    assert too_large.endswith("precision 18. Cast it first.")


def test_fields_of_every_kind_can_be_compared():
    """So that a new kind is not forgotten above."""
    assert {kind.kind for kind in map(strategies.field_type, strategies.TYPE_NAMES)} == set(Kind)
