"""The bill as one picture: ours beside the naive one, every link as wide as its messages."""

from __future__ import annotations

from html import escape

from sparing.model.bill import Bill
from sparing.model.counted import counted
from sparing.report.bill_map import Ground, bill_strokes
from sparing.report.bill_page import Billed
from sparing.report.shades import SHADES

EDGE, BETWEEN = 24.0, 40.0  # points around everything, and between the maps
TITLE, LARGE, SMALL = 34.0, 26.0, 22.0  # sizes of letters
HEAD = 150.0  # room for words above the maps
LETTER = 0.56  # how wide a letter is, on average, for its size


def bill_picture(billed: Billed) -> str:
    """A drawing that stands by itself, on white."""
    ground = billed.ground
    wide, high = ground.size
    width, height = 2 * (wide + EDGE) + BETWEEN, high + HEAD + EDGE
    second = EDGE + wide + BETWEEN
    look = 'font-family="system-ui, sans-serif" font-size="12"'
    told = f"The bill of {billed.deployment.name}: {billed.headline}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" {look}>',
        f"<title>{escape(told)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
        _text(EDGE, 48, TITLE, billed.headline, "bold"),
        *_key(EDGE, 92),
        *_map(ground, billed.ours, "with Sparing", EDGE),
        *_map(ground, billed.naive, "naive", second),
    ]
    return "\n".join([*parts, "</svg>\n"])


def _map(ground: Ground, bill: Bill, name: str, x: float) -> list[str]:
    caption = f"{name}: {counted(bill.over_links().total(), 'message')} of all kinds"
    drawing = [f'<g transform="translate({x:.0f} {HEAD:.0f})">', *bill_strokes(ground, bill, labels=False), "</g>"]
    return [_text(x, HEAD - 8, LARGE, caption, "bold"), *drawing]


def _key(x: float, y: float) -> list[str]:
    """What the colours mean, in one line."""
    parts = []
    for shade in SHADES:
        parts.append(f'<rect x="{x:.0f}" y="{y - 17:.0f}" width="20" height="20" fill="{shade.colour}"/>')
        parts.append(_text(x + 28, y, SMALL, shade.name))
        x += 60 + LETTER * SMALL * len(shade.name)
    return parts


def _text(x: float, y: float, size: float, text: str, weight: str = "normal") -> str:
    where = f'x="{x:.0f}" y="{y:.0f}" font-size="{size:.0f}" font-weight="{weight}"'
    return f'<text {where} fill="#222">{escape(text)}</text>'
