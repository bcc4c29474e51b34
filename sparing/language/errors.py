"""Errors that point at the text, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sparing.model.errors import SparingError

_WIDEST = 120  # characters of the line below the message
_LEAD = 40  # characters before the wrong part if a line is shortened


class LanguageError(SparingError):
    """An error in `text[start:end]`: a message, then the line (if any) with that part underlined.

    >>> print(LanguageError("There is no such field.", "SELECT sped FROM traffic", 7, 11))
    There is no such field.
      SELECT sped FROM traffic
             ^^^^
    """

    def __init__(self, message: str, text: str, start: int, end: int) -> None:
        super().__init__(message, text, start, end)
        self.message = message
        self.text = text
        self.start = start
        self.end = end

    def __str__(self) -> str:
        if not self.text.strip():
            return self.message
        line_start = self.text.rfind("\n", 0, self.start) + 1
        line_end = self.text.find("\n", self.start)
        if line_end < 0:
            line_end = len(self.text)
        before, after = "", ""
        if line_end - line_start > _WIDEST:
            cut_start = max(line_start, self.start - _LEAD)
            cut_end = min(line_end, cut_start + _WIDEST)
            before, after = "..." * (cut_start > line_start), "..." * (cut_end < line_end)
            line_start, line_end = cut_start, cut_end
        # One column per character: tabs would shift the carets.
        line = "".join(c if c.isprintable() else " " for c in self.text[line_start:line_end])
        carets = "^" * max(1, min(self.end, line_end) - self.start)
        indent = " " * (len(before) + self.start - line_start)
        return f"{self.message}\n  {before}{line}{after}\n  {indent}{carets}"


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """Return the valid name most similar to `name`, ignoring case; None if none is close.

    >>> nearest("sped", ["road", "Speed"])
    'Speed'
    """
    spellings = {word.lower(): word for word in valid}
    close = get_close_matches(name.lower(), spellings, n=1)
    return spellings[close[0]] if close else None


def or_nearest(name: str, valid: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the most similar name, or all valid names.

    >>> or_nearest("sped", ["road", "speed"])
    'did you mean speed?'
    >>> or_nearest("x", ["road", "speed"])
    'there are road, speed.'
    """
    names = list(valid)
    suggestion = nearest(name, names)
    if suggestion is not None:
        return f"did you mean {suggestion}?"
    return f"there are {', '.join(names)}." if names else "there are none."
