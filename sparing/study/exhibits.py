"""What every study shows: figures with the numbers behind them, and printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sparing.report import html
from sparing.report.plots import Panel, svg

NOT_MEASURED = "not measured"

Table = tuple[list[str], list[list[str]]]  # names of columns, rows of text


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


def figure_of(name: str, title: str, panels: Sequence[Panel], number: Callable[[float], str]) -> Figure:
    """A figure of panels, and under it all their points, shown as `number` shows them."""
    rows = [
        (panel.title, panel.up, line, f"{panel.along} = {number(along)}", number(value))
        for panel in panels
        for line, points in panel.lines.items()
        for along, value in points
    ]
    drawn = tuple(panel for panel in panels if panel.lines)
    return Figure(name, title, drawn, ("panel", "what", "line", "at", "value"), tuple(rows), left=4)


@dataclass(frozen=True)
class Comparison:
    """One printed number, where it stands, and ours (None: not measured)."""

    what: str
    where: str
    printed: str
    ours: str | None


def comparison_table(found: Sequence[Comparison]) -> Table:
    """The printed numbers beside ours."""
    rows = [[c.what, c.where, c.printed, c.ours or NOT_MEASURED] for c in found]
    return ["what", "where", "the paper prints", "ours"], rows


def figure_parts(figure: Figure) -> list[str]:
    """A figure on a page."""
    drawing = svg(figure.panels, figure.name) if figure.panels else html.paragraph("Nothing was measured for it.")
    numbers = html.folded("The numbers", html.table(figure.names, figure.rows, left=figure.left))
    return [html.heading(f"{figure.name}: {figure.title}"), drawing, numbers]
