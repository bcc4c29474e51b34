"""The markings of links on the map of an overlay, and the brokers where advertisements and subscriptions meet.

Arrows show the direction of messages: blue for advertisements down a p-link, orange for subscriptions up an s-link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sparing.control.summary.mark_summary import MarkedLink, MarkingSummary
from sparing.model.counted import counted
from sparing.model.overlay import Overlay
from sparing.report.overlay_map import OverlayMap, draw_label, new_figure
from sparing.report.svg import Tooltips, drawing, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_WIDTH = 560.0  # points, for the text above a map
HEADER = 84.0  # points above each map, for text
ARROW_OFFSET = 6.0  # points from the middle of a link to its arrow
MOST_LABELS = 160  # links; with more, counts would overlap
P_LINK, S_LINK = "#0072B2", "#D55E00"
SHAPES = "square: has publishers; filled: has subscribers; second outline: both meet here"
NOTHING = MarkingSummary("nothing is published", 0, 0, 0, (), ())

Counts = Mapping[str, Mapping[str, int]]  # topic -> broker -> number


@drawing()
def marking_svg(overlay: Overlay, markings: tuple[MarkingSummary, ...], published: Counts, subscribed: Counts) -> str:
    """Return an SVG document with a map for each topic, given the numbers of advertisements and subscriptions."""
    notes = {topic: _notes(published.get(topic, {}), subscribed.get(topic, {})) for topic in {*published, *subscribed}}
    overlay_map = OverlayMap.of(overlay, list(notes.values()))
    (wide, high), shown = overlay_map.size, markings or (NOTHING,)
    figure = new_figure(max(wide, MIN_WIDTH), (high + HEADER) * len(shown))
    tooltips = Tooltips()
    for at, marking in enumerate(shown):
        axes = overlay_map.axes_in(figure, 0, at * (high + HEADER) + HEADER)
        _write_title(axes, marking)
        _draw_links(axes, overlay_map, marking, tooltips)
        here, there = published.get(marking.topic, {}), subscribed.get(marking.topic, {})
        meeting = {point.broker for point in marking.meetings}
        overlay_map.draw_brokers(axes, _positive(here), _positive(there), meeting, notes.get(marking.topic))
    topics = ", ".join(marking.topic for marking in shown)
    return to_svg(figure, f"How links are marked: {topics}", tooltips)


def _positive(counts: Mapping[str, int]) -> set[str]:
    return {name for name, count in counts.items() if count}


def _write_title(axes: Axes, marking: MarkingSummary) -> None:
    from matplotlib.lines import Line2D

    costs = (
        f"{counted(marking.cost, 'content descriptor')}; {marking.publish_everywhere:,} if all were p-links, "
        f"{marking.subscribe_everywhere:,} if all were s-links"
    )
    axes.text(20, 24 - HEADER, marking.topic, size=15, weight="bold")
    axes.text(20, 42 - HEADER, costs, size=11, color="#333333")
    axes.text(20, 58 - HEADER, SHAPES, size=11, color="#333333")
    handles = [
        Line2D([], [], color=colour, linewidth=1.8, label=label)
        for colour, label in ((P_LINK, "advertisements (p-link)"), (S_LINK, "subscriptions (s-link)"))
    ]
    axes.legend(
        handles=handles, loc="center left", bbox_to_anchor=(20, 74 - HEADER), bbox_transform=axes.transData,
        ncols=2, fontsize=11, frameon=False, borderpad=0, borderaxespad=0,
    )  # fmt: skip


def _draw_links(axes: Axes, overlay_map: OverlayMap, marking: MarkingSummary, tooltips: Tooltips) -> None:
    """Draw an arrow for each marked link."""
    overlay_map.draw_idle_links(axes, {frozenset((link.source, link.target)) for link in marking.links})
    for link in marking.links:
        counts = f"sigma {link.sigma}, tau {link.tau}, eta {link.eta:+}"
        gid = tooltips.gid(f"{link.source}>{link.target}: {link.mark}-link, {counts}")
        _draw_arrow(axes, overlay_map, link, gid, labelled=len(marking.links) <= MOST_LABELS)


def _draw_arrow(axes: Axes, overlay_map: OverlayMap, link: MarkedLink, gid: str, labelled: bool) -> None:
    """Draw the messages of a link, on the right of the direction of its publications."""
    from matplotlib.patches import FancyArrowPatch

    track = overlay_map.track(link.source, link.target)
    ends = [tuple(track.point(at, ARROW_OFFSET)) for at in (5.0, track.length - 5.0)]
    colour, count = (S_LINK, link.tau) if link.mark == "s" else (P_LINK, link.sigma)
    if link.mark == "s":
        ends.reverse()
    arrow = FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=12, shrinkA=0, shrinkB=0, gid=gid)
    arrow.set(color=colour, linewidth=1.8, zorder=2)
    axes.add_artist(arrow)
    if labelled:
        draw_label(axes, track.point(track.length / 2, 2.6 * ARROW_OFFSET), f"{count:,}", colour)


def _notes(published: Mapping[str, int], subscribed: Mapping[str, int]) -> dict[str, str]:
    """Return the numbers of advertisements and subscriptions of each broker, as text."""
    notes: dict[str, list[str]] = defaultdict(list)
    for counts, word in ((published, "adv."), (subscribed, "sub.")):
        for name, count in counts.items():
            if count:
                notes[name].append(f"{count:,} {word}")
    return {name: ", ".join(words) for name, words in notes.items()}
