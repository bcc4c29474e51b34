"""Mappings in tables: as one column (a struct, a map, or the text of a JSON object), or as columns named `key.part`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute

NESTED = ("attributes", "rank")  # the keys that are mappings


def key_of(column: str) -> str:
    """The key that a column belongs to.

    >>> key_of("attributes.weight"), key_of("id"), key_of("id.x")
    ('attributes', 'id', 'id.x')
    """
    key, _, part = column.partition(".")
    return key if part and key in NESTED else column


def gathered(table: pa.Table) -> pa.Table:
    """The table with one column of mappings in place of the columns of their parts."""
    for key in NESTED:
        parts = [name for name in table.column_names if key_of(name) == key != name]
        if parts:
            columns = [table.column(part).combine_chunks() for part in parts]
            whole = pa.StructArray.from_arrays(columns, names=[part.removeprefix(f"{key}.") for part in parts])
            table = table.drop_columns(parts).append_column(key, whole)
    return table


def gathered_row(row: dict[str, Any]) -> dict[str, Any]:
    """The same for one row by itself."""
    if not any("." in column for column in row):
        return row
    found: dict[str, Any] = {}
    for column, value in row.items():
        key = key_of(column)
        if key == column:
            found[column] = value
        else:
            found.setdefault(key, {})[column.removeprefix(f"{key}.")] = value
    return found


def told_apart(table: pa.Table) -> pa.Table:
    """The table, all text so far, with attributes that are numbers or truth values in every row made such."""
    for at, name in enumerate(table.column_names):
        if key_of(name) == "attributes" != name:
            table = table.set_column(at, name, _told_apart(table.column(name)))
    return table


def _told_apart(column: pa.ChunkedArray) -> pa.ChunkedArray:
    for kind in (pa.float64(), pa.bool_()):
        try:
            return pa.compute.cast(column, kind)
        except pa.ArrowInvalid:
            continue
    return column


def read_json(rows: Sequence[dict[str, Any]]) -> None:
    """Put mappings in the place of the texts of JSON objects."""
    read = cache(_read)
    for row in rows:
        for key in NESTED:
            if isinstance(text := row.get(key), str):
                row[key] = read(text)


def _read(text: str) -> Any:
    try:
        found = json.loads(text) if text.lstrip().startswith("{") else text
    except (ValueError, RecursionError):
        return text  # to be refused as what it is
    return found
