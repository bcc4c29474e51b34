"""Values in a deployment file: durations, and paths relative to its folder."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator
from pathlib import Path

from sparing.deployment.mistakes import Mistakes, Place, quoting
from sparing.language.duration import MICROSECONDS, parse_duration
from sparing.language.errors import LanguageError
from sparing.model.types import LONGEST

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def is_url(path: str) -> bool:
    """Whether a path starts with a scheme, such as `hdfs://` or `file:///`."""
    return _SCHEME.match(path) is not None


def absolute_path(path: str, base: Path) -> str:
    """Return the absolute path of a path relative to `base`; URLs stay as they are.

    >>> absolute_path("out/", Path("/city"))
    '/city/out'
    >>> absolute_path("s3a://bucket/out", Path("/city"))
    's3a://bucket/out'
    """
    return path if is_url(path) else os.path.abspath(base / path)


def duration(key: str, text: str, least: int, place: Place, mistakes: Mistakes) -> int:
    """Return a duration in microseconds; one below `least` or above 100 years is a mistake of `key`."""
    try:
        micros = parse_duration(text)
    except LanguageError as error:
        mistakes.add(place, quoting(error))
        return least
    if micros < least:
        minimum = "above zero" if least else "that is not negative"
        mistakes.add(place, f"'{text}' is too short for {key}: use a duration {minimum}")
        return least
    if micros > LONGEST:
        mistakes.add(place, f"'{text}' is too long for {key}: use a duration of at most 36525 days (100 years)")
        return least
    return micros


def duration_text(micros: int) -> str:
    """Return a duration as a deployment file writes it.

    >>> duration_text(2_000_000), duration_text(5_400_001_000), duration_text(0)
    ('2 seconds', '1 hour 30 minutes 1 millisecond', '0 seconds')
    """
    return " ".join(_units(micros)) or "0 seconds"


def _units(micros: int) -> Iterator[str]:
    for unit, size in reversed(MICROSECONDS.items()):
        count, micros = divmod(micros, size)
        if count:
            yield f"{count} {unit}{'' if count == 1 else 's'}"
