"""Durations: Spark's interval strings -> microseconds."""

from __future__ import annotations

import re

from sparing.language.errors import LanguageError, or_nearest

MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
_UNEVEN = ("month", "year")
_UNITS = tuple(f"{unit}s" for unit in MICROSECONDS)
_MOST = 2**63 - 1

_START = re.compile(r"[ \t\r\n\f\v]*(?:interval[ \t\r\n\f\v]+)?", re.IGNORECASE)
_PART = re.compile(
    r"(?P<sign>[+-]?)[ \t\r\n\f\v]*(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
    r"[ \t\r\n\f\v]+(?P<unit>[A-Za-z]+)(?:[ \t\r\n\f\v]+|$)"
)


def parse_duration(text: str) -> int:
    """Return a duration in microseconds; it may be negative.

    >>> parse_duration("1 hour 30 minutes"), parse_duration("interval 1.5 seconds")
    (5400000000, 1500000)
    """
    at = _START.match(text).end()  # type: ignore[union-attr]  # the pattern matches empty text
    total, parts = 0, 0
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            raise LanguageError(
                "This is not a duration: write a number and a unit, as in '10 seconds' or '1 hour 30 minutes'.",
                text,
                at,
                len(text),
            )
        total += _microseconds(text, part)
        at, parts = part.end(), parts + 1
    if not parts:
        raise LanguageError("The duration is missing: write one such as '10 seconds'.", text, 0, len(text))
    if abs(total) > _MOST:
        raise LanguageError("This duration is too long.", text, 0, len(text))
    return total


def _microseconds(text: str, part: re.Match[str]) -> int:
    unit = part["unit"].lower()
    unit = unit[:-1] if unit.endswith("s") else unit
    if unit in _UNEVEN:
        raise LanguageError(
            f"The length of a {unit} varies: write the duration in weeks, days or smaller units.",
            text,
            *part.span("unit"),
        )
    if unit not in MICROSECONDS:
        raise LanguageError(
            f"{part['unit']} is not a unit of time; {or_nearest(part['unit'], _UNITS)}", text, *part.span("unit")
        )
    whole, point, fraction = part["number"].partition(".")
    if len(whole) > 20:
        raise LanguageError("This duration is too long.", text, *part.span("number"))
    if point and (unit != "second" or len(fraction) > 9):
        raise LanguageError(
            "Only seconds can have a fraction, of at most nine digits, as in Spark: use a smaller unit.",
            text,
            *part.span("number"),
        )
    # Spark truncates to microseconds.
    amount = int(whole or 0) * MICROSECONDS[unit] + int(fraction.ljust(6, "0")[:6] or 0)
    return -amount if part["sign"] == "-" else amount
