"""The map of an overlay, on which the maps of bills and of markings are drawn."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sparing.model.overlay import Overlay
from sparing.report.layout import positions
from sparing.report.svg import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIN_DISTANCE = 165.0  # points between neighbours
MIN_MARGIN = 60.0  # points around the brokers
HALF_HEIGHT = 17.0  # of a broker's box
NAME_SIZE, NOTE_SIZE = 14.0, 9.0  # font sizes, in points
SUBSCRIBERS, OUTLINE = "#dcebf7", "#333333"  # colours

Vector = np.ndarray


@dataclass(frozen=True)
class Track:
    """One direction of a link, from the box of one broker to that of another."""

    start: Vector
    length: float
    along: Vector
    right: Vector

    def point(self, distance: float, offset: float) -> Vector:
        """Return the point at a distance from the start, offset to the right."""
        point: Vector = self.start + self.along * distance + self.right * offset
        return point


@dataclass(frozen=True)
class OverlayMap:
    """Positions of brokers in points, from the top left, and half the widths of their boxes."""

    overlay: Overlay
    places: Mapping[str, Vector]
    halves: Mapping[str, float]
    size: tuple[float, float]

    @classmethod
    def of(cls, overlay: Overlay, notes: Sequence[Mapping[str, str]] = ()) -> OverlayMap:
        """Return the map of an overlay, wider than high, with room for a note below the name of each broker."""
        halves = {name: max(_width(name, NAME_SIZE) / 2 + 5, HALF_HEIGHT) for name in overlay.brokers}
        for name, note in ((name, note) for some in notes for name, note in some.items()):
            halves[name] = max(halves[name], _width(note, NOTE_SIZE) / 2 + 6)
        widest = max(halves.values())
        distance, margin = max(MIN_DISTANCE, 2 * widest + 75), max(MIN_MARGIN, widest + 20)
        places = positions(overlay.neighbours) * distance
        places = places[:, ::-1] if np.ptp(places[:, 0]) < np.ptp(places[:, 1]) else places
        places = places - places.min(axis=0) + margin
        wide, high = places.max(axis=0) + margin
        return cls(overlay, dict(zip(overlay.neighbours, places, strict=True)), halves, (float(wide), float(high)))

    def track(self, source: str, target: str) -> Track:
        """Return one direction of a link."""
        start, end = self.places[source], self.places[target]
        along = (end - start) / (np.hypot(*(end - start)) or 1.0)
        start, end = start + along * self._reach(source, along), end - along * self._reach(target, along)
        return Track(start, float(np.dot(end - start, along)), along, np.array([-along[1], along[0]]))

    def _reach(self, broker: str, along: Vector) -> float:
        """Return the distance from the middle of a broker's box to its border; a small box may be a circle."""
        power = 4 if self.halves[broker] == HALF_HEIGHT else 16
        return float(np.sum((along / [self.halves[broker], HALF_HEIGHT]) ** power) ** (-1 / power))

    def axes_in(self, figure: Figure, left: float = 0.0, top: float = 0.0) -> Axes:
        """Return axes in points for one map, placed from the left and the top of a figure."""
        (width, height), (wide, high) = figure.get_size_inches() * 72, self.size
        axes = figure.add_axes((left / width, 1 - (top + high) / height, wide / width, high / height))
        axes.set(xlim=(0, wide), ylim=(high, 0))
        axes.set_axis_off()
        return axes

    def draw_idle_links(self, axes: Axes, busy: Container[frozenset[str]]) -> None:
        """Draw dashed lines for links without messages."""
        for link in self.overlay.links:
            if frozenset((link.one, link.other)) not in busy:
                (x1, y1), (x2, y2) = self.places[link.one], self.places[link.other]
                axes.plot([x1, x2], [y1, y2], color="#bbbbbb", linewidth=1, dashes=(3, 4), zorder=1)

    def draw_brokers(
        self,
        axes: Axes,
        publishing: Container[str],
        subscribing: Container[str],
        double: Container[str] = (),
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Draw brokers: square with publishers, filled with subscribers, with a second outline where `double`."""
        from matplotlib.patches import Circle, FancyBboxPatch, Patch

        for name, (x, y) in self.places.items():
            for more in (4.0, 0.0) if name in double else (0.0,):
                wide, high = self.halves[name] + more, HALF_HEIGHT + more
                look = "square,pad=0" if name in publishing else f"round,pad=0,rounding_size={high}"
                shape: Patch = FancyBboxPatch((x - wide, y - high), 2 * wide, 2 * high, boxstyle=look)
                if wide == high and name not in publishing:
                    shape = Circle((x, y), high)
                colour = SUBSCRIBERS if name in subscribing and not more else "white"
                shape.set(facecolor=colour, edgecolor=OUTLINE, linewidth=1.3, zorder=4)
                axes.add_artist(shape)
            note = (notes or {}).get(name)
            up = 5 if note else 0
            axes.text(x, y - up, name, size=NAME_SIZE, weight="bold", ha="center", va="center_baseline", zorder=5)
            if note:
                axes.text(x, y + 9, note, size=NOTE_SIZE, ha="center", va="center_baseline", zorder=5)


def draw_label(axes: Axes, place: Vector, text: str, colour: str, align: str = "center") -> None:
    """Draw text on a white background, readable over lines."""
    background = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6}
    axes.text(place[0], place[1], text, color=colour, size=11, ha=align, va="center", bbox=background, zorder=3)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size in points."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / 72, height / 72))


@drawing()
def _width(text: str, size: float) -> float:
    """Return the width of a bold text, in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    bold = FontProperties(size=size, weight="bold")
    width, _, _ = text_to_path.get_text_width_height_descent(text, bold, ismath=False)
    return float(width)
