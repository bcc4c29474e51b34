"""How much of space is covered once, and how much at all, by many boxes: judged by `measures`, and faster."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sparing.control.folding.kernels.plane import covered_plane
from sparing.control.folding.measures import delay
from sparing.control.folding.problem import Problem
from sparing.control.folding.uncovered import pieces_of_some

MOST_CUTS = 1_000_000


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


def quick(problem: Problem, members: np.ndarray) -> bool:
    """Whether what these cover can be worked out within seconds."""
    pieces, dimensions = len(pieces_of_some(problem, members)), problem.low.shape[1]
    return bool(dimensions <= 2 or (2.0 * pieces) ** (dimensions - 2) * pieces <= MOST_CUTS)


def unique_of_many(problem: Problem, members: np.ndarray) -> float:
    """The unique range of a cluster, however many there are."""
    return covered_by(problem, members)[0]


def cost_of_many(problem: Problem, members: np.ndarray) -> float:
    """Unique range times delay; nothing for one alone."""
    return unique_of_many(problem, members) * delay(problem, members.tolist()) if len(members) > 1 else 0.0


def covered_by(problem: Problem, members: np.ndarray) -> tuple[float, float]:
    """The measure of what exactly one of some subscriptions covers, and of what any of them does."""
    which = pieces_of_some(problem, members)
    return covered(problem.low[which], problem.high[which])
