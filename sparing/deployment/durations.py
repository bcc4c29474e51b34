"""Durations in a deployment file."""

from __future__ import annotations

from sparing.deployment.mistakes import Mistakes, Place, quoting
from sparing.language.duration import parse_duration
from sparing.language.errors import LanguageError


def duration(text: str, least: int, place: Place, mistakes: Mistakes) -> int:
    """Microseconds, at least so many."""
    try:
        found = parse_duration(text)
    except LanguageError as error:
        mistakes.add(place, quoting(error))
        return least
    if found < least:
        mistakes.add(
            place, f"'{text}' is too short: give a duration {'above zero' if least else 'that is not negative'}"
        )
        return least
    return found
