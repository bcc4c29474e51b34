"""Payloads as VARIANT values: Spark's binary format of named values, which queries read without parsing.

A VARIANT is two binary strings. The *metadata* lists the names in order. The *value* is an object: a header byte with
the widths of numbers, the number of fields, the numbers of their names, the offsets of their values, and the values,
each with its type in the first byte; a list is the same without names. Parquet's documentation describes the format
("Variant Binary Encoding").

Values have the types of the fields. Dates, timestamps and numbers that are not finite are text, in the format of
payloads; missing values are omitted. Whole numbers beyond 64 bits are decimals, as in Spark's `parse_json`.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.json_columns import WIDENED, texts
from sparing.flow.deliver.kernels import variants as kernels
from sparing.flow.deliver.nested import AnyColumn, Lists, Objects, Results
from sparing.flow.deliver.payload import json_value
from sparing.match.columns import Column
from sparing.model.functions import Result
from sparing.model.types import FLOAT, STRING, FieldType, Kind

SCHEMA = pa.struct(
    [
        pa.field("value", pa.binary(), nullable=False),
        pa.field("metadata", pa.binary(), nullable=False, metadata={b"variant": b"true"}),  # how Spark recognizes it
    ]
)

_KINDS = {
    Kind.BOOLEAN: kernels.FLAG,
    Kind.WHOLE: kernels.WHOLE,
    Kind.FLOATING: kernels.DOUBLE,
    Kind.DECIMAL: kernels.DIGITS,
    Kind.TEXT: kernels.TEXT,
    Kind.DATE: kernels.DAY,
    Kind.TIMESTAMP: kernels.MOMENT,
}
_FIRST, _LAST = np.datetime64("0000-01-01"), np.datetime64("9999-12-31")  # years of four digits
_YEARS = {  # the codes of these days
    Kind.DATE: (_FIRST.astype(np.int64), _LAST.astype(np.int64)),
    Kind.TIMESTAMP: tuple(day.astype("datetime64[us]").astype(np.int64) for day in (_FIRST, _LAST)),
}
_32_BITS = (FLOAT.name, WIDENED.name)
MOST_BYTES = (1 << 31) - 1  # of the values in one Arrow array


def variants(payloads: Objects) -> pa.StructArray:
    """Return the VARIANT value of each object."""
    names = sorted(_names(payloads), key=lambda name: name.encode("utf-16-be"))  # in Java's order of strings
    starts, _, out = _written(payloads, {name: number for number, name in enumerate(names)})
    rows = len(payloads)
    values = pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(out)])
    metadata = pa.repeat(pa.scalar(_metadata(names), pa.binary()), rows)
    return pa.StructArray.from_arrays([values, metadata], fields=list(SCHEMA))


def _names(column: AnyColumn) -> set[str]:
    """Return all names in a column of objects or lists."""
    match column:
        case Objects():
            return set(column.names).union(*map(_names, column.columns))
        case Lists():
            return _names(column.elements)
        case _:
            return set()


class _Written(NamedTuple):
    """Values in bytes: value r has `sizes[r]` bytes from `starts[r]` on, and ends where the next one starts."""

    starts: np.ndarray
    sizes: np.ndarray
    bytes: np.ndarray


def _written(column: AnyColumn, ids: dict[str, int]) -> _Written:
    """Return the values of a column; missing ones in a column of objects are written, too."""
    match column:
        case Objects():
            order = sorted(range(len(column.names)), key=lambda at: ids[column.names[at]])
            given = _given([column.columns[at] for at in order], len(column), ids)
            counts, sizes = kernels.measure(*given[:-1])
            id_width = 1 if len(ids) <= 256 else 2
            room = _room(counts, sizes, id_width)
            numbers = np.array([ids[column.names[at]] for at in order], dtype=np.int64)
            kernels.write_objects(*given, numbers, id_width, counts, sizes, room.starts, room.bytes)
        case Lists(rows=rows, first=first, last=last):
            elements = _written(column.elements, ids)
            sizes = kernels.measure_lists(elements.sizes, rows, first, last)
            room = _room(last - first, sizes, 0)
            kernels.write_lists(*elements, rows, first, last, sizes, room.starts, room.bytes)
        case Results():
            parts = [b"" if value is None else _value(value, column.single) for value in column.values]
            sizes = np.array(list(map(len, parts)), dtype=np.int64)
            room = _Written(_starts(sizes), sizes, np.frombuffer(bytearray(b"".join(parts)), np.uint8))
        case Column():
            given = _given([column], len(column), ids)
            _, sizes = kernels.measure(*given[:-1])
            room = _Written(_starts(sizes), sizes, np.empty(int(sizes.sum()), np.uint8))
            kernels.write_values(*given, room.starts, room.bytes)
    return room


def _given(columns: Sequence[AnyColumn], rows: int, ids: dict[str, int]) -> tuple[np.ndarray, ...]:
    """Return columns as the arguments of compiled loops; nested ones are written already."""
    shape = len(columns), rows
    kinds, scales = np.zeros(shape[0], np.int64), np.zeros(shape[0], np.int64)
    values, valid, lengths = np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, np.int64)
    letters: list[np.ndarray] = [np.zeros(1, np.uint8)]
    for at, column in enumerate(columns):
        valid[at] = column.valid
        if not isinstance(column, Column):
            kinds[at] = kernels.WRITTEN
            starts, lengths[at], found = _written(column, ids)
            begin = starts[:-1]
        else:
            plain = _with_long_years_as_text(column)
            kinds[at], scales[at] = _kind(plain.type), plain.type.scale
            if plain.type.kind is not Kind.TEXT:
                values[at] = _bits(plain)
                continue
            begin, lengths[at], found = _letters(plain.text)
        values[at] = begin + sum(map(len, letters))
        letters.append(found)
    return kinds, scales, values, valid, lengths, np.concatenate(letters)


def _room(counts: np.ndarray, sizes: np.ndarray, id_width: int) -> _Written:
    """Return room for objects or lists of values, with their headers."""
    widths = 1 + np.searchsorted([1 << 8, 1 << 16, 1 << 24], sizes, side="right")
    heads = 1 + np.where(counts > 255, 4, 1) + counts * id_width + (counts + 1) * widths
    starts = _starts(heads + sizes)
    if starts[-1] > MOST_BYTES:
        raise OverflowError("the payloads of a batch exceed the size of an Arrow array: 2 GiB")
    return _Written(starts, heads + sizes, np.empty(starts[-1], np.uint8))


def _starts(sizes: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _value(value: Result, single: bool) -> bytes:
    """Return the bytes of one result."""
    if isinstance(value, bool):
        return bytes([1 << 2 if value else 2 << 2])
    if isinstance(value, float) and math.isfinite(value):
        return struct.pack("<Bf", 14 << 2, value) if single else struct.pack("<Bd", 7 << 2, value)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        width = next(width for width in (1, 2, 4, 8) if -1 << 8 * width - 1 <= value < 1 << 8 * width - 1)
        return bytes([(2 + width.bit_length()) << 2]) + value.to_bytes(width, "little", signed=True)
    if isinstance(value, int | Decimal):
        whole, _, fraction = format(Decimal(value), "f").partition(".")
        digits, scale = int(whole + fraction), len(fraction)
        size = max(scale, len(str(abs(digits))))
        code, width = (8, 4) if size <= 9 else (9, 8) if size <= 18 else (10, 16)
        return bytes([code << 2, scale]) + digits.to_bytes(width, "little", signed=True)
    text = json.loads(json_value(value)).encode()
    head = bytes([1 | len(text) << 2]) if len(text) < kernels.SHORT else b"\x40" + len(text).to_bytes(4, "little")
    return bytes(head + text)


def _metadata(names: list[str]) -> bytes:
    """Return the metadata: version 1, sorted; the number of names, their offsets, the names."""
    texts = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, texts)]).tolist()
    width = next(w for w in (1, 2, 3, 4) if max(ends[-1], len(names)) < 1 << 8 * w)
    head = 1 | 1 << 4 | (width - 1) << 6
    numbers = b"".join(number.to_bytes(width, "little") for number in (len(names), *ends))
    return bytes([head]) + numbers + b"".join(texts)


def _kind(type_: FieldType) -> int:
    return kernels.SINGLE if type_.name in _32_BITS else _KINDS[type_.kind]


def _bits(column: Column) -> np.ndarray:
    if column.type.name in _32_BITS:
        return column.values.astype(np.float32).view(np.int32).astype(np.int64)
    return column.values.view(np.int64) if column.type.kind is Kind.FLOATING else column.values


def _letters(text: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the offset and length of each text, and the bytes of all."""
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int32)[text.offset : text.offset + len(text) + 1].astype(np.int64)
    found = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return ends[:-1], np.diff(ends), found


def _with_long_years_as_text(column: Column) -> Column:
    """Return dates and times as text if a year does not have four digits."""
    if column.type.kind not in _YEARS or not column.valid.any():
        return column
    first, last = _YEARS[column.type.kind]
    codes = column.there(np.arange(len(column)))
    if first <= codes.min() and codes.max() <= last:
        return column
    text = [written[1:-1] if written else None for written in texts(column)]  # without the quotes
    return Column(STRING, np.array(text, dtype=object), column.valid)
