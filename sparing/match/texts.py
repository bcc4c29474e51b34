"""Labels of text: every text in a bound has a number, in the order of the texts.

A text that is not a bound gets the label after that of the greatest bound below it. So ranges of text become ranges of
whole numbers, as for all other types. Labels have gaps for new bounds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from sparing.match.predicates import LEAST, MOST

GAP = 1 << 36  # between the initial labels
SMALL_GAP = 1 << 16  # between the latest text and a new neighbour, to leave gaps for texts in ascending order


class TextLabels:
    """The bounds of one text field."""

    def __init__(self) -> None:
        self._label: dict[str, int] = {}
        self._ascending: list[str] = []
        self._latest = ""  # the text that was added last
        self._moved: list[tuple[np.ndarray, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self._ascending)

    def add(self, texts: Iterable[str]) -> bool:
        """Add bounds. Return False if there was no gap for one of them, so that labels changed (see `moved`)."""
        new = sorted({text for text in texts if text not in self._label})
        if not self._ascending:
            self._ascending = new
            self._relabel()
            return True
        if len(new) > 1000:
            self._ascending = sorted([*self._ascending, *new])
            self._relabel()
            return False
        kept = True
        for text in new:
            at = bisect_left(self._ascending, text)
            label = self._label_at(at)
            self._ascending.insert(at, text)
            self._latest = text
            if label is None:
                self._relabel()
                kept = False
            else:
                self._label[text] = label
        return kept

    def _label_at(self, at: int) -> int | None:
        """Return a label for a text to be inserted at a position, None if there is no gap.

        It is halfway between its neighbours, but close to the latest text if that is one of them.
        """
        below = self._label[self._ascending[at - 1]] if at else 0
        above = self._label[self._ascending[at]] if at < len(self._ascending) else below + 2 * GAP
        half = (above - below) // 2
        if half < 2:
            return None
        if at and self._ascending[at - 1] == self._latest:
            return below + min(SMALL_GAP, half)
        if at < len(self._ascending) and self._ascending[at] == self._latest:
            return above - min(SMALL_GAP, half)
        return below + half

    def _relabel(self) -> None:
        before = self._label
        self._label = {text: (at + 1) * GAP for at, text in enumerate(self._ascending)}
        if before:
            texts = [text for text in self._ascending if text in before]
            old = np.array([before[text] for text in texts], dtype=np.int64)
            self._moved.append((old, np.array([self._label[text] for text in texts], dtype=np.int64)))

    def moved(self, low: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Translate ends of ranges from old labels to current ones.

        `low` is a label or its successor, `last` a label or its predecessor. With adjacent labels, the successor of one
        is the predecessor of the next; they are translated differently, because a new text may now be in between.
        """
        for old, new in self._moved:
            named_low = np.maximum(np.searchsorted(old, low, side="right") - 1, 0)
            named_last = np.minimum(np.searchsorted(old, last), len(old) - 1)
            open_low, open_last = (low == LEAST) | (low == MOST), (last == LEAST) | (last == MOST)
            low = np.where(open_low, low, new[named_low] + (low - old[named_low]))
            last = np.where(open_last, last, new[named_last] - (old[named_last] - last))
        return low, last

    def settle(self) -> None:
        """Discard old labels, after all ranges have been translated."""
        self._moved = []

    def low(self, text: str) -> int:
        """Return the least label of a text at or above a bound."""
        return self._label[text[:-1]] + 1 if text.endswith("\0") else self._label[text]

    def last(self, text: str) -> int:
        """Return the greatest label of a text below a bound."""
        return self._label[text[:-1]] if text.endswith("\0") else self._label[text] - 1

    def text_of(self, label: int) -> str:
        """Return the least text with a label at or above the given one."""
        at = bisect_right(self._ascending, label, key=self._label.__getitem__)
        text = self._ascending[at - 1]
        return text if self._label[text] == label else text + "\0"

    def text_after(self, label: int) -> str:
        """Return the least text with a label above the given one."""
        at = bisect_right(self._ascending, label, key=self._label.__getitem__)
        if at < len(self._ascending) and self._label[self._ascending[at]] == label + 1:
            return self._ascending[at]
        return self._ascending[at - 1] + "\0"

    def label(self, text: str) -> int:
        """Return the label of any text."""
        known = self._label.get(text)
        if known is not None:
            return known
        at = bisect_right(self._ascending, text)
        return self._label[self._ascending[at - 1]] + 1 if at else 0

    def labels(self, array: pa.Array) -> np.ndarray:
        """Return the labels of a column; undefined for NULLs."""
        coded = array.dictionary_encode()
        distinct = np.array([self.label(text) for text in coded.dictionary.to_pylist()] or [0], dtype=np.int64)
        codes: np.ndarray = distinct[coded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
        return codes

    @property
    def nbytes(self) -> int:
        """Approximate bytes of the bounds: two references, a number and the text each."""
        return sum(len(text) + 49 for text in self._ascending) + len(self._ascending) * (8 + 100 + 32)


def bound_text(text: str) -> str:
    """Return the text of a bound; a final "\\0" in a bound means just after the text."""
    return text[:-1] if text.endswith("\0") else text
