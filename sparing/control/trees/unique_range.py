"""The decrease of the unique range of a broker's items when another item joins them.

The unique range is the measure that exactly one subscription covers. A joining item takes the parts that become covered
twice, and brings the parts that only it covers, once. So only the space that it covers matters.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sparing.control.folding.ranges import RangePieces

MOST_CELLS = 1 << 14  # of a grid that is counted without division
ROUNDING = 1e-9  # relative to the extent of an item; smaller changes count as 0


class TopicBoxes:
    """The subscriptions of items to one topic; `owner` says which item each belongs to."""

    def __init__(self, pieces: RangePieces, owner: np.ndarray, items: int) -> None:
        item = np.repeat(np.asarray(owner, dtype=np.int64), np.diff(pieces.starts))
        solid = (pieces.low < pieces.high).all(axis=1)  # pieces without extent change nothing
        item, low, high = item[solid], pieces.low[solid], pieces.high[solid]
        order = np.argsort(item, kind="stable")
        self.item, self.low, self.high = item[order], low[order], high[order]
        self.starts = np.searchsorted(self.item, np.arange(items + 1))
        self.extent = np.bincount(self.item, np.prod(self.high - self.low, axis=1), minlength=items)
        dimensions = pieces.low.shape[1]
        self.least, self.most = np.full((items, dimensions), np.inf), np.full((items, dimensions), -np.inf)
        np.minimum.at(self.least, self.item, self.low)
        np.maximum.at(self.most, self.item, self.high)

    def overlapping(self, item: int) -> np.ndarray:
        """Return whether each item may overlap another one."""
        shared: np.ndarray = ((self.least < self.most[item]) & (self.least[item] < self.most)).all(axis=1)
        return shared

    def saved_ranges(self, items: np.ndarray, member: np.ndarray) -> np.ndarray:
        """Return the decrease of the members' unique range if each of some items, none of them a member, joins."""
        theirs = np.flatnonzero(member[self.item])
        if self.low.shape[1] == 1:
            return self._saved_lengths(items, theirs)
        found = np.zeros(len(items))
        for at, item in enumerate(items):
            own = slice(self.starts[item], self.starts[item + 1])
            near = theirs[((self.low[theirs] < self.most[item]) & (self.least[item] < self.high[theirs])).all(axis=1)]
            found[at] = _saved_range(
                self.low[own], self.high[own], self.low[near], self.high[near], self.least[item], self.most[item]
            )
        found[np.abs(found) <= ROUNDING * self.extent[items]] = 0.0
        return found

    def _saved_lengths(self, items: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """Return the decreases for all items in one dimension, by cumulative sums of lengths."""
        ends = np.concatenate((self.low[theirs, 0], self.high[theirs, 0]))
        order = np.argsort(ends, kind="stable")
        ends = ends[order]
        depth = np.cumsum(np.where(order < len(theirs), 1, -1))
        count = np.append(0, depth)  # between two ends; the last of equal ends decides
        asked = np.zeros(len(self.starts) - 1, dtype=bool)
        asked[items] = True
        of, low, high, once = (column[asked[self._item_intervals[0]]] for column in self._item_intervals)
        total = np.zeros(len(self.starts) - 1)
        taken = _within(ends, count == 1, low, high)
        brought = np.where(once, _within(ends, count == 0, low, high), 0.0)
        np.add.at(total, of, taken - brought)
        total[np.abs(total) <= ROUNDING * self.extent] = 0.0
        found: np.ndarray = total[items]
        return found

    @cached_property
    def _item_intervals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The intervals of each item between its ends: item, low, high, and whether it covers them exactly once."""
        item = np.concatenate((self.item, self.item))
        ends = np.concatenate((self.low[:, 0], self.high[:, 0]))
        step = np.repeat((1, -1), len(self.item))
        order = np.lexsort((ends, item))
        item, ends, depth = item[order], ends[order], np.cumsum(step[order])
        inside = np.flatnonzero((depth[:-1] > 0) & (ends[:-1] < ends[1:])) if len(item) else np.empty(0, np.int64)
        return item[inside], ends[inside], ends[inside + 1], depth[inside] == 1


def _within(ends: np.ndarray, wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the wanted length in each interval; `wanted[n]` is for lengths before `ends[n]`, the last for the rest."""
    if not len(ends):
        return np.where(wanted[0], high - low, 0.0)
    sums = np.append(0.0, np.cumsum(np.where(wanted[1:-1], np.diff(ends), 0.0)))

    def up_to(place: np.ndarray) -> np.ndarray:
        before = np.searchsorted(ends, place, side="right")
        since = place - ends[np.maximum(before - 1, 0)]  # negative before the first end
        return sums[np.maximum(before - 1, 0)] + np.where(wanted[before], since, 0.0)

    found: np.ndarray = up_to(high) - up_to(low)
    return found


def _saved_range(
    own_low: np.ndarray,
    own_high: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
) -> float:
    """Return the decrease within a box (`least` to `most`) of any dimension.

    Small problems are counted on the grid of all bounds, large ones are halved.
    """
    own_low, own_high = _clipped(own_low, own_high, least, most)
    low, high = _clipped(low, high, least, most)
    if not len(own_low) or ((low == least) & (high == most)).all(axis=1).sum() > 1:
        return 0.0
    grid = [
        np.unique(np.concatenate((own_low[:, d], own_high[:, d], low[:, d], high[:, d]))) for d in range(len(least))
    ]
    sizes = [len(bounds) - 1 for bounds in grid]
    if np.prod(np.array(sizes, dtype=np.float64)) > MOST_CELLS:
        widest = int(np.argmax(sizes))
        half = grid[widest][len(grid[widest]) // 2]
        below, above = most.copy(), least.copy()
        below[widest] = above[widest] = half
        lower = _saved_range(own_low, own_high, low, high, least, below)
        return lower + _saved_range(own_low, own_high, low, high, above, most)
    own, theirs = _counts(own_low, own_high, grid), _counts(low, high, grid)
    volume = np.ones(())
    for bounds in grid:
        volume = np.multiply.outer(volume, np.diff(bounds))
    taken, brought = volume[(own > 0) & (theirs == 1)].sum(), volume[(own == 1) & (theirs == 0)].sum()
    return float(taken - brought)


def _clipped(low: np.ndarray, high: np.ndarray, least: np.ndarray, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.maximum(low, least), np.minimum(high, most)
    left = (low < high).all(axis=1)
    return low[left], high[left]


def _counts(low: np.ndarray, high: np.ndarray, grid: list[np.ndarray]) -> np.ndarray:
    """Return the number of pieces that cover each cell, by cumulative sums of steps at their corners."""
    counts = np.zeros([len(bounds) for bounds in grid], dtype=np.int64)
    begin, end = ([np.searchsorted(bounds, ends[:, d]) for d, bounds in enumerate(grid)] for ends in (low, high))
    for corner in np.ndindex(*(2,) * len(grid)):
        at = tuple(end[d] if side else begin[d] for d, side in enumerate(corner))
        np.add.at(counts, at, -1 if sum(corner) % 2 else 1)
    for d in range(len(grid)):
        np.cumsum(counts, axis=d, out=counts)
    return counts[(slice(-1),) * len(grid)]
