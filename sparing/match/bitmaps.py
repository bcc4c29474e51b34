"""Matching of a few events: the subscriptions are the index.

For each field and coarse bucket there is a bitmap of the subscriptions that cannot match an event with a value in the
bucket. Subscriptions in none of the bitmaps of an event's values are checked one by one.
"""

from __future__ import annotations

import numpy as np

from sparing.match.kernels.arrays import EventColumns
from sparing.match.kernels.pairs import fill_bitmaps, match_by_bitmap
from sparing.match.layout import Segment

MOST_BITMAPS = 512


class BitmapIndex:
    """The bitmaps of one segment. Subscriptions that are removed from the segment later are skipped.

    They do not reference the segment, so both can be garbage collected together.
    """

    def __init__(self, segment: Segment) -> None:
        rows = segment.buckets.rows
        self._used = np.flatnonzero(rows)
        self._coarseness = 0
        while self._bitmaps_of(rows).sum() > MOST_BITMAPS and self._coarseness < 8:
            self._coarseness += 1
        count = self._bitmaps_of(rows)
        self._first = np.cumsum(count) - count
        self._bitmaps = np.zeros((int(count.sum()), (len(segment) + 63) // 64), dtype=np.uint64)
        slots = segment.slots
        fill_bitmaps(
            slots.predicates.ranges, segment.owned, slots.data, segment.buckets, self._first, count, self._coarseness,
            self._bitmaps,
        )  # fmt: skip

    def _bitmaps_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the number of coarse buckets of each field: there is one bucket less than rows."""
        return np.where(rows > 0, ((rows - 2) >> self._coarseness) + 1, 0)

    def match(
        self, segment: Segment, events: EventColumns, rows: np.ndarray, most: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return matching pairs of rows and numbers, in the order of `rows`; incomplete if more than `most`."""
        slots = segment.slots
        found: tuple[np.ndarray, np.ndarray] = match_by_bitmap(
            events, rows, self._used, segment.buckets, self._first, self._coarseness, self._bitmaps, slots.data,
            slots.predicates.ranges, segment.owned, most,
        )  # fmt: skip
        return found

    @property
    def nbytes(self) -> int:
        """Bytes that the bitmaps take."""
        return self._bitmaps.nbytes
