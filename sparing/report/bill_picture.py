"""The bill as one picture: the map of our bill beside the map of the naive one."""

from __future__ import annotations

from sparing.model.counted import counted
from sparing.report.bill_page import BillReport
from sparing.report.legend import LEGEND
from sparing.report.overlay_map import new_figure
from sparing.report.svg import Tooltips, drawing, to_svg

MARGIN, GAP = 24.0, 40.0  # points around the picture, and between the maps
HEADER = 150.0  # points above the maps, for text
TITLE, LARGE, SMALL = 34.0, 26.0, 22.0  # font sizes: the picture is shown at half its size


@drawing()
def bill_picture(report: BillReport) -> str:
    """Return an SVG document on white."""
    from matplotlib.patches import Patch

    shared = report.map
    wide, high = shared.overlay_map.size
    width, height = 2 * (wide + MARGIN) + GAP, high + HEADER + MARGIN
    figure = new_figure(width, height)

    def write(x: float, y: float, text: str, size: float) -> None:
        figure.text(x / width, 1 - y / height, text, size=size, weight="bold", color="#222222")

    write(MARGIN, 48, report.headline, TITLE)
    patches = [Patch(color=entry.colour, label=entry.name) for entry in LEGEND]
    figure.legend(
        handles=patches, loc="center left", bbox_to_anchor=(MARGIN / width, 1 - 84 / height), ncols=len(patches),
        fontsize=SMALL, frameon=False, handlelength=0.9, handleheight=0.9, borderaxespad=0, borderpad=0,
    )  # fmt: skip
    tooltips = Tooltips()
    for name, bill, x in (
        ("with Sparing", report.ours, MARGIN),
        ("naive", report.naive, MARGIN + wide + GAP),
    ):
        write(x, HEADER - 8, f"{name}: {counted(bill.over_links().total(), 'message')} of all kinds", LARGE)
        shared.draw(shared.overlay_map.axes_in(figure, x, HEADER), bill, tooltips, labels=False)
    return to_svg(figure, f"The bill of {report.deployment.name}: {report.headline}", tooltips, scale=0.5)
