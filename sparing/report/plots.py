"""Line plots as SVG, for HTML pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparing.report.svg import drawing, to_svg

COLUMNS = 4
LINE_STYLES = (  # colours from a palette for the colour-blind, and markers
    ("#0072B2", "o"),
    ("#D55E00", "s"),
    ("#009E73", "^"),
    ("#000000", "x"),
    ("#E69F00", "D"),
    ("#56B4E9", "v"),
    ("#CC79A7", "P"),
    ("#999999", "*"),
)

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """One plot: labels of its axes, and a line of points for each name."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Points]


@drawing()
def svg(panels: Sequence[Panel], name: str) -> str:
    """Return panels in rows of four, with one legend and the same style for a line in all panels."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    names = dict.fromkeys(line for panel in panels for line in panel.lines)
    styles = {line: LINE_STYLES[at % len(LINE_STYLES)] for at, line in enumerate(names)}
    columns, rows, handles = min(len(panels), COLUMNS), -(-len(panels) // COLUMNS), {}
    figure = Figure(figsize=(3.4 * columns, 2.8 * rows + 0.5), layout="constrained")
    for at, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, at + 1)
        for line, points in panel.lines.items():
            colour, marker = styles[line]
            (handles[line],) = axes.plot(
                *zip(*points, strict=True), color=colour, marker=marker, markersize=4, linewidth=1.4
            )
        axes.set_title(panel.title, fontsize=10)
        axes.set_xlabel(panel.x, fontsize=9)
        axes.set_ylabel(panel.y, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(visible=True, color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.xaxis.set_major_formatter(FuncFormatter(axis_label))
        axes.yaxis.set_major_formatter(FuncFormatter(axis_label))
        axes.spines[["top", "right"]].set_visible(False)
    lines = [handles[line] for line in names]
    figure.legend(lines, list(names), loc="outside upper center", ncols=len(names), frameon=False, fontsize=9)
    return to_svg(figure, name, inline=True)


def axis_label(number: float, _: object = None) -> str:
    """Return a number with a unit prefix.

    >>> [axis_label(number) for number in (0.1, 10, 1500, 2e6)]
    ['0.1', '10', '1.5k', '2M']
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}"
