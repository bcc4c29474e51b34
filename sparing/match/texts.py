"""Text in numbers: every text that a bound names has a label, and labels ascend as the texts do.

A text that is no bound gets the label after that of the greatest bound below it. So ranges of text become ranges of
whole numbers, like those of all other types, and new bounds find a label between the ones that are there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from sparing.match.predicates import LEAST, MOST

SPACE = 1 << 36  # between the labels of texts that are known from the start
NEAR = 1 << 16  # from the text that came last to its new neighbour: texts that come in order find room for long


class Texts:
    """The bounds of one text field."""

    def __init__(self) -> None:
        self._label: dict[str, int] = {}
        self._ascending: list[str] = []
        self._latest = ""  # the text that came last
        self._moved: list[tuple[np.ndarray, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self._ascending)

    def add(self, texts: Iterable[str]) -> bool:
        """Make bounds known. False if there was no room for one of them: then labels have changed, see `moved`."""
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
        """A label for a text that is to be inserted at a place, None if there is no room.

        It is half way between its neighbours, but close to the text that came last if that is one of them.
        """
        below = self._label[self._ascending[at - 1]] if at else 0
        above = self._label[self._ascending[at]] if at < len(self._ascending) else below + 2 * SPACE
        half = (above - below) // 2
        if half < 2:
            return None
        if at and self._ascending[at - 1] == self._latest:
            return below + min(NEAR, half)
        if at < len(self._ascending) and self._ascending[at] == self._latest:
            return above - min(NEAR, half)
        return below + half

    def _relabel(self) -> None:
        before = self._label
        self._label = {text: (at + 1) * SPACE for at, text in enumerate(self._ascending)}
        if before:
            texts = [text for text in self._ascending if text in before]
            old = np.array([before[text] for text in texts], dtype=np.int64)
            self._moved.append((old, np.array([self._label[text] for text in texts], dtype=np.int64)))

    def moved(self, low: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Ends of ranges as they were before labels changed, as they are now.

        `low` is a label or the one after it, `last` a label or the one before it. Where labels are close, what follows
        one is what comes before the next, so the two have to be told apart: a new text may now lie in between.
        """
        for old, new in self._moved:
            named_low = np.maximum(np.searchsorted(old, low, side="right") - 1, 0)
            named_last = np.minimum(np.searchsorted(old, last), len(old) - 1)
            open_low, open_last = (low == LEAST) | (low == MOST), (last == LEAST) | (last == MOST)
            low = np.where(open_low, low, new[named_low] + (low - old[named_low]))
            last = np.where(open_last, last, new[named_last] - (old[named_last] - last))
        return low, last

    def settle(self) -> None:
        """Forget the labels before the last changes: all ranges have been moved."""
        self._moved = []

    def low(self, text: str) -> int:
        """The least label that a text at or above a bound can have."""
        return self._label[text[:-1]] + 1 if text.endswith("\0") else self._label[text]

    def last(self, text: str) -> int:
        """The greatest label that a text below a bound can have."""
        return self._label[text[:-1]] if text.endswith("\0") else self._label[text] - 1

    def text_of(self, label: int) -> str:
        """The least text with a label at or above the given one."""
        at = bisect_right(self._ascending, label, key=self._label.__getitem__)
        text = self._ascending[at - 1]
        return text if self._label[text] == label else text + "\0"

    def text_after(self, label: int) -> str:
        """The least text with a label above the given one."""
        at = bisect_right(self._ascending, label, key=self._label.__getitem__)
        if at < len(self._ascending) and self._label[self._ascending[at]] == label + 1:
            return self._ascending[at]
        return self._ascending[at - 1] + "\0"

    def label(self, text: str) -> int:
        """The label of any text."""
        known = self._label.get(text)
        if known is not None:
            return known
        at = bisect_right(self._ascending, text)
        return self._label[self._ascending[at - 1]] + 1 if at else 0

    def labels(self, array: pa.Array) -> np.ndarray:
        """The labels of a column; of missing values they mean nothing."""
        coded = array.dictionary_encode()
        distinct = np.array([self.label(text) for text in coded.dictionary.to_pylist()] or [0], dtype=np.int64)
        codes: np.ndarray = distinct[coded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
        return codes

    @property
    def nbytes(self) -> int:
        """Bytes that the bounds take, by and large: two references and a number each, and the text itself."""
        return sum(len(text) + 49 for text in self._ascending) + len(self._ascending) * (8 + 100 + 32)


def named(text: str) -> str:
    """The text that a bound names: a bound that ends in the least character means just after the text before it."""
    return text[:-1] if text.endswith("\0") else text
