"""The measures that exactly one, and at least one, of many boxes covers; equal to `measures`, but faster."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sparing.control.folding.kernels.area import covered_area
from sparing.control.folding.measures import delay
from sparing.control.folding.problem import Problem
from sparing.control.folding.uncovered import pieces_of_some

MOST_CUTS = 1_000_000


def covered(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    """Return the measure that exactly one box covers, and that of the union. Boxes are in rows.

    In one dimension, bounds are sorted; in two, a sweep line is used. In more dimensions, space is divided into slices
    at the bounds of the first one.

    >>> covered(np.array([[0.0], [3.0]]), np.array([[4.0], [10.0]]))
    (9.0, 10.0)
    """
    full = (low < high).all(axis=1)
    low, high = low[full], high[full]
    if not len(low):
        return 0.0, 0.0
    if low.shape[1] == 1:
        return _covered_intervals(low[:, 0], high[:, 0])
    if low.shape[1] == 2:
        once, some = covered_area(*_numbered(low[:, 0], high[:, 0]), *_numbered(low[:, 1], high[:, 1]))
        return float(once), float(some)
    cuts = np.unique(np.concatenate([low[:, 0], high[:, 0]]))
    totals = np.zeros(2)
    for begin, end in pairwise(cuts.tolist()):
        there = (low[:, 0] <= begin) & (begin < high[:, 0])
        totals += (end - begin) * np.array(covered(low[there, 1:], high[there, 1:]))
    return float(totals[0]), float(totals[1])


def _covered_intervals(low: np.ndarray, high: np.ndarray) -> tuple[float, float]:
    bounds = np.concatenate([low, high])
    order = np.argsort(bounds, kind="stable")
    times = np.cumsum(np.where(order < len(low), 1, -1))[:-1]
    sizes = np.diff(bounds[order])
    return float(sizes[times == 1].sum()), float(sizes[times > 0].sum())


def _numbered(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return all bounds in order, and the positions of each box's low and high one."""
    bounds, number = np.unique(np.concatenate([low, high]), return_inverse=True)
    return bounds, number[: len(low)], number[len(low) :]


def is_feasible(problem: Problem, members: np.ndarray) -> bool:
    """Return whether the measures of members can be computed within seconds."""
    pieces, dimensions = len(pieces_of_some(problem, members)), problem.low.shape[1]
    return bool(dimensions <= 2 or (2.0 * pieces) ** (dimensions - 2) * pieces <= MOST_CUTS)


def unique_of_many(problem: Problem, members: np.ndarray) -> float:
    """Return the unique range of a cluster of any size."""
    return covered_by(problem, members)[0]


def cost_of_many(problem: Problem, members: np.ndarray) -> float:
    """Return unique range times delay; 0 for a single subscription."""
    return unique_of_many(problem, members) * delay(problem, members.tolist()) if len(members) > 1 else 0.0


def covered_by(problem: Problem, members: np.ndarray) -> tuple[float, float]:
    """Return the measure that exactly one of some subscriptions covers, and that of their union."""
    which = pieces_of_some(problem, members)
    return covered(problem.low[which], problem.high[which])
