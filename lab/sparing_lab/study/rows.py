"""Rows of measurements: dataclasses that are written to CSV and read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Self, get_type_hints


class Row:
    """Base of a study's row: a frozen dataclass of text, numbers and enums, with a column for each field.

    A field that is a dataclass itself, such as the point of a grid, gives a column for each of its own fields.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class PolicyRow(Row):
    ...     policy: str
    ...     messages: int
    >>> PolicyRow.to_csv([PolicyRow("wad", 12)])
    'policy,messages\\nwad,12\\n'
    >>> PolicyRow.from_csv("policy,messages\\nwad,12\\n")
    [PolicyRow(policy='wad', messages=12)]
    """

    def flat(self) -> dict[str, Any]:
        """Return column -> value."""
        return _flat(self)

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """Return the row of a CSV line or of a result of `flat`; values may be strings."""
        found: Self = _parse(cls, line)
        return found

    @classmethod
    def columns(cls) -> list[str]:
        """Return the column names."""
        return _columns(cls)

    @classmethod
    def to_csv(cls, rows: Iterable[Self]) -> str:
        """Return rows as CSV with a header."""
        text = io.StringIO()
        writer = csv.DictWriter(text, cls.columns(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row.flat() for row in rows)
        return text.getvalue()

    @classmethod
    def from_csv(cls, text: str) -> list[Self]:
        """Parse the output of `to_csv`."""
        return [cls.of(line) for line in csv.DictReader(io.StringIO(text))]


def _flat(record: Any) -> dict[str, Any]:
    line: dict[str, Any] = {}
    kind: Any = type(record)
    for name in _types(kind):
        value = getattr(record, name)
        line |= _flat(value) if is_dataclass(value) else {name: value}
    return line


def _parse(kind: Any, line: Mapping[str, Any]) -> Any:
    types = _types(kind).items()
    return kind(**{name: _parse(one, line) if is_dataclass(one) else one(line[name]) for name, one in types})


def _columns(kind: Any) -> list[str]:
    types = _types(kind).items()
    return [column for name, one in types for column in (_columns(one) if is_dataclass(one) else [name])]


@cache
def _types(kind: Any) -> dict[str, Any]:
    """Field -> type."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
