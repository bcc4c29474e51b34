"""Matching a few events: the subscriptions are the index.

For each field and coarse bucket there is a bitmap of the subscriptions that cannot match an event with a value in the
bucket. Subscriptions in none of the bitmaps of an event's values are checked one by one.
"""

from __future__ import annotations

import numpy as np

from sparing.match.kernels.arrays import EventColumns
from sparing.match.kernels.pairs import fill_bitmaps, match_by_bitmap
from sparing.match.layout import Shelf

MOST_BITMAPS = 512


class Transposed:
    """The bitmaps of one shelf. Subscriptions that are removed from the shelf later are skipped.

    They do not reference the shelf, so both can be garbage collected together.
    """

    def __init__(self, shelf: Shelf) -> None:
        rows = shelf.buckets.rows
        self._used = np.flatnonzero(rows)
        self._coarseness = 0
        while self._bitmaps_of(rows).sum() > MOST_BITMAPS and self._coarseness < 8:
            self._coarseness += 1
        count = self._bitmaps_of(rows)
        self._first = np.cumsum(count) - count
        self._bitmaps = np.zeros((int(count.sum()), (len(shelf) + 63) // 64), dtype=np.uint64)
        filed = shelf.filed
        fill_bitmaps(
            filed.predicates.ranges, shelf.owned, filed.filing, shelf.buckets, self._first, count, self._coarseness,
            self._bitmaps,
        )  # fmt: skip

    def _bitmaps_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of coarse buckets of each field: there is one bucket less than rows."""
        return np.where(rows > 0, ((rows - 2) >> self._coarseness) + 1, 0)

    def match(self, shelf: Shelf, events: EventColumns, rows: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Return matching pairs of rows and numbers, in the order of `rows`; incomplete if more than `most`."""
        filed = shelf.filed
        found: tuple[np.ndarray, np.ndarray] = match_by_bitmap(
            events, rows, self._used, shelf.buckets, self._first, self._coarseness, self._bitmaps, filed.filing,
            filed.predicates.ranges, shelf.owned, most,
        )  # fmt: skip
        return found

    @property
    def nbytes(self) -> int:
        """Bytes that the bitmaps take."""
        return self._bitmaps.nbytes
