"""Publications as VARIANT values: Spark's binary format of named values, which queries read without parsing.

A VARIANT is two binary strings. The *metadata* lists the field names in order. The *value* is an object: a header byte
with the widths of numbers, the number of fields, the numbers of their names, the offsets of their values, and the
values, each with its type in the first byte. Parquet's documentation describes the format ("Variant Binary Encoding").

Values have the types of the fields. Dates, timestamps and numbers that are not finite are text, in the format of
payloads; missing values are omitted.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.json_columns import texts
from sparing.flow.deliver.kernels import variants as kernels
from sparing.match.columns import Column
from sparing.model.types import STRING, Kind

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
FEW_DIGITS = 9  # decimals with a larger scale have another encoding
MOST_BYTES = (1 << 31) - 1  # of the values in one Arrow array


def variants(named: Mapping[str, Column], rows: np.ndarray) -> pa.StructArray:
    """Return one object for each of some rows, from columns by name."""
    names = sorted(named, key=lambda name: name.encode("utf-16-be"))  # in Java's order of strings
    columns = [_with_long_years_as_text(named[name].take(rows)) for name in names]
    shape = len(names), len(rows)
    kinds = np.array([_kind(column) for column in columns], dtype=np.int64)
    scales = np.array([column.type.scale for column in columns], dtype=np.int64)
    values, valid, lengths = np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, np.int64)
    letters: list[np.ndarray] = [np.zeros(1, np.uint8)]
    for at, column in enumerate(columns):
        valid[at] = column.valid
        if column.type.kind is Kind.TEXT:
            begin, lengths[at], found = _letters(column.text)
            values[at] = begin + sum(map(len, letters))
            letters.append(found)
        else:
            values[at] = _bits(column)
    given = kinds, scales, values, valid, lengths, np.concatenate(letters)
    counts, sizes = kernels.measure(kinds, values, valid, lengths)
    return _objects(names, given, counts, sizes)


def _objects(names: list[str], given: tuple[np.ndarray, ...], counts: np.ndarray, sizes: np.ndarray) -> pa.StructArray:
    widths = 1 + np.searchsorted([1 << 8, 1 << 16, 1 << 24], sizes, side="right")
    heads = 1 + np.where(counts > 255, 4, 1) + counts * (1 if len(names) <= 256 else 2) + (counts + 1) * widths
    starts = np.concatenate([[0], np.cumsum(heads + sizes)])
    if starts[-1] > MOST_BYTES:
        raise OverflowError("the payloads of a batch exceed the size of an Arrow array: 2 GiB")
    out = np.empty(starts[-1], np.uint8)
    kernels.write(*given, counts, sizes, starts, out)
    rows = len(counts)
    values = pa.Array.from_buffers(pa.binary(), rows, [None, pa.py_buffer(starts.astype(np.int32)), pa.py_buffer(out)])
    metadata = pa.repeat(pa.scalar(_metadata(names), pa.binary()), rows)
    return pa.StructArray.from_arrays([values, metadata], fields=list(SCHEMA))


def _metadata(names: list[str]) -> bytes:
    """Return the metadata: version 1, sorted; the number of names, their offsets, the names."""
    texts = [name.encode() for name in names]
    ends = np.cumsum([0, *map(len, texts)]).tolist()
    width = next(w for w in (1, 2, 3, 4) if max(ends[-1], len(names)) < 1 << 8 * w)
    head = 1 | 1 << 4 | (width - 1) << 6
    numbers = b"".join(number.to_bytes(width, "little") for number in (len(names), *ends))
    return bytes([head]) + numbers + b"".join(texts)


def _kind(column: Column) -> int:
    if column.type.name == "float":
        return kernels.SINGLE
    return kernels.MANY_DIGITS if column.type.scale > FEW_DIGITS else _KINDS[column.type.kind]


def _bits(column: Column) -> np.ndarray:
    if column.type.name == "float":
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
