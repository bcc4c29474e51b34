"""What a study is made of, whoever runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sparing_lab.study.exhibits import Comparison, Table
from sparing_lab.study.lines import Line


@dataclass(frozen=True)
class Titled:
    """A table with its title, the first `left` columns being words."""

    title: str
    table: Table
    left: int = 1


@dataclass(frozen=True)
class Words:
    """What is said of a study whatever came out: its page's title, which paper it is about, and what is measured."""

    title: str
    paper: str
    introduction: Sequence[str]


@dataclass(frozen=True)
class Shown:
    """What came of a study. `exhibits` are parts of a page, `tables` are for the terminal, all else is plain text."""

    words: Words
    scale: str  # how much was measured
    claims: Sequence[Comparison]
    exhibits: Sequence[str]
    tables: Sequence[Titled]
    sentences: Sequence[str] = ()


@dataclass(frozen=True)
class Study:
    """Cells are independent experiments; `measure` takes one and gives rows, and `show` gets all rows in that order.

    Cells and `measure` travel to other processes, so the latter is a function of a module. Scales go by their names.
    """

    name: str
    row: type[Line]
    cells: Callable[[str], Sequence[Any]]
    measure: Callable[[Any], list[Any]]
    show: Callable[[str, list[Any]], Shown]
