"""The error that points at the text, and the search for the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from sparing.model.errors import SparingError

_WIDEST = 120  # of the line shown below the sentence
_LEAD = 40  # what is kept before the offending part when a line must be cut


class LanguageError(SparingError):
    """What is wrong with `text[start:end]`: one sentence, then the line in question (if any) with that part underlined.

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
        # One column for each character: tabs and the like would push the carets aside.
        line = "".join(c if c.isprintable() else " " for c in self.text[line_start:line_end])
        carets = "^" * max(1, min(self.end, line_end) - self.start)
        indent = " " * (len(before) + self.start - line_start)
        return f"{self.message}\n  {before}{line}{after}\n  {indent}{carets}"


def nearest(name: str, valid: Iterable[str]) -> str | None:
    """The valid name that looks most like `name`, upper and lower case being one; None if none comes close.

    >>> nearest("sped", ["road", "Speed"])
    'Speed'
    """
    spellings = {word.lower(): word for word in valid}
    close = get_close_matches(name.lower(), spellings, n=1)
    return spellings[close[0]] if close else None


def or_nearest(name: str, valid: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the one that was probably meant, or all there are.

    >>> or_nearest("sped", ["road", "speed"])
    'did you mean speed?'
    >>> or_nearest("x", ["road", "speed"])
    'there are road, speed.'
    """
    names = list(valid)
    meant = nearest(name, names)
    if meant is not None:
        return f"did you mean {meant}?"
    return f"there are {', '.join(names)}." if names else "there are none."
