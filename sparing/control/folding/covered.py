"""How much of space is covered once, and how much at all, by many boxes: judged by `measures`, and faster."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sparing.control.folding.kernels.plane import covered_plane


def covered(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """The measure of what exactly one box covers, and of what any box covers. Boxes are in rows.

    On the line, bounds are sorted. In the plane, a line moves from bound to bound. In more dimensions, space is cut to
    slices at the bounds of the first one: so many times as long.

    >>> covered(np.array([[0.0], [3.0]]), np.array([[4.0], [10.0]]))
    (9.0, 10.0)
    """
    full = (low < high).all(axis=1)
    low, high = low[full], high[full]
    if not len(low):
        return 0.0, 0.0
    if low.shape[1] == 1:
        return _on_line(low[:, 0], high[:, 0])
    if low.shape[1] == 2:
        once, some = covered_plane(*_numbered(low[:, 0], high[:, 0]), *_numbered(low[:, 1], high[:, 1]))
        return float(once), float(some)
    cuts = np.unique(np.concatenate([low[:, 0], high[:, 0]]))
    totals = np.zeros(2)
    for begin, end in pairwise(cuts.tolist()):
        there = (low[:, 0] <= begin) & (begin < high[:, 0])
        totals += (end - begin) * np.array(covered(low[there, 1:], high[there, 1:]))
    return float(totals[0]), float(totals[1])


def _on_line(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    bounds = np.concatenate([low, high])
    order = np.argsort(bounds, kind="stable")
    times = np.cumsum(np.where(order < len(low), 1, -1))[:-1]
    sizes = np.diff(bounds[order])
    return float(sizes[times == 1].sum()), float(sizes[times > 0].sum())


def _numbered(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All bounds in order, and the number of each box's low and high one."""
    bounds, number = np.unique(np.concatenate([low, high]), return_inverse=True)
    return bounds, number[: len(low)], number[len(low) :]
