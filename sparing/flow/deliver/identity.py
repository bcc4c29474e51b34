"""Ids of notifications: `<subscription>:<digest>`, the same in a batch, in a stream and after a restart.

The digest is a hash of a text that identifies the subject of the notification. A subscription has one kind of
notification, so texts of different kinds may be equal. Text from publishers is preceded by its length or comes last, so
no choice of ids makes two texts of one kind equal.

Spark computes the digest natively (`spark/pipeline/unpack_stage.py`), once for all recipients.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256

DIGITS = 32  # hexadecimal digits of a digest: half of SHA-256


def about_event(publisher: str, publication: str) -> str:
    """Return the text of a plain notification.

    >>> about_event("cam1", "17"), about_event("cam", "117")
    ('4:cam117', '3:cam117')
    """
    return f"{len(publisher)}:{publisher}{publication}"


def about_window(start: int, end: int) -> str:
    """Return the text of a window or a digest; times are in microseconds."""
    return f"{start} {end}"


def about_count_window(first: tuple[int, str, str], last: tuple[int, str, str]) -> str:
    """Return the text of a count window: time, publisher and id of its first and last publication."""
    return _json([*first, *last])


def about_merged(key: Iterable[str | int], began: int, time: int, version: int) -> str:
    """Return the text of a notification about a merged event.

    `time` is the notification's time and `version` the number of known facts, which distinguishes notifications about
    reports with the same time.
    """
    return _json([began, time, version, *key])


def notification_id(subscription: str, about: str) -> str:
    """Return the id of a notification.

    >>> notification_id("slow", about_event("cam1", "17"))
    'slow:805ac79291d218ff49d3c205680fcc06'
    """
    return f"{subscription}:{sha256(about.encode()).hexdigest()[:DIGITS]}"


def _json(values: list[str | int]) -> str:
    return json.dumps(values, separators=(",", ":"))
