"""What a cluster saves and costs, worked out in the obvious way: judge of the fast ones, and good for any dimension.

Space is cut at every bound of every member; cells are counted one by one.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sparing.control.folding.problem import NO_PATH, Problem, counted


def unique(problem: Problem, members: Iterable[int]) -> float:
    """How much exactly one of the members covers.

    >>> problem = Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)])
    >>> unique(problem, [0, 1]), unique(problem, [0, 1, 2])
    (9.0, 4.0)
    """
    times, volume = _cells(problem, members)
    return float(volume[times == 1].sum())


def union(problem: Problem, members: Iterable[int]) -> float:
    """How much some member covers."""
    times, volume = _cells(problem, members)
    return float(volume[times > 0].sum())


def similarity(problem: Problem, members: Iterable[int]) -> float:
    """The share of what is covered that more than one member covers; 1 if nothing is."""
    times, volume = _cells(problem, members)
    whole = float(volume[times > 0].sum())
    return 1 - float(volume[times == 1].sum()) / whole if whole else 1.0


def delay(problem: Problem, members: Iterable[int]) -> int:
    """Most hops from a member's subscriber to the broker where all are merged, on the way to any publishers' broker.

    Publishers' brokers are seen by the members that can reach them.
    """
    homes, most = sorted({int(problem.home[member]) for member in members}), 0
    for towards in problem.towards.tolist():
        ways = [way for home in homes if (way := _way(towards, home))]
        if ways:
            shared = set(ways[0]).intersection(*ways[1:])
            most = max(most, *(next(hops for hops, broker in enumerate(way) if broker in shared) for way in ways), 0)
    return 1 + most


def cost(problem: Problem, members: Iterable[int]) -> float:
    """Unique range times delay; nothing for one alone."""
    members = list(members)
    return unique(problem, members) * delay(problem, members) if len(members) > 1 else 0.0


def saved(problem: Problem, of: np.ndarray) -> int:
    """Links on which entries are saved: a link carries one for each cluster, instead of one for each member."""
    _, cluster = np.unique(of, return_inverse=True)
    told = np.zeros((int(cluster.max(initial=-1)) + 1, problem.links.shape[1]), dtype=np.uint64)
    np.bitwise_or.at(told, cluster, problem.links)
    return int(counted(problem.links).sum() - counted(told).sum())


def cost_of(problem: Problem, of: np.ndarray) -> float:
    """The cost of all clusters together."""
    order = np.argsort(of, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(of[order])) + 1) if len(order) else []
    return float(sum(cost(problem, part.tolist()) for part in parts if len(part) > 1))


def _cells(problem: Problem, members: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """How many members cover each cell between neighbouring bounds, and how large it is."""
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


def _way(towards: list[int], home: int) -> list[int]:
    """Brokers from home to the end, or none if there is no way."""
    way = [home]
    while towards[way[-1]] not in (way[-1], NO_PATH):
        way.append(towards[way[-1]])
    return way if towards[way[-1]] != NO_PATH else []
