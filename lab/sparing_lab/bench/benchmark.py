"""The base of benchmarks: options, a measurement, tables of results, and results as JSON.

A benchmark is a frozen dataclass that extends `Benchmark`: its docstring is the help of its command, its fields are
the options. Results are parts by name, mostly lists of records (dataclasses). As JSON they are the options as
`settings`, then every part, records with their properties.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sparing.model.errors import SparingError
from sparing.report.markdown import markdown_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Results = dict[str, Any]  # part -> records, or plain values
Show = Callable[[Any], str]  # the cell of a record


def option(default: Any, help: str, **look: Any) -> Any:  # noqa: A002
    """Return a field that is an option of the command; `repeated` allows several values, the rest is for Typer."""
    return field(default=default, metadata={"help": help, **look})


def repetitions() -> Any:
    """Return the option for the number of measurements."""
    return option(3, "Number of repetitions; results are medians.", min=1)


def spark_master(default: str = "local[*]") -> Any:
    """Return the option for the Spark master."""
    return option(default, "The Spark master, e.g. local[2] or spark://host:7077.")


def spark_conf() -> Any:
    """Return the option for Spark settings."""
    return option((), "A Spark setting; may be given several times.", metavar="KEY=VALUE", repeated=True)


def _no_spark() -> AbstractContextManager[SparkSession]:
    raise SparingError("This run has no Spark session: use the benchmark's command.")


@dataclass(frozen=True)
class Run:
    """The surroundings of a measurement: a progress callback, and a factory of Spark sessions."""

    tell: Callable[[str], None] = lambda _: None
    spark: Callable[[], AbstractContextManager[SparkSession]] = _no_spark


@dataclass(frozen=True)
class Table:
    """Records as rows; columns by name, text columns in `words`."""

    title: str
    rows: Sequence[Any]
    columns: Mapping[str, Show]
    words: Collection[str] = ()
    caption: str = ""

    def cells(self) -> list[list[str]]:
        """Return all cells by row."""
        return [[show(row) for show in self.columns.values()] for row in self.rows]

    def markdown(self) -> str:
        """Return the table in Markdown."""
        table = markdown_table(tuple(self.columns), self.cells(), self.words)
        return f"{table}\n\n{self.caption}" if self.caption else table


@dataclass(frozen=True)
class Benchmark:
    """The base of all benchmarks."""

    parts: ClassVar[Mapping[str, Any]] = {}  # name -> type of a part of the results

    def measure(self, run: Run) -> Results:
        """Return the results."""
        raise NotImplementedError

    def tables(self, results: Results) -> list[Table]:
        """Return the results as tables; those without rows are not shown."""
        raise NotImplementedError

    def conclude(self, results: Results) -> None:
        """Finish after the results are written, for example with an error."""

    def markdown(self, results: Results) -> str:
        """Return all tables in Markdown."""
        return "\n\n".join(table.markdown() for table in self.tables(results) if table.rows) + "\n"

    def json(self, results: Results) -> dict[str, Any]:
        """Return the results for JSON."""
        found: dict[str, Any] = record({"settings": self, **results})
        return found

    @classmethod
    def read(cls, found: Mapping[str, Any]) -> tuple[Self, Results]:
        """Return a benchmark and its results from the output of `json`."""
        from pydantic import TypeAdapter

        settings = TypeAdapter(cls).validate_python(found["settings"])
        return settings, {
            part: TypeAdapter(kind).validate_python(found[part]) for part, kind in cls.parts.items() if part in found
        }


def record(value: Any) -> Any:
    """Return plain values for JSON: dataclasses with their properties, None for NaN.

    >>> record(Target.at_most("seconds", 2.0, 1.5))
    {'what': 'seconds', 'goal': 2.0, 'found': 1.5, 'verdict': 'met'}
    """
    if is_dataclass(value):
        derived = [name for name, one in vars(type(value)).items() if isinstance(one, property)]
        return {name: record(getattr(value, name)) for name in [*(one.name for one in fields(value)), *derived]}
    if isinstance(value, Mapping):
        return {name: record(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [record(one) for one in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


@dataclass(frozen=True)
class Target:
    """A goal, the measurement (None if not measured), and the verdict."""

    what: str
    goal: float
    found: float | None
    verdict: str

    @classmethod
    def at_most(cls, what: str, goal: float, found: float | None) -> Target:
        """Return a goal that is an upper bound."""
        return cls(what, goal, found, verdict(None if found is None else found <= goal, "not measured"))

    @classmethod
    def at_least(cls, what: str, goal: float, found: float | None) -> Target:
        """Return a goal that is a lower bound."""
        return cls(what, goal, found, verdict(None if found is None else found >= goal, "not measured"))


def verdict(kept: bool | None, unknown: str = "-") -> str:
    """Return met, missed, or `unknown`."""
    return unknown if kept is None else "met" if kept else "missed"


def goals(targets: Sequence[Target]) -> Table:
    """Return the table of goals."""
    columns: dict[str, Show] = {
        "what": lambda t: t.what,
        "goal": lambda t: f"{t.goal:,g}",
        "found": lambda t: digits(t.found),
        "verdict": lambda t: t.verdict,
    }
    return Table("Goals", targets, columns, ("what", "verdict"))


def digits(number: float | None, scale: float = 1) -> str:
    """Return a number with three digits, or as a whole number.

    >>> digits(0.012345), digits(1.2, 1000), digits(None)
    ('0.0123', '1,200', '-')
    """
    if number is None or math.isnan(number):
        return "-"
    return f"{scale * number:.3g}" if abs(scale * number) < 100 else f"{scale * number:,.0f}"


def beside(seconds: float | None, ours: float, scale: float = 1) -> str:
    """Format a peer's time, with its multiple of ours.

    >>> beside(2.0, 0.16), beside(2.0, 1.6, 1000), beside(None, 1.0)
    ('2 (12x)', '2,000 (1.2x)', '-')
    """
    return "-" if seconds is None else f"{digits(seconds, scale)} ({times(seconds / ours)})"


def times(ratio: float) -> str:
    """Format a multiple.

    >>> times(3.14159), times(1234.5)
    ('3.1x', '1,234x')
    """
    return f"{ratio:,.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def each(names: Iterable[Any], cell: Callable[[Any, Any], str], title: str = "{}") -> dict[str, Show]:
    """Return a column for every name; `cell` formats a row and a name."""
    return {title.format(name): partial(_cell, cell, name) for name in names}


def _cell(cell: Callable[[Any, Any], str], name: Any, row: Any) -> str:
    return cell(row, name)


def count(name: str) -> Show:
    """Return a function that shows a whole number of a record."""
    return lambda row: f"{getattr(row, name):,}"


def text(name: str) -> Show:
    """Return a function that shows a value of a record unchanged."""
    return lambda row: str(getattr(row, name))
