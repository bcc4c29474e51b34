"""A sample of publications as arrays, with which subscriptions are generated and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa


@dataclass(frozen=True)
class Sample:
    """Columns by field: numbers as doubles (missing: NaN), text as codes into `names` (missing: -1)."""

    rows: int
    numbers: Mapping[str, np.ndarray]
    codes: Mapping[str, np.ndarray]
    names: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, table: pa.Table, fields: Sequence[str]) -> Sample:
        """Return the sample of some fields (numbers and text)."""
        numbers: dict[str, np.ndarray] = {}
        codes: dict[str, np.ndarray] = {}
        names: dict[str, Sequence[str]] = {}
        for field in fields:
            column = table.column(field).combine_chunks()
            if pa.types.is_string(column.type):
                encoded = column.dictionary_encode()
                codes[field] = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
                names[field] = encoded.dictionary.to_pylist()
            else:
                numbers[field] = column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        return cls(table.num_rows, numbers, codes, names)

    def part(self, rows: slice) -> Sample:
        """Return some of the rows, with the same codes."""
        numbers = {field: values[rows] for field, values in self.numbers.items()}
        codes = {field: values[rows] for field, values in self.codes.items()}
        return Sample(len(range(self.rows)[rows]), numbers, codes, self.names)
