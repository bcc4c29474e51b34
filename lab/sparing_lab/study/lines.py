"""Measurements as lines of CSV, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any, Self

_READ = {"str": str, "int": int, "float": float}


class Line:
    """What a measurement is made of: a dataclass of texts and numbers that is a line of a table.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Row(Line):
    ...     policy: str
    ...     messages: int
    >>> Row.to_csv([Row("wad", 12)])
    'policy,messages\\nwad,12\\n'
    >>> Row.from_csv("policy,messages\\nwad,12\\n")
    [Row(policy='wad', messages=12)]
    """

    def flat(self) -> dict[str, Any]:
        """As one line of a table."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Self:
        """The inverse of `flat`; values may be texts."""
        return cls(**values_of(cls, line))

    @classmethod
    def columns(cls) -> list[str]:
        """The names in a line."""
        return names_of(cls)

    @classmethod
    def to_csv(cls, rows: Iterable[Self]) -> str:
        """All rows with a header."""
        return to_text(cls.columns(), (row.flat() for row in rows))

    @classmethod
    def from_csv(cls, text: str) -> list[Self]:
        """The inverse of `to_csv`."""
        return [cls.of(line) for line in from_text(text)]


def names_of(kind: Any) -> list[str]:
    """The names of a dataclass's fields."""
    return [field.name for field in fields(kind)]


def values_of(kind: Any, line: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a line's values, which may be texts, that are fields of a dataclass of texts and numbers."""
    return {field.name: _READ[str(field.type)](line[field.name]) for field in fields(kind) if str(field.type) in _READ}


def to_text(names: list[str], lines: Iterable[Mapping[str, Any]]) -> str:
    """Lines with a header.

    >>> to_text(["a", "b"], [{"a": 1, "b": "x"}])
    'a,b\\n1,x\\n'
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def from_text(text: str) -> Iterator[dict[str, str]]:
    """The inverse of `to_text`; all values are texts."""
    return iter(csv.DictReader(io.StringIO(text)))
