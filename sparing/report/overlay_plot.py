"""The overlay as a picture: how links are marked on each topic, what travels them, and where both sides meet.

An arrow points where messages go: blue with advertisements down a p-link, orange with subscriptions up an s-link.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape

from sparing.control.mark_summary import MarkedLink, MarkingSummary
from sparing.model.counted import counted
from sparing.model.overlay import Overlay
from sparing.report.layout import drawn, positions
from sparing.report.svg import haloed

UNIT = 150.0  # points between neighbours
EDGE = 70.0
WIDTH = 560.0  # at least, for what is written above a picture
ROOM = 76.0  # above each picture
RADIUS = 15.0
MOST_LABELS = 160  # links; with more, counts would cover each other
P_LINK, S_LINK, QUIET = "#0072B2", "#D55E00", "#bbbbbb"

NOTHING = MarkingSummary("nothing is published", 0, 0, 0, (), ())

Places = Mapping[str, tuple[float, float]]


def overlay_svg(
    overlay: Overlay,
    markings: tuple[MarkingSummary, ...],
    published: Mapping[str, Mapping[str, int]],
    subscribed: Mapping[str, Mapping[str, int]],
) -> str:
    """One picture for each topic, below one another, with how many advertisements and subscriptions brokers have."""
    places, (width, height) = drawn(positions(overlay.neighbours), UNIT, EDGE)
    size = f'width="{max(width, WIDTH):.0f}" height="{(height + ROOM) * max(len(markings), 1):.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
        "<defs>",
        *(_head(name, colour) for name, colour in (("p", P_LINK), ("s", S_LINK))),
        "</defs>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for at, marking in enumerate(markings or (NOTHING,)):
        parts.append(f'<g transform="translate(0 {at * (height + ROOM):.0f})">')
        parts += _title(marking)
        parts.append(f'<g transform="translate(0 {ROOM:.0f})">')
        parts += _links(overlay, marking, places)
        parts += _brokers(marking, places, published.get(marking.topic, {}), subscribed.get(marking.topic, {}))
        parts += ["</g>", "</g>"]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _head(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    )


def _title(marking: MarkingSummary) -> list[str]:
    costs = (
        f"{counted(marking.cost, 'content descriptor')}; {marking.publish_everywhere:,} if all were p-links, "
        f"{marking.subscribe_everywhere:,} if all were s-links"
    )
    key = (
        f'<tspan fill="{P_LINK}">&#8594; advertisements (p-link)</tspan>, '
        f'<tspan fill="{S_LINK}">&#8594; subscriptions (s-link)</tspan>'
    )
    shapes = "square: has publishers; filled: has subscribers; second outline: both meet here"
    return [
        f'<text x="20" y="24" font-size="15" font-weight="bold">{escape(marking.topic)}</text>',
        f'<text x="20" y="42" fill="#333">{costs}</text>',
        f'<text x="20" y="58" fill="#333">{key}</text>',
        f'<text x="20" y="74" fill="#333">{shapes}</text>',
    ]


def _links(overlay: Overlay, marking: MarkingSummary, places: Places) -> list[str]:
    used = {frozenset((link.source, link.target)) for link in marking.links}
    parts = []
    for link in overlay.links:
        dashes = "" if frozenset((link.one, link.other)) in used else ' stroke-dasharray="3 4"'
        (x1, y1), (x2, y2) = places[link.one], places[link.other]
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line {ends} stroke="{QUIET}"{dashes}/>')
    for marked in marking.links:
        parts += _arrow(marked, places, labelled=len(marking.links) <= MOST_LABELS)
    return parts


def _arrow(link: MarkedLink, places: Places, labelled: bool) -> list[str]:
    """What travels a link: each direction of the data on its own side of the line."""
    (x1, y1), (x2, y2) = places[link.source], places[link.target]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    along_x, along_y = (x2 - x1) / length, (y2 - y1) / length
    aside_x, aside_y = -along_y * 6, along_x * 6
    gap = RADIUS + 5
    start = x1 + along_x * gap + aside_x, y1 + along_y * gap + aside_y
    end = x2 - along_x * gap + aside_x, y2 - along_y * gap + aside_y
    climbs = link.mark == "s"
    if climbs:
        start, end = end, start
    colour, count = (S_LINK, link.tau) if climbs else (P_LINK, link.sigma)
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    told = f"{link.source}>{link.target}: {link.mark}-link, sigma {link.sigma}, tau {link.tau}, eta {link.eta:+}"
    look = f'stroke="{colour}" stroke-width="1.8" marker-end="url(#{link.mark})"'
    parts = [f"<line {ends} {look}><title>{escape(told)}</title></line>"]
    if labelled:
        x, y = (start[0] + end[0]) / 2 + aside_x * 1.6, (start[1] + end[1]) / 2 + aside_y * 1.6 + 4
        parts.append(haloed(f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle"', f"{count:,}", colour))
    return parts


def _brokers(
    marking: MarkingSummary, places: Places, published: Mapping[str, int], subscribed: Mapping[str, int]
) -> list[str]:
    meeting = {found.broker for found in marking.meetings}
    parts = []
    for name, (x, y) in places.items():
        fill = "#e8f1f8" if subscribed.get(name) else "white"
        look = f'fill="{fill}" stroke="#333"'
        outlines = [(RADIUS + 4, 'fill="white" stroke="#333"')] if name in meeting else []
        for size, paint in [*outlines, (RADIUS, look)]:
            square = f'x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size}" height="{2 * size}"'
            circle = f'cx="{x:.1f}" cy="{y:.1f}" r="{size}"'
            parts.append(f"<rect {square} {paint}/>" if published.get(name) else f"<circle {circle} {paint}/>")
        middle = f'x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-weight="bold"'
        parts.append(haloed(middle, name, "black"))
        counts = [
            f"{count:,} {word}"
            for count, word in ((published.get(name), "adv."), (subscribed.get(name), "sub."))
            if count
        ]
        if counts:
            below = f'x="{x:.1f}" y="{y + RADIUS + 17:.1f}" text-anchor="middle" font-size="10"'
            parts.append(haloed(below, ", ".join(counts), "#555"))
    return parts
