"""How much the unique range of some members falls when somebody joins them.

The unique range is what exactly one subscription covers. Who joins takes away what was unique and now is not, and
brings what nobody had covered and it covers once itself. So only the room that it covers has to be looked at.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from sparing.control.folding.ranges import RangePieces

MOST_CELLS = 1 << 14  # of a grid that is counted at once
ROUNDING = 1e-9  # of what somebody covers: less is no change


class TopicBoxes:
    """The subscriptions of items to one topic; `owner` says which item each belongs to."""

    def __init__(self, pieces: RangePieces, owner: np.ndarray, items: int) -> None:
        item = np.repeat(np.asarray(owner, dtype=np.int64), np.diff(pieces.starts))
        solid = (pieces.low < pieces.high).all(axis=1)  # what has no extent changes nothing
        item, low, high = item[solid], pieces.low[solid], pieces.high[solid]
        order = np.argsort(item, kind="stable")
        self.item, self.low, self.high = item[order], low[order], high[order]
        self.starts = np.searchsorted(self.item, np.arange(items + 1))
        self.extent = np.bincount(self.item, np.prod(self.high - self.low, axis=1), minlength=items)
        dimensions = pieces.low.shape[1]
        self.least, self.most = np.full((items, dimensions), np.inf), np.full((items, dimensions), -np.inf)
        np.minimum.at(self.least, self.item, self.low)
        np.maximum.at(self.most, self.item, self.high)

    def touched(self, item: int) -> np.ndarray:
        """Which items may share some range with one."""
        shared: np.ndarray = ((self.least < self.most[item]) & (self.least[item] < self.most)).all(axis=1)
        return shared

    def falls(self, items: np.ndarray, member: np.ndarray) -> np.ndarray:
        """For each of some items, none of them a member: by how much its joining lowers the members' unique range."""
        theirs = np.flatnonzero(member[self.item])
        if self.low.shape[1] == 1:
            return self._falls_on_a_line(items, theirs)
        found = np.zeros(len(items))
        for at, item in enumerate(items):
            own = slice(self.starts[item], self.starts[item + 1])
            near = theirs[((self.low[theirs] < self.most[item]) & (self.least[item] < self.high[theirs])).all(axis=1)]
            found[at] = _fall(
                self.low[own], self.high[own], self.low[near], self.high[near], self.least[item], self.most[item]
            )
        found[np.abs(found) <= ROUNDING * self.extent[items]] = 0.0
        return found

    def _falls_on_a_line(self, items: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        """All at once: lengths up to a place are found in sums along the line."""
        ends = np.concatenate((self.low[theirs, 0], self.high[theirs, 0]))
        order = np.argsort(ends, kind="stable")
        ends = ends[order]
        depth = np.cumsum(np.where(order < len(theirs), 1, -1))
        count = np.append(0, depth)  # between two ends; the last of equal ends decides
        asked = np.zeros(len(self.starts) - 1, dtype=bool)
        asked[items] = True
        of, low, high, once = (column[asked[self._cut[0]]] for column in self._cut)
        total = np.zeros(len(self.starts) - 1)
        taken = _within(ends, count == 1, low, high)
        brought = np.where(once, _within(ends, count == 0, low, high), 0.0)
        np.add.at(total, of, taken - brought)
        total[np.abs(total) <= ROUNDING * self.extent] = 0.0
        found: np.ndarray = total[items]
        return found

    @cached_property
    def _cut(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The line of each item, cut at its ends: item, low, high, and whether it is covered once or more often."""
        item = np.concatenate((self.item, self.item))
        ends = np.concatenate((self.low[:, 0], self.high[:, 0]))
        step = np.repeat((1, -1), len(self.item))
        order = np.lexsort((ends, item))
        item, ends, depth = item[order], ends[order], np.cumsum(step[order])
        inside = np.flatnonzero((depth[:-1] > 0) & (ends[:-1] < ends[1:])) if len(item) else np.empty(0, np.int64)
        return item[inside], ends[inside], ends[inside + 1], depth[inside] == 1


def _within(ends: np.ndarray, wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How much of each stretch is wanted; `wanted[n]` is about what lies before `ends[n]`, the last about the rest."""
    if not len(ends):
        return np.where(wanted[0], high - low, 0.0)
    sums = np.append(0.0, np.cumsum(np.where(wanted[1:-1], np.diff(ends), 0.0)))

    def up_to(place: np.ndarray) -> np.ndarray:
        before = np.searchsorted(ends, place, side="right")
        since = place - ends[np.maximum(before - 1, 0)]  # negative before the first end
        return sums[np.maximum(before - 1, 0)] + np.where(wanted[before], since, 0.0)

    found: np.ndarray = up_to(high) - up_to(low)
    return found


def _fall(
    own_low: np.ndarray,
    own_high: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    least: np.ndarray,
    most: np.ndarray,
) -> float:
    """The fall within a box (`least` to `most`) of any dimension.

    Small problems are counted on the grid of all bounds, large ones are cut in half.
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
        lower = _fall(own_low, own_high, low, high, least, below)
        return lower + _fall(own_low, own_high, low, high, above, most)
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
    """How many pieces cover each cell: steps at the corners of pieces, summed up along each dimension."""
    counts = np.zeros([len(bounds) for bounds in grid], dtype=np.int64)
    begin, end = ([np.searchsorted(bounds, ends[:, d]) for d, bounds in enumerate(grid)] for ends in (low, high))
    for corner in np.ndindex(*(2,) * len(grid)):
        at = tuple(end[d] if side else begin[d] for d, side in enumerate(corner))
        np.add.at(counts, at, -1 if sum(corner) % 2 else 1)
    for d in range(len(grid)):
        np.cumsum(counts, axis=d, out=counts)
    return counts[(slice(-1),) * len(grid)]
