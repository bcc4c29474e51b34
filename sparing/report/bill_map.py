"""A bill on the map of its overlay: a link's width is its number of messages, with a stripe for each kind.

Each direction of a link is drawn on its own right-hand side.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sparing.model.bill import Bill
from sparing.model.overlay import Overlay
from sparing.report.legend import LEGEND
from sparing.report.overlay_map import OverlayMap, draw_label, new_figure
from sparing.report.svg import Tooltips, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDEST = 26.0  # points, the busiest direction of a link
NARROWEST = 1.2
GAP = 1.5  # between the middle of a link and its stripes
ARROW_HEAD = 7.0  # length
MOST_LABELS = 60  # links; with more, counts would overlap


@dataclass(frozen=True)
class BillMap:
    """The map shared by several bills, on one scale: `most` messages have the maximum width."""

    overlay_map: OverlayMap
    publishing: frozenset[str]
    subscribing: frozenset[str]
    most: int

    @classmethod
    def of(
        cls, overlay: Overlay, publishing: frozenset[str], subscribing: frozenset[str], bills: Mapping[str, Bill]
    ) -> BillMap:
        """Return the map on which bills can be compared."""
        most = max((n for bill in bills.values() for n in bill.over_links().by_link().values()), default=0)
        return cls(OverlayMap.of(overlay), publishing, subscribing, most)

    @drawing()
    def svg(self, bill: Bill, title: str, labels: bool = True) -> str:
        """Return the drawing of a bill as a part of a page."""
        figure = new_figure(*self.overlay_map.size)
        tooltips = Tooltips()
        self.draw(self.overlay_map.axes_in(figure), bill, tooltips, labels)
        return to_svg(figure, title, tooltips, inline=True)

    def draw(self, axes: Axes, bill: Bill, tooltips: Tooltips, labels: bool) -> None:
        """Draw a bill; with `labels`, the number of messages is beside each link."""
        counts: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for entry in LEGEND:
            for link, messages in entry.messages(bill).by_link().items():
                if messages:
                    counts[link][entry.name] = messages
        self.overlay_map.draw_idle_links(axes, {frozenset(link) for link in counts})
        for link, by_kind in counts.items():
            text = ", ".join(f"{n:,} {kind}" for kind, n in by_kind.items())
            self._draw_stripes(axes, link, by_kind, tooltips.gid(f"{link[0]} to {link[1]}: {text}"))
            if labels and len(self.overlay_map.overlay.links) <= MOST_LABELS:
                self._draw_count(axes, link, sum(by_kind.values()))
        self.overlay_map.draw_brokers(axes, self.publishing, self.subscribing)

    def _width(self, messages: int) -> float:
        return max(WIDEST * messages / self.most, NARROWEST)

    def _draw_stripes(self, axes: Axes, link: tuple[str, str], counts: Mapping[str, int], gid: str) -> None:
        """Draw a stripe for each kind, and an arrow head in the colour of the widest."""
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Polygon

        track, total = self.overlay_map.track(*link), sum(counts.values())
        full_width, offset = self._width(total), GAP
        entries = [entry for entry in LEGEND if entry.name in counts]
        widths = [full_width * counts[entry.name] / total for entry in entries]
        lines = []
        for width in widths:
            lines.append([track.point(at, offset + width / 2) for at in (0.0, track.length - ARROW_HEAD)])
            offset += width
        colours = [entry.colour for entry in entries]
        axes.add_artist(LineCollection(lines, linewidths=widths, colors=colours, capstyle="butt", gid=gid))
        base, main = track.length - ARROW_HEAD, max(entries, key=lambda entry: counts[entry.name])
        corners = [(base, GAP - 1), (track.length, GAP + full_width / 2), (base, GAP + full_width + 2)]
        axes.add_artist(Polygon([track.point(*corner) for corner in corners], color=main.colour, linewidth=0, gid=gid))

    def _draw_count(self, axes: Axes, link: tuple[str, str], messages: int) -> None:
        """Draw the number of messages beside a link, away from the broker with more links, where there is more room."""
        track, (x, y) = self.overlay_map.track(*link), self.overlay_map.track(*link).right
        source, target = (len(self.overlay_map.overlay.neighbours[end]) for end in link)
        at = track.length * (0.5 + 0.14 * ((source > target) - (source < target)))
        align = "center" if abs(x) < 0.5 else ("left" if x > 0 else "right")
        offset = GAP + self._width(messages) + 4 + 5 * abs(y)
        draw_label(axes, track.point(at, offset), f"{messages:,}", "#333333", align)
