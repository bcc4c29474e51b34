"""Tables of subscriptions as predicates.

A table says what each subscription asks for in one of two ways: a column `where` with SQL conditions, or columns that
are named after a field and a comparison (`price >=`, `symbol =`, `symbol in`), where NULL leaves the field open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sparing.language.parse import parse_filter
from sparing.match.columns import column
from sparing.match.encode import Encoder
from sparing.match.predicates import LEAST, MOST, NO_SET, Predicates, Sets
from sparing.model.box import Box
from sparing.model.constraint import one_of
from sparing.model.errors import SparingError
from sparing.model.types import FieldType, Kind

COMPARISONS = ("=", ">=", ">", "<=", "<", "in")


def as_table(data: Any) -> pa.Table:
    """Anything tabular as an Arrow table: Arrow, pandas, Polars, a mapping of columns or a list of rows."""
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if hasattr(data, "__arrow_c_stream__"):
        return pa.table(data)
    if isinstance(data, dict):
        return pa.table(data)
    if isinstance(data, Sequence) and not isinstance(data, str):
        return pa.Table.from_pylist(list(data))
    raise SparingError(
        f"Subscriptions cannot be read from {type(data).__name__}: give an Arrow table, a DataFrame, a mapping of "
        "columns or a list of rows."
    )


def ids_of(table: pa.Table) -> list[Any] | None:
    """The column `id`, if there is one."""
    return table["id"].to_pylist() if "id" in table.column_names else None


def read_table(table: pa.Table, encoder: Encoder) -> tuple[Predicates, bool]:
    """The predicates of a table's subscriptions; and whether labels given out earlier still hold."""
    names = [name for name in table.column_names if name != "id"]
    if names == ["where"]:
        return _read_conditions(table["where"], encoder)
    return _read_columns(table, names, encoder)


def _read_conditions(conditions: pa.ChunkedArray, encoder: Encoder) -> tuple[Predicates, bool]:
    if conditions.null_count:
        row = conditions.is_null().index(True).as_py()
        raise SparingError(f"Row {row} has no condition in column where: write true for all events.")
    coded = conditions.combine_chunks().dictionary_encode()
    boxes = [parse_filter(text, encoder.fields) for text in coded.dictionary.to_pylist()]
    kept = encoder.learn(boxes)
    return encoder.predicates(boxes).take(coded.indices.to_numpy().astype(np.int64)), kept


def _read_columns(table: pa.Table, names: Sequence[str], encoder: Encoder) -> tuple[Predicates, bool]:
    by_field: dict[str, list[tuple[str, str]]] = {}
    for name in names:
        field, _, comparison = name.rpartition(" ")
        if field not in encoder.fields or comparison not in COMPARISONS:
            raise SparingError(
                f"Column {name!r} is neither id nor where nor a field and a comparison like {_example(encoder)!r}: "
                f"the fields are {', '.join(encoder.fields)}, the comparisons {' '.join(COMPARISONS)}."
            )
        by_field.setdefault(field, []).append((comparison, name))
    kept = _learn_texts(table, by_field, encoder)
    rows = table.num_rows
    starts = np.zeros(rows + 1, dtype=np.int64)
    parts = []
    for field, columns in by_field.items():
        part = _ranges(table, field, [(c, n) for c, n in columns if c != "in"], encoder)
        lists = [name for comparison, name in columns if comparison == "in"]
        if lists:
            part = _with_lists(table[lists[0]], field, part, encoder)
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


_Part = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Sets]


def _ranges(table: pa.Table, field: str, columns: Sequence[tuple[str, str]], encoder: Encoder) -> _Part:
    """Which rows constrain a field, and the closed range that they ask for."""
    rows = table.num_rows
    given = np.zeros(rows, dtype=bool)
    low, last = np.full(rows, LEAST, dtype=np.int64), np.full(rows, MOST, dtype=np.int64)
    for comparison, name in columns:
        codes, valid = _codes(table[name], name, field, encoder)
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
    # What asks for nothing at all is told apart from what leaves both ends open by an impossible range.
    return given, low, last, np.full(rows, NO_SET, dtype=np.int32), Sets.none()


def _codes(array: pa.ChunkedArray, name: str, field: str, encoder: Encoder) -> tuple[np.ndarray, np.ndarray]:
    kind = encoder.fields[field]
    found = _column(array, name, kind)
    if kind.kind is Kind.TEXT:
        return encoder.texts[field].labels(found.text), found.valid
    return found.codes(), found.valid


def _column(array: pa.ChunkedArray, name: str, kind: FieldType) -> Any:
    try:
        return column(array, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        raise SparingError(
            f"Column {name!r} holds {array.type}, which cannot be read as {kind} without loss: {error}. Cast it first."
        ) from error


def _learn_texts(table: pa.Table, by_field: dict[str, list[tuple[str, str]]], encoder: Encoder) -> bool:
    kept = True
    for field, columns in by_field.items():
        if field in encoder.texts:
            found: set[str] = set()
            for comparison, name in columns:
                values = table[name].combine_chunks()
                values = values.flatten() if comparison == "in" else values
                found.update(text for text in values.unique().to_pylist() if text is not None)
            kept &= encoder.texts[field].add(found)
    return kept


def _with_lists(array: pa.ChunkedArray, field: str, part: _Part, encoder: Encoder) -> _Part:
    """The same with a column of lists of values, one of which the field must have."""
    given, low, last, which, _ = part
    kind = encoder.fields[field]
    boxes: list[Box | None] = []
    rows = np.flatnonzero(array.is_valid().to_numpy())
    flat = array.combine_chunks()
    for row in rows.tolist():
        values = [value for value in flat[row].as_py() if value is not None]
        constraint = one_of(kind, [kind.code(value) for value in values])
        boxes.append(Box.of({field: constraint}))
    lists = encoder.predicates(boxes)
    if (given[rows]).any():
        raise SparingError(f"Field {field} has both a list and other comparisons in one row: use a column where.")
    for at, row in enumerate(rows.tolist()):
        k = lists.starts[at]
        given[row], low[row], last[row], which[row] = True, lists.low[k], lists.last[k], lists.set[k]
    return given, low, last, which, lists.sets


def _example(encoder: Encoder) -> str:
    return f"{next(iter(encoder.fields), 'price')} >="
