"""Items: the messages over a link between brokers in different processes.

Items contain names, not numbers, so both processes only need the same deployment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparing.match.columns import Column
from sparing.model.types import FieldType, Kind


@dataclass(frozen=True, slots=True)
class LinkItem:
    """A raw publication or a partial result that crosses the link `source` > `target` at event time `sent`.

    `subscription` and `end` are the window range of a partial result, which has one of `states` per output. For a raw
    publication they are its mark, the window range whose decision forwarded it (empty if sent on arrival, with all
    fields); `wanted` are the subscriptions beyond the link.
    """

    source: str
    target: str
    sent: int
    subscription: str = ""
    end: int = 0
    states: tuple[Any, ...] | None = None
    id: str = ""
    publisher: str = ""
    time: int = 0
    wanted: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


def item_values(columns: Mapping[str, Column], row: int) -> dict[str, Any]:
    """Return the fields of one publication, None where missing."""
    return {name: _plain(column.values[row]) if column.valid[row] else None for name, column in columns.items()}


def item_columns(items: Sequence[LinkItem], types: Mapping[str, FieldType]) -> dict[str, Column]:
    """Return the fields of several publications as columns."""
    columns = {}
    for name, type_ in types.items():
        found = [item.values.get(name) for item in items]
        valid = np.array([value is not None for value in found], dtype=bool)
        if type_.kind is Kind.TEXT:
            values = np.array(found, dtype=object)
        else:
            kind = np.float64 if type_.kind is Kind.FLOATING else np.int64
            values = np.array([0 if value is None else value for value in found], dtype=kind)
        columns[name] = Column(type_, values, valid)
    return columns


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
