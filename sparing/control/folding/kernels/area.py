"""The area that rectangles cover."""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.graphs.adjacency import adjacency


@compiled
def covered_area(across, begin, end, along, low, high):
    """Return the area covered exactly once, and at least once, by a sweep line across the bounds."""
    boxes = np.arange(len(begin))
    first, beginning = adjacency(begin, boxes, len(across))
    last, ending = adjacency(end, boxes, len(across))
    times = np.zeros(len(along), np.int64)  # number of boxes on each cell of the sweep line
    once = some = once_now = some_now = 0.0
    for place in range(len(across) - 1):
        for at in range(first[place], first[place + 1]):
            box = beginning[at]
            for cell in range(low[box], high[box]):
                size = along[cell + 1] - along[cell]
                once_now += size if times[cell] == 0 else (-size if times[cell] == 1 else 0.0)
                some_now += size if times[cell] == 0 else 0.0
                times[cell] += 1
        for at in range(last[place], last[place + 1]):
            box = ending[at]
            for cell in range(low[box], high[box]):
                size = along[cell + 1] - along[cell]
                times[cell] -= 1
                once_now -= size if times[cell] == 0 else (-size if times[cell] == 1 else 0.0)
                some_now -= size if times[cell] == 0 else 0.0
        width = across[place + 1] - across[place]
        once += width * once_now
        some += width * some_now
    return once, some
