"""Columns of publications: Arrow arrays as NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sparing.model.types import MOST_DIGITS, Code, FieldType, Kind, code_floats, float_codes


@dataclass(frozen=True)
class Column:
    """A column: `data` has the values for aggregate functions (see `functions`), or an Arrow array for text.

    Rows that are not `valid` are NULL; their values are undefined.
    """

    type: FieldType
    data: np.ndarray | pa.Array
    valid: np.ndarray

    def __len__(self) -> int:
        return len(self.valid)

    @cached_property
    def values(self) -> np.ndarray:
        """The values as a NumPy array; text as Python strings."""
        if isinstance(self.data, np.ndarray):
            return self.data
        strings: np.ndarray = self.data.to_numpy(zero_copy_only=False)
        return strings

    @cached_property
    def text(self) -> pa.Array:
        """A column of text as an Arrow array."""
        if isinstance(self.data, np.ndarray):
            return pa.array(self.data, type=pa.string(), mask=~self.valid)
        return self.data

    def take(self, rows: np.ndarray) -> Column:
        """Return the column of some rows."""
        if isinstance(self.data, np.ndarray):
            return Column(self.type, self.data[rows], self.valid[rows])
        return Column(self.type, self.data.take(pa.array(rows)), self.valid[rows])

    def part(self, first: int, last: int) -> Column:
        """Return the column of consecutive rows, without copying it."""
        return Column(self.type, self.data[first:last], self.valid[first:last])

    def blank(self, rows: int) -> Column:
        """Return a column of NULLs with the same type."""
        nothing = None if self.type.kind is Kind.TEXT else 0
        return Column(self.type, np.full(rows, nothing, dtype=self.values.dtype), np.zeros(rows, dtype=bool))

    def there(self, rows: np.ndarray) -> np.ndarray:
        """Return the values of some rows, without NULLs."""
        values: np.ndarray = self.values[rows]
        valid = self.valid[rows]
        return values if valid.all() else values[valid]

    def codes(self) -> np.ndarray:
        """Return the codes of the values (for text, the text itself)."""
        return float_codes(self.values) if self.type.kind is Kind.FLOATING else self.values


def whole(array: pa.ChunkedArray) -> pa.Array:
    """Return a chunked array as one array."""
    found = array.combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def joined(parts: Sequence[Column]) -> Column:
    """Concatenate columns of one type."""
    type_, valid = parts[0].type, np.concatenate([part.valid for part in parts])
    if type_.kind is Kind.TEXT:
        return Column(type_, pa.concat_arrays([part.text for part in parts]), valid)
    return Column(type_, np.concatenate([part.values for part in parts]), valid)


def column(array: pa.Array | pa.ChunkedArray, type_: FieldType) -> Column:
    """Return the column of an Arrow array, cast to the field's type."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    match type_.kind:
        case Kind.TEXT:
            array = array.cast(pa.string())
        case Kind.FLOATING:
            array = array.cast(pa.float64())
        case Kind.BOOLEAN:
            array = array.cast(pa.bool_()).cast(pa.int64())
        case Kind.DECIMAL:  # whole numbers need more digits in between; the second cast fails if digits are lost
            array = array.cast(pa.decimal128(38, type_.scale)).cast(pa.decimal128(MOST_DIGITS, type_.scale))
        case Kind.DATE:
            array = array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
        case Kind.TIMESTAMP:
            array = array.cast(pa.timestamp("us", "UTC")).cast(pa.int64())
        case _:
            array = array.cast(pa.int64())
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    if type_.kind is Kind.TEXT:
        return Column(type_, array, valid)
    values = _unscaled(array) if type_.kind is Kind.DECIMAL else array.fill_null(0).to_numpy(zero_copy_only=False)
    return Column(type_, values, valid)


def from_codes(codes: Sequence[Code | None], type_: FieldType) -> Column:
    """Return the column of values with given codes, None where missing."""
    valid = np.array([code is not None for code in codes], dtype=bool)
    if type_.kind is Kind.TEXT:
        return Column(type_, np.array(codes, dtype=object), valid)
    found = np.array([0 if code is None else code for code in codes], dtype=np.int64)
    return Column(type_, code_floats(found) if type_.kind is Kind.FLOATING else found, valid)


def _unscaled(array: pa.Array) -> np.ndarray:
    """Return the unscaled digits of decimals: the lower 8 of 16 bytes, which hold 18 digits."""
    words = np.frombuffer(array.buffers()[1], dtype=np.int64)
    return words[2 * array.offset : 2 * (array.offset + len(array)) : 2].copy()


def arrow(found: Column) -> pa.Array:
    """Return a column as an Arrow array of doubles, text, or codes for all other types."""
    if found.type.kind is Kind.TEXT:
        return found.text
    kind = pa.float64() if found.type.kind is Kind.FLOATING else pa.int64()
    return pa.array(found.values, type=kind, mask=None if found.valid.all() else ~found.valid)


def unarrow(array: pa.Array | pa.ChunkedArray, type_: FieldType) -> Column:
    """Return the column of an array from `arrow`."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    if type_.kind is Kind.TEXT:
        return Column(type_, array, valid)
    return Column(type_, array.fill_null(0).to_numpy(zero_copy_only=False), valid)
