"""Durations in a deployment file."""

from __future__ import annotations

from collections.abc import Iterator

from sparing.deployment.mistakes import Mistakes, Place, quoting
from sparing.language.duration import MICROSECONDS, parse_duration
from sparing.language.errors import LanguageError
from sparing.model.types import LONGEST


def duration(key: str, text: str, least: int, place: Place, mistakes: Mistakes) -> int:
    """Microseconds, at least so many; `key` is what the file calls them."""
    try:
        found = parse_duration(text)
    except LanguageError as error:
        mistakes.add(place, quoting(error))
        return least
    if found < least:
        enough = "above zero" if least else "that is not negative"
        mistakes.add(place, f"'{text}' is too short for {key}: give a duration {enough}")
        return least
    if found > LONGEST:
        mistakes.add(place, f"'{text}' is too long for {key}: give a duration of at most 36525 days, 100 years")
        return least
    return found


def duration_text(micros: int) -> str:
    """A duration as a deployment file writes it.

    >>> duration_text(2_000_000), duration_text(5_400_001_000), duration_text(0)
    ('2 seconds', '1 hour 30 minutes 1 millisecond', '0 seconds')
    """
    return " ".join(_parts(micros)) or "0 seconds"


def _parts(micros: int) -> Iterator[str]:
    for unit, size in reversed(MICROSECONDS.items()):
        count, micros = divmod(micros, size)
        if count:
            yield f"{count} {unit}{'' if count == 1 else 's'}"
