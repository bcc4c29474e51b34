"""What every study shows: figures with the numbers behind them, and printed numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
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
