"""Benefit and cost of clusters by their definitions, in any number of dimensions; faster modules are tested with them.

Space is divided at every bound of every member, and cells are counted.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sparing.control.folding.problem import Problem, counted, path_from


def unique(problem: Problem, members: Iterable[int]) -> float:
    """Return the measure that exactly one member covers.

    >>> problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    >>> unique(problem, [0, 1]), unique(problem, [0, 1, 2])
    (9.0, 4.0)
    """
    times, volume = _cells(problem, members)
    return float(volume[times == 1].sum())


def union(problem: Problem, members: Iterable[int]) -> float:
    """Return the measure that some member covers."""
    times, volume = _cells(problem, members)
    return float(volume[times > 0].sum())


def similarity(problem: Problem, members: Iterable[int]) -> float:
    """Return the share of the union that more than one member covers; 1 if the union is empty."""
    times, volume = _cells(problem, members)
    whole = float(volume[times > 0].sum())
    return 1 - float(volume[times == 1].sum()) / whole if whole else 1.0


def delay(problem: Problem, members: Iterable[int]) -> int:
    """Return the most hops from a member's subscriber to the broker that folds all, over all publishers' brokers.

    For each publishers' broker, only members that can reach it count.
    """
    homes, most = sorted({int(problem.home[member]) for member in members}), 0
    for towards in problem.towards.tolist():
        paths = [path for home in homes if (path := path_from(towards, home))]
        if paths:
            shared = set(paths[0]).intersection(*paths[1:])
            most = max(most, *(next(hops for hops, broker in enumerate(path) if broker in shared) for path in paths), 0)
    return 1 + most


def cost(problem: Problem, members: Iterable[int]) -> float:
    """Return unique range times delay; 0 for a single subscription."""
    members = list(members)
    return unique(problem, members) * delay(problem, members) if len(members) > 1 else 0.0


def saved(problem: Problem, of: np.ndarray) -> int:
    """Return the entries saved on links: a link has one per cluster, instead of one per member."""
    _, cluster = np.unique(of, return_inverse=True)
    links = np.zeros((int(cluster.max(initial=-1)) + 1, problem.links.shape[1]), dtype=np.uint64)
    np.bitwise_or.at(links, cluster, problem.links)
    return int(counted(problem.links).sum() - counted(links).sum())


def cost_of(problem: Problem, of: np.ndarray) -> float:
    """Return the cost of all clusters."""
    order = np.argsort(of, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(of[order])) + 1) if len(order) else []
    return float(sum(cost(problem, part.tolist()) for part in parts if len(part) > 1))


def _cells(problem: Problem, members: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of members that cover each cell between neighbouring bounds, and its measure."""
    which = [piece for m in members for piece in range(problem.starts[m], problem.starts[m + 1])]
    low, high = problem.low[which], problem.high[which]
    bounds = [np.unique(np.concatenate([low[:, axis], high[:, axis]])) for axis in range(low.shape[1])]
    times = np.zeros([max(len(cuts) - 1, 0) for cuts in bounds], dtype=np.int64)
    first = [np.searchsorted(cuts, low[:, axis]) for axis, cuts in enumerate(bounds)]
    end = [np.searchsorted(cuts, high[:, axis]) for axis, cuts in enumerate(bounds)]
    for piece in range(len(which)):
        times[tuple(slice(a[piece], b[piece]) for a, b in zip(first, end, strict=True))] += 1
    volume = np.ones(times.shape)
    for axis, cuts in enumerate(bounds):
        volume *= np.diff(cuts).reshape([-1 if other == axis else 1 for other in range(len(bounds))])
    return times, volume
