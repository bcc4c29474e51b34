"""Line plots as SVG, as parts of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparing.report.svg import drawing, to_svg

COLUMNS = 4
# Colours that most people can tell apart, and markers for the others.
LOOKS = (
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
    """One plot: a line of points for each name."""

    title: str
    along: str
    up: str
    lines: Mapping[str, Points]


@drawing()
def svg(panels: Sequence[Panel], name: str) -> str:
    """Panels in rows of four with one legend. A line's name looks the same in all panels; `name` names the figure."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    looks = {
        line: LOOKS[at % len(LOOKS)]
        for at, line in enumerate(dict.fromkeys(line for panel in panels for line in panel.lines))
    }
    columns, rows, handles = min(len(panels), COLUMNS), -(-len(panels) // COLUMNS), {}
    figure = Figure(figsize=(3.4 * columns, 2.8 * rows + 0.5), layout="constrained")
    for at, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, at + 1)
        for line, points in panel.lines.items():
            colour, marker = looks[line]
            across, up = zip(*points, strict=True)
            (handles[line],) = axes.plot(across, up, color=colour, marker=marker, markersize=4, linewidth=1.4)
        axes.set_title(panel.title, fontsize=10)
        axes.set_xlabel(panel.along, fontsize=9)
        axes.set_ylabel(panel.up, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(visible=True, color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.xaxis.set_major_formatter(FuncFormatter(short))
        axes.yaxis.set_major_formatter(FuncFormatter(short))
        axes.spines[["top", "right"]].set_visible(False)
    lines = [handles[line] for line in looks]
    figure.legend(lines, list(looks), loc="outside upper center", ncols=len(looks), frameon=False, fontsize=9)
    return to_svg(figure, name, inline=True)


def short(number: float, _: object = None) -> str:
    """An axis label.

    >>> [short(number) for number in (0.1, 10, 1500, 2e6)]
    ['0.1', '10', '1.5k', '2M']
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}"
