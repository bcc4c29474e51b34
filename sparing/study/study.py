"""What a study is made of, whoever runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparing.study.exhibits import Table


@dataclass(frozen=True)
class Titled:
    """A table with its title, the first `left` columns being words."""

    title: str
    table: Table
    left: int = 1


@dataclass(frozen=True)
class Shown:
    """What came of a study: files by the ends of their names, then what is said on the terminal or to programs."""

    files: Mapping[str, str]
    tables: Sequence[Titled]
    sentences: Sequence[str]
    json: Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """Cells are independent experiments; `measure` takes one and gives rows, and `show` gets all rows in that order.

    Both travel to other processes, so they are functions of a module. Scales go by their names.
    """

    name: str
    cells: Callable[[str], Sequence[Any]]
    measure: Callable[[Any], list[Any]]
    show: Callable[[str, list[Any]], Shown]
