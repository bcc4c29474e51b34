"""Columns of objects, lists and single results: what payloads consist of.

`json_columns` writes them as JSON text and `variant` as VARIANT values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sparing.match.columns import Column
from sparing.model.functions import Result


@dataclass(frozen=True)
class Objects:
    """A column of objects: named values, without missing ones.

    Columns with the same name are next to each other, and have values in different rows.
    """

    names: Sequence[str]
    columns: Sequence[AnyColumn]
    valid: np.ndarray

    @classmethod
    def of(cls, columns: Mapping[str, Column], rows: np.ndarray) -> Objects:
        """Return some rows of named columns as objects."""
        return cls(list(columns), [column.take(rows) for column in columns.values()], np.ones(len(rows), dtype=bool))

    def __len__(self) -> int:
        return len(self.valid)


@dataclass(frozen=True)
class Lists:
    """A column of lists: row r has the elements rows[first[r] : last[r]] of another column, which are not missing."""

    elements: AnyColumn
    rows: np.ndarray
    first: np.ndarray
    last: np.ndarray
    valid: np.ndarray

    def __len__(self) -> int:
        return len(self.valid)


@dataclass(frozen=True)
class Results:
    """A column of results that functions computed one by one; with `single`, doubles are 32-bit floats."""

    values: Sequence[Result]
    single: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def valid(self) -> np.ndarray:
        """Whether there is a result, by row."""
        return np.array([value is not None for value in self.values], dtype=bool)


AnyColumn = Column | Objects | Lists | Results
