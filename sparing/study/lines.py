"""Measurements as lines of CSV, and back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

_READ = {"str": str, "int": int, "float": float}


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
