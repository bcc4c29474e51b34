"""Tables of subscriptions -> predicates.

A table has either a column `where` with SQL conditions, or columns named after a field and a comparison (`price >=`,
`symbol =`, `symbol in`), in which NULL means no constraint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sparing.language.parse import parse_filter
from sparing.match.columns import Column, column
from sparing.match.encode import Encoder
from sparing.match.predicates import LEAST, MOST, NO_SET, Predicates, Sets
from sparing.model.box import Box
from sparing.model.constraint import one_of
from sparing.model.errors import SparingError
from sparing.model.types import FieldType, Kind

COMPARISONS = ("=", ">=", ">", "<=", "<", "in")

_INDEX_OF_PANDAS = re.compile(r"__index_level_\d+__")  # in DataFrames of selected rows


def as_table(data: Any) -> pa.Table:
    """Return an Arrow table from Arrow, pandas, Polars, a mapping of columns or a list of rows."""
    try:
        table = _table(data)
    except (pa.ArrowException, OverflowError) as error:
        raise SparingError(f"Subscriptions cannot be read as a table: {error}.") from error
    names = [name for name in table.column_names if not _INDEX_OF_PANDAS.fullmatch(name)]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise SparingError(f"Two columns of subscriptions are named {twice!r}: remove one.")
    return table.select(names)


def _table(data: Any) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if isinstance(data, Mapping):
        return pa.table(dict(data))
    if isinstance(data, list | tuple) and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(name for row in data for name in row)
        return pa.table({name: [row.get(name) for row in data] for name in names})
    raise SparingError(
        f"Subscriptions cannot be read from {type(data).__name__}: give an Arrow table, a DataFrame, a mapping of "
        "columns or a list of rows."
    )


def ids_of(table: pa.Table) -> list[Any] | None:
    """Return the column `id`, None without one."""
    if "id" not in table.column_names:
        return None
    ids: list[Any] = table["id"].to_pylist()
    if None in ids:
        raise SparingError(f"Row {ids.index(None)} has no id: add one, or remove the column id.")
    return ids


def read_table(table: pa.Table, encoder: Encoder) -> tuple[Predicates, bool]:
    """Return the predicates of a table's subscriptions, and whether existing text labels are unchanged."""
    names = [name for name in table.column_names if name != "id"]
    if names == ["where"]:
        return _read_conditions(table["where"], encoder)
    if "where" in names:
        other = next(name for name in names if name != "where")
        raise SparingError(f"Column {other!r} is in a table with where: use either where or columns of comparisons.")
    return _read_columns(table, names, encoder)


def _read_conditions(conditions: pa.ChunkedArray, encoder: Encoder) -> tuple[Predicates, bool]:
    of = conditions.type.value_type if pa.types.is_dictionary(conditions.type) else conditions.type
    if len(conditions) and str(of) not in ("string", "large_string", "string_view", "null"):
        raise SparingError(f"Column where holds {of}: it takes SQL conditions as text.")
    conditions = conditions.cast(pa.string())
    if conditions.null_count:
        row = conditions.is_null().index(True).as_py()
        raise SparingError(f"Row {row} has no condition in column where: write true for all events.")
    coded = conditions.combine_chunks().dictionary_encode()
    boxes = [parse_filter(text, encoder.fields) for text in coded.dictionary.to_pylist()]
    kept = encoder.learn(boxes)
    return encoder.predicates(boxes).take(coded.indices.to_numpy().astype(np.int64)), kept


def _read_columns(table: pa.Table, names: Sequence[str], encoder: Encoder) -> tuple[Predicates, bool]:
    by_field: dict[str, dict[str, str]] = {}
    for name in names:
        field, _, comparison = name.rpartition(" ")
        if field not in encoder.fields or comparison not in COMPARISONS:
            raise SparingError(
                f"Column {name!r} is neither id nor where nor a field and a comparison like {_example(encoder)!r}: "
                f"the fields are {', '.join(encoder.fields)}, the comparisons {' '.join(COMPARISONS)}."
            )
        by_field.setdefault(field, {})[comparison] = name
    # Check the whole table before adding its texts: that may change labels.
    asked = {field: _asked(table, field, columns, encoder.fields[field]) for field, columns in by_field.items()}
    texts = {field: one.texts for field, one in asked.items() if field in encoder.texts}
    kept = encoder.learn([box for one in asked.values() for box in one.lists.values() if box is not None], texts)
    rows = table.num_rows
    starts = np.zeros(rows + 1, dtype=np.int64)
    parts = []
    for field, one in asked.items():
        part = _with_lists(one.lists, _ranges(rows, field, one.comparisons, encoder), encoder)
        parts.append((encoder.number[field], *part))
        starts[1:] += part[0]
    starts = np.cumsum(starts)
    total = int(starts[-1])
    numbers, low = np.empty(total, dtype=np.uint16), np.empty(total, dtype=np.int64)
    last, set_ = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int32)
    next_place = starts[:-1].copy()
    sets: list[Sets] = [Sets.none()]
    before = 0
    for number, given, lows, lasts, which, ranges in parts:
        at = next_place[given]
        numbers[at], low[at], last[at] = number, lows[given], lasts[given]
        set_[at] = np.where(which[given] >= 0, which[given] + before, NO_SET)
        next_place[given] += 1
        sets.append(ranges)
        before += len(ranges)
    return Predicates(starts, numbers, low, last, set_, Sets.joined(sets)), kept


@dataclass(frozen=True)
class _Asked:
    """The constraints of a table on one field: columns by comparison, and lists of values by row."""

    comparisons: dict[str, Column]
    lists: dict[int, Box | None]

    @property
    def texts(self) -> set[str]:
        """The texts in comparisons, without those in lists."""
        columns = self.comparisons.values()
        return {text for one in columns for text in one.text.unique().to_pylist() if text is not None}


def _asked(table: pa.Table, field: str, columns: Mapping[str, str], kind: FieldType) -> _Asked:
    comparisons = {sign: _column(table[name], name, kind) for sign, name in columns.items() if sign != "in"}
    lists = _lists(table[columns["in"]], columns["in"], field, kind) if "in" in columns else {}
    rows = np.array(list(lists), dtype=np.int64)
    if any(one.valid[rows].any() for one in comparisons.values()):
        raise SparingError(f"Field {field} has both a list and other comparisons in one row: use a column where.")
    return _Asked(comparisons, lists)


def _lists(array: pa.ChunkedArray, name: str, field: str, kind: FieldType) -> dict[int, Box | None]:
    """Return row -> box of its list of values; NULLs in a list are ignored, because nothing equals NULL."""
    if array.null_count == len(array):
        return {}
    if not hasattr(array.type, "value_field"):
        raise SparingError(f"Column {name!r} holds {array.type}: give each row a list of values.")
    lists = array.combine_chunks()
    given = lists.is_valid().to_numpy(zero_copy_only=False)
    sizes = np.where(given, pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False), 0)
    found = _column(pc.list_flatten(lists), name, kind)
    codes = found.text.to_pylist() if kind.kind is Kind.TEXT else found.codes().tolist()
    ends = np.cumsum(sizes)
    boxes = {}
    for row in np.flatnonzero(given).tolist():
        mine = range(ends[row] - sizes[row], ends[row])
        boxes[row] = Box.of({field: one_of(kind, [codes[at] for at in mine if found.valid[at]])})
    return boxes


_Part = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Sets]


def _ranges(rows: int, field: str, columns: Mapping[str, Column], encoder: Encoder) -> _Part:
    """Return which rows constrain a field, and their closed ranges."""
    given = np.zeros(rows, dtype=bool)
    low, last = np.full(rows, LEAST, dtype=np.int64), np.full(rows, MOST, dtype=np.int64)
    for comparison, column_ in columns.items():
        codes = encoder.texts[field].labels(column_.text) if field in encoder.texts else column_.codes()
        valid = column_.valid
        given |= valid
        if comparison in ("=", ">=", ">"):
            mine = np.where(valid, codes, LEAST)
            never = np.zeros(rows, dtype=bool)
            if comparison == ">":
                never = valid & (codes == MOST)
                mine = np.where(valid & ~never, mine + 1, mine)
            low = np.maximum(low, mine)
            last = np.where(never, LEAST, last)
        if comparison in ("=", "<=", "<"):
            mine = np.where(valid, codes, MOST)
            never = np.zeros(rows, dtype=bool)
            if comparison == "<":
                never = valid & (codes == LEAST)
                mine = np.where(valid & ~never, mine - 1, mine)
            last = np.minimum(last, mine)
            low = np.where(never, MOST, low)
    # A range that admits nothing has low > last, unlike one with two open ends.
    return given, low, last, np.full(rows, NO_SET, dtype=np.int32), Sets.none()


def _column(array: pa.Array | pa.ChunkedArray, name: str, kind: FieldType) -> Column:
    try:
        return column(array, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise SparingError(
            f"Column {name!r} holds {array.type}, which cannot be read as {kind} without loss: {error}. Cast it first."
        ) from error


def _with_lists(lists: Mapping[int, Box | None], part: _Part, encoder: Encoder) -> _Part:
    """Return the ranges of `_ranges` with the lists of values added."""
    given, low, last, which, _ = part
    boxes, rows = encoder.predicates(list(lists.values())), np.array(list(lists), dtype=np.int64)
    given[rows], low[rows], last[rows], which[rows] = True, boxes.low, boxes.last, boxes.set  # one predicate each
    return given, low, last, which, boxes.sets


def _example(encoder: Encoder) -> str:
    return f"{next(iter(encoder.fields), 'price')} >="
