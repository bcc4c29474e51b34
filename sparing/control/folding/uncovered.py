"""False ranges: the measure that some subscriptions cover and others do not."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.problem import Problem

Part = tuple[np.ndarray, np.ndarray]  # a box: its low and its high corner


def uncovered(problem: Problem, members: np.ndarray, others: np.ndarray) -> float:
    """Return the measure that the union of some subscriptions covers and that of others does not."""
    left: list[Part] = []
    for part in _parts(problem, pieces_of_some(problem, members)):
        left += _cut([part], left)  # without the parts that are already counted
    if not left:
        return 0.0
    lowest, highest = np.min([low for low, _ in left], axis=0), np.max([high for _, high in left], axis=0)
    near = pieces_of_some(problem, others)
    near = near[((problem.low[near] < highest) & (problem.high[near] > lowest)).all(axis=1)]
    return float(sum(np.prod(high - low) for low, high in _cut(left, _parts(problem, near))))


def extent(problem: Problem) -> float:
    """Return the measure of the space that contains all ranges."""
    if not len(problem.low):
        return 0.0
    return float(np.prod(problem.high.max(axis=0) - problem.low.min(axis=0)))


def pieces_of_some(problem: Problem, members: np.ndarray) -> np.ndarray:
    """Return the numbers of the pieces of some subscriptions."""
    first = problem.starts[members]
    counts = problem.starts[members + 1] - first
    found: np.ndarray = np.repeat(first - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))
    return found


def may_overlap(problem: Problem, some: np.ndarray, others: np.ndarray) -> bool:
    """Return whether ranges of some subscriptions may overlap those of others, by the hull of the first."""
    if not len(some):
        return False
    low, high = problem.hulls
    return bool(((low[others] < high[some].max(axis=0)) & (high[others] > low[some].min(axis=0))).all(axis=1).any())


def overlapping(problem: Problem, one: int, others: np.ndarray) -> np.ndarray:
    """Return the others that may overlap or touch a subscription, by hulls."""
    low, high = problem.hulls
    found: np.ndarray = others[((low[others] <= high[one]) & (high[others] >= low[one])).all(axis=1)]
    return found


def within_hull(problem: Problem, one: int, others: np.ndarray) -> bool:
    """Return whether the hull of the others contains a subscription; if not, their union does not cover it."""
    low, high = problem.hulls
    if not (low[one] < high[one]).all() or not len(others):
        return bool(len(others))
    return bool((low[one] >= low[others].min(axis=0)).all() and (high[one] <= high[others].max(axis=0)).all())


def _parts(problem: Problem, pieces: np.ndarray) -> list[Part]:
    pieces = pieces[(problem.low[pieces] < problem.high[pieces]).all(axis=1)]
    return list(zip(problem.low[pieces], problem.high[pieces], strict=True))


def _cut(parts: list[Part], by: list[Part]) -> list[Part]:
    """Return some boxes minus others."""
    for low, high in by:
        parts = [rest for part in parts for rest in _without(part, low, high)]
        if not parts:
            break
    return parts


def _without(part: Part, low: np.ndarray, high: np.ndarray) -> list[Part]:
    mine, up_to = part
    if (mine >= high).any() or (up_to <= low).any():
        return [part]
    left = []
    mine, up_to = mine.copy(), up_to.copy()
    for at in range(len(low)):
        if mine[at] < low[at]:
            end = up_to.copy()
            end[at] = low[at]
            left.append((mine.copy(), end))
            mine[at] = low[at]
        if up_to[at] > high[at]:
            start = mine.copy()
            start[at] = high[at]
            left.append((start, up_to.copy()))
            up_to[at] = high[at]
    return left
