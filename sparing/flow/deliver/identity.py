"""Ids of notifications: `<subscription>:<digest>`, the same in a batch, in a stream and after a restart.

The digest is taken of a text that says what the notification is about. A subscription has one kind of notification, so
texts of different kinds need not differ. Text that publishers choose is preceded by its length or comes last, so no
choice of ids makes two texts equal.

On Spark the digest is computed natively (`spark/pipeline/unpack_stage.py`), once for all recipients.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256

DIGITS = 32  # hexadecimal digits of a digest: half of SHA-256


def about_event(publisher: str, publication: str) -> str:
    """The text for a plain notification.

    >>> about_event("cam1", "17"), about_event("cam", "117")
    ('4:cam117', '3:cam117')
    """
    return f"{len(publisher)}:{publisher}{publication}"


def about_window(start: int, end: int) -> str:
    """The text for a window or a digest; times are in microseconds."""
    return f"{start} {end}"


def about_count_window(first: tuple[int, str, str], last: tuple[int, str, str]) -> str:
    """The text for a count window: time, publisher and id of its first and its last publication."""
    return _json([*first, *last])


def about_merged(key: Iterable[str | int], began: int, time: int, version: int) -> str:
    """The text for a notification about a merged event.

    `time` is when it is told; `version` is how many facts are known then, because reports made at the same time are
    told one after the other.
    """
    return _json([began, time, version, *key])


def notification_id(subscription: str, about: str) -> str:
    """The id of a notification.

    >>> notification_id("slow", about_event("cam1", "17"))
    'slow:805ac79291d218ff49d3c205680fcc06'
    """
    return f"{subscription}:{sha256(about.encode()).hexdigest()[:DIGITS]}"


def _json(values: list[str | int]) -> str:
    return json.dumps(values, separators=(",", ":"))
