"""Exhibits of studies: tables, figures with their numbers, and claims of papers beside our measurements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from sparing.report.plots import Panel, svg
from sparing_lab.study.verdicts import Judged, Verdict

CLAIMS = ("what", "where", "the paper prints", "ours", "verdict", "why")

Value = TypeVar("Value")

Table = tuple[list[str], list[list[str]]]  # column names, rows of text


def number(value: float | None) -> str:
    """Format a number: two decimal places for small ones that are not whole, none for others.

    >>> number(12345.5), number(1.23456), number(5.0), number(None)
    ('12,346', '1.23', '5', '')
    """
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.2f}"


def percent(value: float | None, digits: int = 1) -> str | None:
    """Format a percentage; None stays None.

    >>> percent(12.345), percent(0.5, 2), percent(None)
    ('12.3%', '0.50%', None)
    """
    return None if value is None else f"{value:.{digits}f}%"


def known(values: Iterable[Value | None]) -> list[Value]:
    """Return the values that were measured.

    >>> known([1.0, None])
    [1.0]
    """
    return [value for value in values if value is not None]


def cases(outcomes: Iterable[bool | None]) -> str | None:
    """Return the number of true cases among those that were measured, as text.

    >>> cases([True, None, False])
    '1 of 2'
    """
    measured = known(outcomes)
    return f"{sum(measured)} of {len(measured)}" if measured else None


def listed(values: Iterable[float | None], form: str = ".1f", unit: str = "%") -> str | None:
    """Return the values of a sweep on one line, or None for fewer than two.

    >>> listed([1.0, None, 2.25])
    '1.0%, 2.2%'
    """
    texts = [f"{value:{form}}{unit}" for value in known(values)]
    return ", ".join(texts) if len(texts) > 1 else None


@dataclass(frozen=True)
class Figure:
    """A figure: its panels, and their numbers as rows of text under `names`; the first `left` columns are words."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1

    @cached_property
    def drawing(self) -> str:
        """The panels as SVG; plotting is slow, so it is done once."""
        return svg(self.panels, self.name)


@dataclass(frozen=True)
class TableExhibit:
    """A table with its title; the first `left` columns are words.

    The page shows `notes` above the table and `findings`, sentences about the measurements, below it. The terminal
    shows the table, or `brief` if the table is long, and `findings`.
    """

    title: str
    table: Table
    left: int = 1
    notes: Sequence[str] = ()
    findings: Sequence[str] = ()
    brief: Table | None = None


Exhibit = str | TableExhibit | Figure  # a string is a paragraph


def panel_of(title: str, x: str, y: str, lines: Mapping[str, Sequence[tuple[float | None, float | None]]]) -> Panel:
    """Return a panel of the points that were measured; lines without any are left out."""
    measured: dict[str, tuple[tuple[float, float], ...]] = {}
    for name, line in lines.items():
        points = tuple((at, value) for at, value in line if at is not None and value is not None)
        if points:
            measured[name] = points
    return Panel(title, x, y, measured)


def figure_of(name: str, title: str, panels: Sequence[Panel], form: Callable[[float], str] = number) -> Figure:
    """Return a figure of panels with a table of all their points; `form` formats a number."""
    rows = [
        (panel.title, panel.y, line, f"{panel.x} = {form(x)}", form(y))
        for panel in panels
        for line, points in panel.lines.items()
        for x, y in points
    ]
    drawn = tuple(panel for panel in panels if panel.lines)
    return Figure(name, title, drawn, ("panel", "what", "line", "at", "value"), tuple(rows), left=4)


@dataclass(frozen=True)
class Comparison:
    """A claim of a paper, our measurement beside it (None if not measured), and the verdict."""

    what: str
    where: str
    printed: str
    ours: str | None
    judged: Judged

    @property
    def verdict(self) -> Verdict:
        """Whether the claim is reproduced."""
        return self.judged.verdict

    @property
    def line(self) -> list[str]:
        """The cells under `CLAIMS`."""
        return [self.what, self.where, self.printed, self.ours or "", self.verdict.value, self.judged.why]

    def flat(self) -> dict[str, Any]:
        """Return the claim as a JSON object."""
        claim = {"what": self.what, "where": self.where, "printed": self.printed, "ours": self.ours}
        return claim | {"verdict": self.verdict.value, "why": self.judged.why}


def claims_table(claims: Sequence[Comparison]) -> Table:
    """Return printed numbers beside ours, with verdicts and reasons."""
    return list(CLAIMS), [claim.line for claim in claims]


def short_table(claims: Sequence[Comparison]) -> Table:
    """Return the table of claims without reasons."""
    return list(CLAIMS[:-1]), [claim.line[:-1] for claim in claims]


def tally(claims: Sequence[Comparison]) -> list[int]:
    """Return the number of claims with each verdict, in the order of `Verdict`."""
    return [sum(claim.verdict is verdict for claim in claims) for verdict in Verdict]
