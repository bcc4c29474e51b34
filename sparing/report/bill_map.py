"""The overlay as a bill shows it: the more messages, the wider the link, one stripe for each kind.

Each direction has its own side of a link, to the right of whoever goes along it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from sparing.model.bill import Bill
from sparing.model.overlay import Overlay
from sparing.report.layout import drawn, positions
from sparing.report.shades import SHADES
from sparing.report.svg import begin, haloed

UNIT = 165.0  # points between neighbours
EDGE = 56.0
RADIUS = 17.0
WIDEST = 26.0  # points, of the busiest link's busier direction
NARROWEST = 1.2
GAP = 1.5  # between the two directions
MOST_LABELS = 60  # links; with more, counts would cover each other

Flows = Mapping[tuple[str, str], Mapping[str, int]]  # directed link -> shade -> messages


@dataclass(frozen=True)
class Ground:
    """Where brokers are drawn, who publishes and subscribes there, and how many messages the widest link has."""

    overlay: Overlay
    places: Mapping[str, tuple[float, float]]
    size: tuple[float, float]
    publishing: frozenset[str]
    subscribing: frozenset[str]
    most: int


def ground_of(
    overlay: Overlay, publishing: frozenset[str], subscribing: frozenset[str], bills: Mapping[str, Bill]
) -> Ground:
    """The ground that all maps of some bills share, so that they can be compared."""
    places, size = drawn(_lying(positions(overlay.neighbours)), UNIT, EDGE)
    most = max((n for bill in bills.values() for n in bill.over_links().by_link().values()), default=0)
    return Ground(overlay, places, size, publishing, subscribing, most)


def _lying(places: Mapping[str, tuple[float, float]]) -> Mapping[str, tuple[float, float]]:
    """Pages are wider than they are high, so the longer side lies."""
    spans = [max(at) - min(at) for at in zip(*places.values(), strict=True)]
    return places if spans[0] >= spans[1] else {name: (y, x) for name, (x, y) in places.items()}


def bill_map(ground: Ground, bill: Bill, title: str, labels: bool = True) -> str:
    """One bill on the ground."""
    return "\n".join([begin(*ground.size, title), *bill_strokes(ground, bill, labels), "</svg>"])


def bill_strokes(ground: Ground, bill: Bill, labels: bool) -> list[str]:
    """What is drawn of a bill, to be put into a drawing."""
    flows: dict[tuple[str, str], dict[str, int]] = {}
    for shade in SHADES:
        for ends, messages in shade.of(bill).by_link().items():
            flows.setdefault(ends, {})[shade.name] = messages
    parts = []
    for link in ground.overlay.links:
        parts += _link(ground, link.one, link.other, flows)
    if labels and len(ground.overlay.links) <= MOST_LABELS:
        for (source, target), shades in flows.items():
            parts += _count(ground, source, target, sum(shades.values()))
    return parts + _brokers(ground)


def _link(ground: Ground, one: str, other: str, flows: Flows) -> list[str]:
    there, back = flows.get((one, other), {}), flows.get((other, one), {})
    if not there and not back:
        (x1, y1), (x2, y2) = ground.places[one], ground.places[other]
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        return [f'<line {ends} stroke="#bbb" stroke-dasharray="3 4"/>']
    return [*_stripes(ground, one, other, there), *_stripes(ground, other, one, back)]


def _stripes(ground: Ground, source: str, target: str, shades: Mapping[str, int]) -> list[str]:
    """One direction of a link, with an arrow head where it ends."""
    total = sum(shades.values())
    if not total:
        return []
    start, along, aside, length = _direction(ground, source, target)
    told = ", ".join(f"{n:,} {name}" for name, n in shades.items())
    parts = [f"<g><title>{escape(f'{source} to {target}: {told}')}</title>"]
    offset, first, last = GAP, RADIUS, length - RADIUS - 7
    whole = max(WIDEST * total / ground.most, NARROWEST)
    for shade in SHADES:
        wide = whole * shades.get(shade.name, 0) / total
        if not wide:
            continue
        middle = offset + wide / 2
        (x1, y1), (x2, y2) = (_at(start, along, aside, far, middle) for far in (first, last))
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        parts.append(f'<line {ends} stroke="{shade.colour}" stroke-width="{wide:.2f}"/>')
        offset += wide
    main = max(SHADES, key=lambda shade: shades.get(shade.name, 0))
    corners = [(last, GAP - 1), (last + 7, GAP + whole / 2), (last, GAP + whole + 2)]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(start, along, aside, *corner) for corner in corners))
    return [*parts, f'<polygon points="{points}" fill="{main.colour}"/></g>']


def _count(ground: Ground, source: str, target: str, messages: int) -> list[str]:
    start, along, aside, length = _direction(ground, source, target)
    wide = max(WIDEST * messages / ground.most, NARROWEST)
    x, y = _at(start, along, aside, length / 2, GAP + wide + 4)
    anchor = "middle" if abs(aside[0]) < 0.5 else ("start" if aside[0] > 0 else "end")
    drop = 4 + 5 * aside[1]
    where = f'x="{x:.1f}" y="{y + drop:.1f}" text-anchor="{anchor}" font-size="11"'
    return [haloed(where, f"{messages:,}", "#333")]


Vector = tuple[float, float]


def _direction(ground: Ground, source: str, target: str) -> tuple[Vector, Vector, Vector, float]:
    """Where a link starts, which way it goes, what is to its right, and how long it is."""
    (x1, y1), (x2, y2) = ground.places[source], ground.places[target]
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    along = (x2 - x1) / length, (y2 - y1) / length
    return (x1, y1), along, (-along[1], along[0]), length


def _at(start: Vector, along: Vector, aside: Vector, far: float, off: float) -> Vector:
    return start[0] + along[0] * far + aside[0] * off, start[1] + along[1] * far + aside[1] * off


def _brokers(ground: Ground) -> list[str]:
    parts = []
    for name, (x, y) in ground.places.items():
        look = f'fill="{"#dcebf7" if name in ground.subscribing else "white"}" stroke="#333" stroke-width="1.3"'
        square = f'x="{x - RADIUS:.1f}" y="{y - RADIUS:.1f}" width="{2 * RADIUS}" height="{2 * RADIUS}" rx="3"'
        circle = f'cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"'
        parts.append(f"<rect {square} {look}/>" if name in ground.publishing else f"<circle {circle} {look}/>")
        where = f'x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-weight="bold"'
        parts.append(haloed(where, name, "#111"))
    return parts
