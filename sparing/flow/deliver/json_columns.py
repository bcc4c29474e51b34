"""Columns of values as JSON texts, and rows as JSON objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np

from sparing.flow.deliver.payload import json_value
from sparing.match.columns import Column
from sparing.model.types import FieldType, Kind

NO_VALUE = ""  # instead of the text of a missing value


def row_payloads(named: Mapping[str, Column], rows: int) -> list[str]:
    """Return rows of named columns as JSON objects, without missing values."""
    return objects(list(named), rows, [texts(column) for column in named.values()])


def objects(names: Sequence[str], size: int, texts: Sequence[list[str]]) -> list[str]:
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


def texts(column: Column) -> list[str]:
    """Return the text of each value of a column."""
    if column.type.kind is Kind.TEXT:
        return [NO_VALUE if text is None else json_value(text) for text in column.text.to_pylist()]
    if column.type.kind is Kind.FLOATING:
        found = singles(column.values) if column.type.name == "float" else doubles(column.values)
    else:
        found = values(column.type, column.values)
    for at in np.flatnonzero(~column.valid).tolist():
        found[at] = NO_VALUE
    return found


def values(type_: FieldType, found: np.ndarray) -> list[str]:
    """Return the texts of doubles or codes of a type."""
    match type_.kind:
        case Kind.FLOATING:
            return doubles(found + 0.0)  # -0.0 becomes 0.0
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
