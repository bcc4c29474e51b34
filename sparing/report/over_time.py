"""Messages over event time: ours as bars, one colour for each kind, the naive bill as a line above them."""

from __future__ import annotations

from datetime import datetime, timedelta

from sparing.model.bill import Bill
from sparing.model.types import EPOCH
from sparing.report.shades import SHADES
from sparing.report.svg import begin

WIDTH, HEIGHT = 760.0, 240.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 10.0, 12.0, 34.0
MOST_BARS = 90
TICKS = 4


def over_time(ours: Bill, naive: Bill, bucket: int) -> str | None:
    """The drawing, if anything was sent after the first publication."""
    times = [key.bucket for bill in (ours, naive) for key in bill.over_links() if key.bucket is not None]
    if not times:
        return None
    first, last = min(times), max(times)
    wide = bucket * -(-((last - first) // bucket + 1) // MOST_BARS)
    bars = (last - first) // wide + 1

    def counts(bill: Bill) -> list[int]:
        found = [0] * bars
        for key, messages in bill.items():
            if key.bucket is not None:
                found[(key.bucket - first) // wide] += messages
        return found

    mine = {shade: counts(shade.of(ours)) for shade in SHADES}
    theirs = counts(naive.over_links())
    most = max(*(sum(some) for some in zip(*mine.values(), strict=True)), *theirs, 1)
    step = (WIDTH - LEFT - RIGHT) / bars
    scale = (HEIGHT - TOP - BOTTOM) / most
    ground = HEIGHT - BOTTOM
    parts = [begin(WIDTH, HEIGHT, "messages over time"), *_axis(most, scale)]
    for at in range(bars):
        top = ground
        for shade, found in mine.items():
            tall = found[at] * scale
            if tall:
                top -= tall
                place = f'x="{LEFT + at * step + step * 0.08:.1f}" y="{top:.1f}" width="{step * 0.84:.1f}"'
                told = f"{_clock(first + at * wide)}: {found[at]:,} {shade.name}"
                look = f'height="{tall:.2f}" fill="{shade.colour}"'
                parts.append(f"<rect {place} {look}><title>{told}</title></rect>")
    line = [f"M{LEFT:.1f} {ground - theirs[0] * scale:.1f}"]
    line += [f"H{LEFT + (at + 1) * step:.1f}" + _rise(theirs, at, ground, scale) for at in range(bars)]
    parts.append(f'<path d="{" ".join(line)}" fill="none" stroke="#222" stroke-width="1.6"/>')
    parts += _times(first, wide, bars, step)
    return "\n".join([*parts, "</svg>"])


def _rise(counts: list[int], at: int, ground: float, scale: float) -> str:
    return f" V{ground - counts[at + 1] * scale:.1f}" if at + 1 < len(counts) else ""


def _axis(most: int, scale: float) -> list[str]:
    parts = []
    tick = _round(most / TICKS)
    for number in range(0, most + 1, tick):
        y = HEIGHT - BOTTOM - number * scale
        ends = f'x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line {ends} stroke="{"#888" if not number else "#e4e4e4"}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{number:,}</text>')
    return parts


def _round(number: float) -> int:
    """A round number near another.

    >>> [_round(number) for number in (0.3, 7, 1234, 38000)]
    [1, 5, 1000, 50000]
    """
    size: int = 10 ** max(len(str(int(number))) - 1, 0)
    return max(min((size, 2 * size, 5 * size, 10 * size), key=lambda one: abs(one - number)), 1)


def _times(first: int, wide: int, bars: int, step: float) -> list[str]:
    every = max(-(-bars // 8), 1)
    parts = []
    for at in range(0, bars, every):
        x = LEFT + at * step
        ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM + 4}"'
        parts.append(f'<line {ends} stroke="#888"/>')
        anchor = "start" if not at else "middle"
        where = f'x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="{anchor}" fill="#555"'
        parts.append(f"<text {where}>{_clock(first + at * wide)}</text>")
    return parts


def moment_of(micros: int) -> datetime:
    """A time of the bill."""
    return EPOCH + timedelta(microseconds=micros)


def _clock(micros: int) -> str:
    return f"{moment_of(micros):%H:%M:%S}"
