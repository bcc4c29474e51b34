"""Columns as JSON texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np

from sparing.flow.deliver.nested import AnyColumn, Lists, Objects, Results
from sparing.flow.deliver.payload import json_value
from sparing.match.columns import Column
from sparing.model.types import FLOAT, FieldType, Kind

NO_VALUE = ""  # instead of the text of a missing value
WIDENED = replace(FLOAT, name="float as double")


def widened(type_: FieldType) -> FieldType:
    """Return the type of a value of a field in results and merged events: the text of a float is that of a double."""
    return WIDENED if type_.name == FLOAT.name else type_


def row_payloads(named: Mapping[str, Column], rows: int) -> list[str]:
    """Return rows of named columns as JSON objects, without missing values."""
    return texts(Objects.of(named, np.arange(rows)))


def _objects(names: Sequence[str], size: int, texts: Sequence[list[str]]) -> list[str]:
    """Return JSON objects of named texts, without missing values."""
    names = [json_value(name) + ":" for name in names]
    pieces: list[Iterable[str]] = [repeat("{", size)]
    for at, name in enumerate(names):
        pieces += [repeat("," + name if at else name, size), texts[at]]
    found = list(map("".join, zip(*pieces, repeat("}", size), strict=True)))
    if not all(map(all, texts)):
        for at, values in enumerate(zip(*texts, strict=True)):
            if not all(values):
                there = (name + value for name, value in zip(names, values, strict=True) if value)
                found[at] = "{" + ",".join(there) + "}"
    return found


def texts(column: AnyColumn) -> list[str]:
    """Return the text of each value of a column."""
    match column:
        case Objects():
            found = _objects(column.names, len(column), [texts(one) for one in column.columns])
        case Lists():
            elements = texts(column.elements)
            ranges = zip(column.first.tolist(), column.last.tolist(), strict=True)
            rows = column.rows.tolist()
            found = ["[" + ",".join([elements[row] for row in rows[first:last]]) + "]" for first, last in ranges]
        case Results():
            found = list(map(json_value, column.values))
        case Column(type=type_) if type_.kind is Kind.TEXT:
            return [NO_VALUE if text is None else json_value(text) for text in column.text.to_pylist()]
        case Column(type=type_) if type_.kind is Kind.FLOATING:
            found = singles(column.values) if type_.name == FLOAT.name else doubles(column.values)
        case Column():
            found = values(column.type, column.values)
    for at in np.flatnonzero(~column.valid).tolist():
        found[at] = NO_VALUE
    return found


def values(type_: FieldType, found: np.ndarray) -> list[str]:
    """Return the texts of codes of a type."""
    match type_.kind:
        case Kind.BOOLEAN:
            return ["true" if code else "false" for code in found.tolist()]
        case Kind.DECIMAL:
            return decimals(found, type_.scale)
        case Kind.DATE:
            return [f'"{text}"' for text in np.datetime_as_string(found.astype("datetime64[D]")).tolist()]
        case Kind.TIMESTAMP:
            return [f'"{text}Z"' for text in np.datetime_as_string(found.astype("datetime64[us]")).tolist()]
        case _:
            return wholes(found)


def wholes(numbers: np.ndarray) -> list[str]:
    """Return the texts of whole numbers."""
    return list(map(str, numbers.tolist()))


def doubles(numbers: np.ndarray) -> list[str]:
    """Return the shortest texts that identify doubles."""
    return _finite(list(map(repr, numbers.tolist())), numbers)


def singles(numbers: np.ndarray) -> list[str]:
    """Return the shortest texts that identify 32-bit floats, given as doubles."""
    with np.errstate(over="ignore"):
        return _finite(list(map(str, numbers.astype(np.float32))), numbers)


def _finite(found: list[str], numbers: np.ndarray) -> list[str]:
    for at in np.flatnonzero(~np.isfinite(numbers)).tolist():
        found[at] = json_value(float(numbers[at]))
    return found


def decimals(digits: np.ndarray, scale: int) -> list[str]:
    """Return the texts of decimals, given by their digits."""
    if scale == 0:
        return wholes(digits)
    unit = 10**scale
    return [
        f"-{-number // unit}.{-number % unit:0{scale}}" if number < 0 else f"{number // unit}.{number % unit:0{scale}}"
        for number in digits.tolist()
    ]
