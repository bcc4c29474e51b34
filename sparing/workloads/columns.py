"""Columns of publications: conversions from NumPy to Arrow, and missing values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

STAMP = pa.timestamp("us", tz="UTC")


def text_column(names: Sequence[str], codes: np.ndarray) -> pa.Array:
    """Return the names of codes."""
    return pa.array(list(names), pa.string()).take(pa.array(codes))


def double_column(values: np.ndarray, decimals: int) -> pa.Array:
    """Return doubles, rounded so that their text is short."""
    return pa.array(np.round(values, decimals) + 0.0)  # + 0.0: no minus zero


def integer_column(values: np.ndarray, bits: int = 32) -> pa.Array:
    """Return whole numbers (int or bigint)."""
    return pa.array(values.astype(np.int32 if bits == 32 else np.int64))


def timestamp_column(times: np.ndarray) -> pa.Array:
    """Return microseconds since 1970 as timestamps."""
    return pa.array(times.astype(np.int64)).cast(STAMP)


def only_where(values: pa.Array, present: np.ndarray) -> pa.Array:
    """Return the values where present, missing values elsewhere."""
    return pc.if_else(pa.array(present), values, pa.scalar(None, values.type))


def drop_values(table: pa.Table, share: float, keep: Collection[str], rng: np.random.Generator) -> pa.Table:
    """Return the table with a share of the values missing, but none in the columns to keep."""
    if share == 0:
        return table
    for at, name in enumerate(table.column_names):
        if name not in keep:
            present = rng.random(table.num_rows) >= share
            table = table.set_column(at, name, only_where(table.column(name).combine_chunks(), present))
    return table
