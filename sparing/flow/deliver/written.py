"""Values of whole columns as JSON texts, and objects of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np

from sparing.flow.deliver.payload import json_value
from sparing.match.columns import Column
from sparing.model.types import FieldType, Kind

NOTHING = ""  # stands for the text of a value that there is not


def payloads(named: Mapping[str, Column], rows: int) -> list[str]:
    """Some rows as JSON objects: name -> column. What is missing is left out."""
    return objects(list(named), rows, [texts(column) for column in named.values()])


def objects(names: Sequence[str], size: int, texts: Sequence[list[str]]) -> list[str]:
    """JSON objects of named values, without those that there are not."""
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
    """The text of each value of a column."""
    if column.type.kind is Kind.TEXT:
        return [NOTHING if text is None else json_value(text) for text in column.text.to_pylist()]
    if column.type.kind is Kind.FLOATING:
        found = singles(column.values) if column.type.name == "float" else doubles(column.values)
    else:
        found = values(column.type, column.values)
    for at in np.flatnonzero(~column.valid).tolist():
        found[at] = NOTHING
    return found


def values(type_: FieldType, found: np.ndarray) -> list[str]:
    """The texts of doubles, or of codes, of a type."""
    match type_.kind:
        case Kind.FLOATING:
            return doubles(found + 0.0)  # one zero
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
    """Whole numbers."""
    return list(map(str, numbers.tolist()))


def doubles(numbers: np.ndarray) -> list[str]:
    """Doubles, as short as they can be told apart from all others."""
    return _finite(list(map(repr, numbers.tolist())), numbers)


def singles(numbers: np.ndarray) -> list[str]:
    """The same for 32-bit floats, which are given as doubles."""
    with np.errstate(over="ignore"):
        return _finite(list(map(str, numbers.astype(np.float32))), numbers)


def _finite(found: list[str], numbers: np.ndarray) -> list[str]:
    for at in np.flatnonzero(~np.isfinite(numbers)).tolist():
        found[at] = json_value(float(numbers[at]))
    return found


def decimals(digits: np.ndarray, scale: int) -> list[str]:
    """Decimals, given by their digits."""
    if scale == 0:
        return wholes(digits)
    unit = 10**scale
    return [
        f"-{-number // unit}.{-number % unit:0{scale}}" if number < 0 else f"{number // unit}.{number % unit:0{scale}}"
        for number in digits.tolist()
    ]
