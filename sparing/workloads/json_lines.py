"""Publications as JSON lines, encoded by columns in Arrow, without a Python object per row.

Missing values are omitted. Timestamps are ISO 8601 in UTC with microseconds.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


class Lines:
    """The lines of a table as one block of bytes; each ends with a line feed."""

    def __init__(self, table: pa.Table) -> None:
        # The other columns start with a comma, so the first column must not have missing values.
        first, *others = table.column_names
        if table.column(first).null_count:
            raise ValueError(f"column {first} has missing values, but the first column of JSON lines must not")
        parts = [_fragment(f'{{"{first}":', table.column(first))]
        parts += [_fragment(f',"{name}":', table.column(name)) for name in others]
        lines = pc.binary_join_element_wise(*parts, "}\n", "", null_handling="replace", null_replacement="")
        _, offsets, data = lines.buffers()
        self._starts = np.frombuffer(offsets, dtype=np.int32, count=len(lines) + 1)
        self._data = memoryview(data) if data is not None else memoryview(b"")

    def between(self, first: int, last: int) -> memoryview:
        """Return the bytes of the lines from `first` to before `last`."""
        return self._data[self._starts[first] : self._starts[last]]


def _fragment(prefix: str, column: pa.ChunkedArray) -> pa.Array:
    """Return prefix and value of each row; missing if the value is."""
    return pc.binary_join_element_wise(prefix, _json(column.combine_chunks()), "")


def _json(values: pa.Array) -> pa.Array:
    """Return each value as JSON text."""
    if pa.types.is_string(values.type):
        encoded = values.dictionary_encode()
        return pa.array([json.dumps(name) for name in encoded.dictionary.to_pylist()], pa.string()).take(
            encoded.indices
        )
    if pa.types.is_timestamp(values.type):
        plain = values.cast(pa.int64()).cast(pa.timestamp("us")).cast(pa.string())  # 2026-01-01 00:00:00.000000
        return pc.binary_join_element_wise('"', pc.utf8_replace_slice(plain, 10, 11, "T"), 'Z"', "")
    return values.cast(pa.string())
