"""Columns of publications as arrays, straight from Arrow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from sparing.model.types import MOST_DIGITS, FieldType, Kind, float_codes


@dataclass(frozen=True)
class Column:
    """`data` as aggregate functions take values (see `functions`), or for text an Arrow array.

    Where `valid` is False, values mean nothing.
    """

    type: FieldType
    data: np.ndarray | pa.Array
    valid: np.ndarray

    def __len__(self) -> int:
        return len(self.valid)

    @cached_property
    def values(self) -> np.ndarray:
        """The values as an array; text as Python strings."""
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
        """The column of some rows."""
        if isinstance(self.data, np.ndarray):
            return Column(self.type, self.data[rows], self.valid[rows])
        return Column(self.type, self.data.take(pa.array(rows)), self.valid[rows])

    def blank(self, rows: int) -> Column:
        """A column of the same type without any value."""
        nothing = None if self.type.kind is Kind.TEXT else 0
        return Column(self.type, np.full(rows, nothing, dtype=self.values.dtype), np.zeros(rows, dtype=bool))

    def there(self, rows: np.ndarray) -> np.ndarray:
        """The values of some rows, without the missing ones."""
        values: np.ndarray = self.values[rows]
        valid = self.valid[rows]
        return values if valid.all() else values[valid]

    def codes(self) -> np.ndarray:
        """Codes in the type's order (for text: the text itself)."""
        return float_codes(self.values) if self.type.kind is Kind.FLOATING else self.values


def column(array: pa.Array | pa.ChunkedArray, type_: FieldType) -> Column:
    """The column of an Arrow array whose type fits the field's."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    match type_.kind:
        case Kind.TEXT:
            array = array.cast(pa.string())
        case Kind.FLOATING:
            array = array.cast(pa.float64())
        case Kind.BOOLEAN:
            array = array.cast(pa.bool_()).cast(pa.int64())
        case Kind.DECIMAL:  # whole numbers need many digits on the way, and none may be lost in the end
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


def _unscaled(array: pa.Array) -> np.ndarray:
    """The digits of decimals. Each takes 16 bytes, and at most 18 digits fit the lower eight of them."""
    words = np.frombuffer(array.buffers()[1], dtype=np.int64)
    return words[2 * array.offset : 2 * (array.offset + len(array)) : 2].copy()


def arrow(found: Column) -> pa.Array:
    """A column as an Arrow array again: doubles, text, and codes for all other types."""
    kind = {Kind.FLOATING: pa.float64(), Kind.TEXT: pa.string()}.get(found.type.kind, pa.int64())
    return pa.array(found.values, type=kind, mask=~found.valid)


def unarrow(array: pa.Array | pa.ChunkedArray, type_: FieldType) -> Column:
    """The inverse of `arrow`."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)
    if type_.kind is Kind.TEXT:
        return Column(type_, array, valid)
    return Column(type_, array.fill_null(0).to_numpy(zero_copy_only=False), valid)
