"""Line plots as SVG, to stand inside a page."""

from __future__ import annotations

import importlib.util
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparing.model.errors import SparingError

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


def need_matplotlib() -> None:
    """Say how to install what plots are made with, if it is not there."""
    if importlib.util.find_spec("matplotlib") is None:
        raise SparingError("To plot figures, matplotlib must be there: install it with pip install 'sparing[bench]'.")


def svg(panels: Sequence[Panel], name: str) -> str:
    """Panels in rows of four with one legend. A name looks the same in all panels; `name` keeps ids of plots apart."""
    need_matplotlib()
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    rows = -(-len(panels) // COLUMNS)
    picture = Figure(figsize=(3.4 * min(len(panels), COLUMNS), 2.8 * rows + 0.5), layout="constrained")
    for at, panel in enumerate(panels):
        axes = picture.add_subplot(rows, min(len(panels), COLUMNS), at + 1)
        for line, points in panel.lines.items():
            colour, marker = LOOKS[names.index(line) % len(LOOKS)]
            across, up = zip(*points, strict=True)
            axes.plot(across, up, color=colour, marker=marker, markersize=4, linewidth=1.4, label=line)
        axes.set_title(panel.title, fontsize=10)
        axes.set_xlabel(panel.along, fontsize=9)
        axes.set_ylabel(panel.up, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(visible=True, color="0.9", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.xaxis.set_major_formatter(FuncFormatter(short))
        axes.yaxis.set_major_formatter(FuncFormatter(short))
        axes.spines[["top", "right"]].set_visible(False)
    found = {
        label: line for axes in picture.axes for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    handles = [found[name] for name in names]
    picture.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False, fontsize=9)
    text = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        picture.savefig(text, format="svg")
    return _inline(text.getvalue())


def _inline(text: str) -> str:
    """The drawing alone: without what only a file of its own needs, or what names other places."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'\s+xmlns(:\w+)?="[^"]*"', "", text)
    return text.replace("xlink:href", "href").strip()


def short(number: float, _: object = None) -> str:
    """An axis label.

    >>> [short(number) for number in (0.1, 10, 1500, 2e6)]
    ['0.1', '10', '1.5k', '2M']
    """
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:g}{unit}"
    return f"{number:g}"
