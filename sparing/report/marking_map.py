"""The markings of links on the map of an overlay, and where advertisements and subscriptions meet.

An arrow points where messages go: blue with advertisements down a p-link, orange with subscriptions up an s-link.
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

WIDTH = 560.0  # points, at least, for the words above a map
ROOM = 84.0  # above each map
ASIDE = 6.0  # from the middle of a link to its arrow
MOST_LABELS = 160  # links; with more, counts would cover each other
P_LINK, S_LINK = "#0072B2", "#D55E00"
SHAPES = "square: has publishers; filled: has subscribers; second outline: both meet here"
NOTHING = MarkingSummary("nothing is published", 0, 0, 0, (), ())

Counts = Mapping[str, Mapping[str, int]]  # topic -> broker -> how many


@drawing()
def marking_svg(overlay: Overlay, markings: tuple[MarkingSummary, ...], published: Counts, subscribed: Counts) -> str:
    """An SVG document with a map for each topic; the counts are of advertisements and of subscriptions."""
    notes = {topic: _notes(published.get(topic, {}), subscribed.get(topic, {})) for topic in {*published, *subscribed}}
    ground = OverlayMap.of(overlay, list(notes.values()))
    (wide, high), shown = ground.size, markings or (NOTHING,)
    figure = new_figure(max(wide, WIDTH), (high + ROOM) * len(shown))
    tooltips = Tooltips()
    for at, marking in enumerate(shown):
        axes = ground.axes_in(figure, 0, at * (high + ROOM) + ROOM)
        _write_title(axes, marking)
        _draw_links(axes, ground, marking, tooltips)
        here, there = published.get(marking.topic, {}), subscribed.get(marking.topic, {})
        meeting = {found.broker for found in marking.meetings}
        ground.draw_brokers(axes, _positive(here), _positive(there), meeting, notes.get(marking.topic))
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
    axes.text(20, 24 - ROOM, marking.topic, size=15, weight="bold")
    axes.text(20, 42 - ROOM, costs, size=11, color="#333333")
    axes.text(20, 58 - ROOM, SHAPES, size=11, color="#333333")
    handles = [
        Line2D([], [], color=colour, linewidth=1.8, label=label)
        for colour, label in ((P_LINK, "advertisements (p-link)"), (S_LINK, "subscriptions (s-link)"))
    ]
    axes.legend(
        handles=handles, loc="center left", bbox_to_anchor=(20, 74 - ROOM), bbox_transform=axes.transData,
        ncols=2, fontsize=11, frameon=False, borderpad=0, borderaxespad=0,
    )  # fmt: skip


def _draw_links(axes: Axes, ground: OverlayMap, marking: MarkingSummary, tooltips: Tooltips) -> None:
    """Draw an arrow for each marked link."""
    ground.draw_quiet(axes, {frozenset((link.source, link.target)) for link in marking.links})
    for link in marking.links:
        counts = f"sigma {link.sigma}, tau {link.tau}, eta {link.eta:+}"
        gid = tooltips.gid(f"{link.source}>{link.target}: {link.mark}-link, {counts}")
        _draw_arrow(axes, ground, link, gid, labelled=len(marking.links) <= MOST_LABELS)


def _draw_arrow(axes: Axes, ground: OverlayMap, link: MarkedLink, gid: str, labelled: bool) -> None:
    """What crosses a link, on the right of the direction of its publications."""
    from matplotlib.patches import FancyArrowPatch

    track = ground.track(link.source, link.target)
    ends = [tuple(track.point(far, ASIDE)) for far in (5.0, track.length - 5.0)]
    colour, count = (S_LINK, link.tau) if link.mark == "s" else (P_LINK, link.sigma)
    if link.mark == "s":
        ends.reverse()
    arrow = FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=12, shrinkA=0, shrinkB=0, gid=gid)
    arrow.set(color=colour, linewidth=1.8, zorder=2)
    axes.add_artist(arrow)
    if labelled:
        draw_label(axes, track.point(track.length / 2, 2.6 * ASIDE), f"{count:,}", colour)


def _notes(published: Mapping[str, int], subscribed: Mapping[str, int]) -> dict[str, str]:
    """How many advertisements and subscriptions each broker has, in words."""
    notes: dict[str, list[str]] = defaultdict(list)
    for counts, word in ((published, "adv."), (subscribed, "sub.")):
        for name, count in counts.items():
            if count:
                notes[name].append(f"{count:,} {word}")
    return {name: ", ".join(words) for name, words in notes.items()}
