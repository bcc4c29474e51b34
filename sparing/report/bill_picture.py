"""The bill as one picture: ours beside the naive one, every link as wide as its messages."""

from __future__ import annotations

from sparing.model.counted import counted
from sparing.report.bill_page import Billed
from sparing.report.legend import LEGEND
from sparing.report.overlay_map import new_figure
from sparing.report.svg import Tooltips, drawing, to_svg

EDGE, BETWEEN = 24.0, 40.0  # points around everything, and between the maps
HEAD = 150.0  # room for words above the maps
TITLE, LARGE, SMALL = 34.0, 26.0, 22.0  # sizes of letters: the picture is shown at half its size


@drawing()
def bill_picture(billed: Billed) -> str:
    """An SVG document on white."""
    from matplotlib.patches import Patch

    shared = billed.map
    wide, high = shared.ground.size
    width, height = 2 * (wide + EDGE) + BETWEEN, high + HEAD + EDGE
    figure = new_figure(width, height)

    def write(x: float, y: float, text: str, size: float) -> None:
        figure.text(x / width, 1 - y / height, text, size=size, weight="bold", color="#222222")

    write(EDGE, 48, billed.headline, TITLE)
    patches = [Patch(color=entry.colour, label=entry.name) for entry in LEGEND]
    figure.legend(
        handles=patches, loc="center left", bbox_to_anchor=(EDGE / width, 1 - 84 / height), ncols=len(patches),
        fontsize=SMALL, frameon=False, handlelength=0.9, handleheight=0.9, borderaxespad=0, borderpad=0,
    )  # fmt: skip
    tooltips = Tooltips()
    for name, bill, x in (
        ("with Sparing", billed.ours, EDGE),
        ("naive", billed.naive, EDGE + wide + BETWEEN),
    ):
        write(x, HEAD - 8, f"{name}: {counted(bill.over_links().total(), 'message')} of all kinds", LARGE)
        shared.draw(shared.ground.axes_in(figure, x, HEAD), bill, tooltips, labels=False)
    return to_svg(figure, f"The bill of {billed.deployment.name}: {billed.headline}", tooltips, scale=0.5)
