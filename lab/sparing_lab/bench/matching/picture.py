"""Events per second over the number of subscriptions: a panel for each workload, a line for each engine."""

from __future__ import annotations

from pathlib import Path

from sparing.model.errors import SparingError
from sparing.report.plots import axis_label
from sparing.report.svg import drawing, save
from sparing_lab.bench.matching.benchmark import Match, Matching
from sparing_lab.bench.matching.cases import workload
from sparing_lab.bench.matching.engines import ENGINES
from sparing_lab.bench.matching.shapes import SHAPES

LOOKS = {  # colours that most people can tell apart, and markers for the others
    "sparing": ("#0072B2", "o"),
    "numpy": ("#E69F00", "s"),
    "duckdb": ("#009E73", "^"),
    "polars": ("#D55E00", "D"),
    "spark": ("#CC79A7", "v"),
}


@drawing()
def picture(match: Match, rows: list[Matching], path: Path) -> None:
    """Plot the results to a file."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    shapes = list(dict.fromkeys(f.shape for f in rows))
    selectivities = sorted({f.selectivity for f in rows}, reverse=True)
    whole = Figure(figsize=(max(3.1 * len(shapes), 5.5), 2.7 * len(selectivities) + 0.9), layout="constrained")
    panels = whole.subplots(len(selectivities), len(shapes), sharex=True, sharey=True, squeeze=False)
    for row, selectivity in enumerate(selectivities):
        for column, shape in enumerate(shapes):
            panel = panels[row][column]
            if selectivity not in SHAPES[shape].selectivities:
                panel.set_visible(False)
                panels[row - 1][column].tick_params(labelbottom=True)
                continue
            for name in match.engines:
                mine = [f for f in rows if (f.shape, f.selectivity, f.engine) == (shape, selectivity, name) and f.rates]
                colour, marker = LOOKS[name]
                panel.loglog(
                    [f.subscriptions for f in mine], [f.rate() for f in mine], color=colour, marker=marker,
                    markersize=5, linewidth=2.4 if name == "sparing" else 1.4, label=ENGINES[name].title,
                )  # fmt: skip
            panel.set_title(workload(shape, selectivity), fontsize=10)
            panel.grid(visible=True, which="major", color="0.9", linewidth=0.8)
            panel.xaxis.set_major_formatter(FuncFormatter(axis_label))
            panel.yaxis.set_major_formatter(FuncFormatter(axis_label))
            panel.minorticks_off()
            panel.spines[["top", "right"]].set_visible(False)
    whole.supxlabel("subscriptions", fontsize=10)
    whole.supylabel("events per second", fontsize=10)
    lines, labels = panels[0][0].get_legend_handles_labels()
    whole.legend(lines, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=10)
    try:
        save(whole, path, "Events per second over the number of subscriptions")
    except (OSError, ValueError) as error:
        raise SparingError(f"{path} cannot be plotted to: {error}.") from None
