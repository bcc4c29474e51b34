"""Dates and timestamps in text, parsed like Spark's casts with the session time zone UTC."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone

from sparing.model.types import EPOCH, EPOCH_DATE, MICROSECOND

MICROSECONDS_PER_DAY = 86_400_000_000

_DAY = r"\s*\+?0{0,3}(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{1,2})(?:-(?P<day>[0-9]{1,2})"
_DATE = re.compile(_DAY + r")?)?\s*", re.ASCII)
_TIMESTAMP = re.compile(
    _DAY + r"(?:[ T](?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{1,2})(?::(?P<second>[0-9]{1,2})(?:\.(?P<fraction>[0-9]*))?"
    r"(?:\ ?(?:Z|(?:UTC|GMT)?(?P<offset>[+-](?:[0-9]{1,2}(?::[0-9]{2})?|[0-9]{4}))|UTC|GMT))?"
    r")?)?)?)?)?\s*",
    re.ASCII,
)


def days(text: str) -> int | None:
    """Return the days since the epoch of `yyyy[-[m]m[-[d]d]]`, None if it is not a date in the years 1 to 9999.

    >>> days("1970-1-2"), days("1970-02-30")
    (1, None)
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return (date(int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)) - EPOCH_DATE).days
    except ValueError:
        return None


def microseconds(text: str) -> int | None:
    """Return the microseconds since the epoch of a date with optional time and zone, None if it is not a timestamp.

    >>> microseconds("1970-01-01 00:00:01.5"), microseconds("1970-01-01T01:00:00+01:00"), microseconds("noon")
    (1500000, 0, None)
    """
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return None
    # Spark truncates to microseconds.
    fraction = int((match["fraction"] or "").ljust(6, "0")[:6])
    try:
        zone = timezone(_offset(match["offset"] or "+0"))
        moment = datetime(
            int(match["year"]),
            int(match["month"] or 1),
            int(match["day"] or 1),
            int(match["hour"] or 0),
            int(match["minute"] or 0),
            int(match["second"] or 0),
            fraction,
            zone,
        )
    except ValueError:
        return None
    return (moment - EPOCH) // MICROSECOND


def _offset(text: str) -> timedelta:
    digits = text[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    if int(minutes) > 59 or int(hours) * 60 + int(minutes) > 18 * 60:
        raise ValueError(text)
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return -offset if text[0] == "-" else offset
