"""What every study shows: figures with the numbers behind them, and printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sparing.report import html
from sparing.report.plots import Panel, svg
from sparing_lab.study.verdicts import Judged, Verdict

NOT_MEASURED = Verdict.NOT_MEASURED.value
CLAIMS = ("what", "where", "the paper prints", "ours", "verdict", "why")

Value = TypeVar("Value")

Table = tuple[list[str], list[list[str]]]  # names of columns, rows of text


def number(value: float | None) -> str:
    """Two digits behind the point of small numbers, none behind others.

    >>> number(12345.5), number(1.23456), number(5.0), number(None)
    ('12,346', '1.23', '5', '')
    """
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:,.2f}"


def percent(value: float | None, digits: int = 1) -> str | None:
    """A share, if it is known.

    >>> percent(12.345), percent(0.5, 2), percent(None)
    ('12.3%', '0.50%', None)
    """
    return None if value is None else f"{value:.{digits}f}%"


def known(values: Iterable[Value | None]) -> list[Value]:
    """Those that were measured.

    >>> known([1.0, None])
    [1.0]
    """
    return [value for value in values if value is not None]


def cases(found: Iterable[bool | None]) -> str | None:
    """In how many of the cases that were measured something holds.

    >>> cases([True, None, False])
    '1 of 2'
    """
    met = known(found)
    return f"{sum(met)} of {len(met)}" if met else None


def listed(values: Iterable[float | None], form: str = ".1f", unit: str = "%") -> str | None:
    """A sweep in a line, if there are at least two points.

    >>> listed([1.0, None, 2.25])
    '1.0%, 2.2%'
    """
    found = [f"{value:{form}}{unit}" for value in known(values)]
    return ", ".join(found) if len(found) > 1 else None


@dataclass(frozen=True)
class Figure:
    """A figure: its panels, and the numbers behind them as rows of text under `names`, the first `left` being words."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1


def panel_of(
    title: str, along: str, up: str, lines: Mapping[str, Sequence[tuple[float | None, float | None]]]
) -> Panel:
    """A panel of what was measured."""
    found: dict[str, tuple[tuple[float, float], ...]] = {}
    for name, points in lines.items():
        known = tuple((at, value) for at, value in points if at is not None and value is not None)
        if known:
            found[name] = known
    return Panel(title, along, up, found)


def figure_of(name: str, title: str, panels: Sequence[Panel], shown: Callable[[float], str] = number) -> Figure:
    """A figure of panels, and under it all their points, shown as `shown` shows them."""
    rows = [
        (panel.title, panel.up, line, f"{panel.along} = {shown(along)}", shown(value))
        for panel in panels
        for line, points in panel.lines.items()
        for along, value in points
    ]
    drawn = tuple(panel for panel in panels if panel.lines)
    return Figure(name, title, drawn, ("panel", "what", "line", "at", "value"), tuple(rows), left=4)


@dataclass(frozen=True)
class Comparison:
    """One claim of a paper: what it prints, where, and what came of it. Ours is None if it was not measured."""

    what: str
    where: str
    printed: str
    ours: str | None
    judged: Judged

    @property
    def verdict(self) -> Verdict:
        """What came of it."""
        return self.judged.verdict

    @property
    def line(self) -> list[str]:
        """Under `CLAIMS`."""
        return [self.what, self.where, self.printed, self.ours or "", self.verdict.value, self.judged.why]

    def flat(self) -> dict[str, Any]:
        """For programs."""
        said = {"what": self.what, "where": self.where, "printed": self.printed, "ours": self.ours}
        return said | {"verdict": self.verdict.value, "why": self.judged.why}


def claims_table(found: Sequence[Comparison]) -> Table:
    """The printed numbers beside ours, with verdicts and reasons."""
    return list(CLAIMS), [claim.line for claim in found]


def short_table(found: Sequence[Comparison]) -> Table:
    """The same without reasons."""
    return list(CLAIMS[:-1]), [claim.line[:-1] for claim in found]


def tally(found: Sequence[Comparison]) -> list[int]:
    """How many claims have each verdict, in the order of verdicts."""
    return [sum(claim.verdict is verdict for claim in found) for verdict in Verdict]


def figure_parts(figure: Figure) -> list[str]:
    """A figure on a page."""
    drawing = svg(figure.panels, figure.name) if figure.panels else html.paragraph("Nothing was measured for it.")
    numbers = html.folded("The numbers", html.table(figure.names, figure.rows, left=figure.left))
    return [html.heading(f"{figure.name}: {figure.title}"), drawing, numbers]
