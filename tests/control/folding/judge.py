"""SPA and AA as the slides describe them, and shared links: counted cell by cell and link by link."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise, product

import numpy as np

from sparing.control.folding.problem import NO_PATH, Folds, Problem


def literal_spa(problem: Problem, theta: float, least: float = 0.0) -> Folds:
    of = np.arange(len(problem))
    while saved(problem, of) < theta:
        pairs = []
        for one, two in combinations(np.unique(of).tolist(), 2):
            together = np.where(of == two, one, of)
            benefit = saved(problem, together) - saved(problem, of)
            alike = similarity(problem, np.flatnonzero(together == one).tolist())
            if benefit and alike > least:
                pairs.append((-alike, -benefit, one, two))
        if not pairs:
            break
        *_, one, two = min(pairs)
        of = np.where(of == two, one, of)
    return Folds(of, saved(problem, of), cost_of(problem, of))


def literal_aa(problem: Problem, theta: float, least: float = 0.0) -> Folds:
    of, done = np.arange(len(problem)), set[int]()
    while saved(problem, of) < theta:
        choices = []
        for broker in set(range(problem.towards.shape[1])) - done:
            members = [m for m in range(len(problem)) if problem.links[m].any() and comes_by(problem, m, broker)]
            together = folded(of, members)
            benefit, alike = saved(problem, together) - saved(problem, of), similarity(problem, members)
            if benefit and alike > least:
                choices.append((-alike, -benefit, broker, together))
        if not choices:
            break
        *_, broker, of = min(choices, key=lambda choice: choice[:3])
        done.add(broker)
    parts = [part for cluster in np.unique(of) for part in parts_of(problem, np.flatnonzero(of == cluster).tolist())]
    of = np.array([min(next(part for part in parts if member in part)) for member in range(len(problem))])
    return Folds(of, saved(problem, of), cost_of(problem, of))


def links_of(problem: Problem, member: int) -> set[tuple[int, int]]:
    words = problem.links[member].tolist()
    return {(at, bit) for at, word in enumerate(words) for bit in range(64) if word >> bit & 1}


def parts_of(problem: Problem, members: list[int]) -> list[list[int]]:
    """The members by who shares links, directly or by way of other members."""
    parts: list[list[int]] = []
    for member in members:
        mine = links_of(problem, member)
        sharing = [part for part in parts if any(mine & links_of(problem, other) for other in part)]
        joined = [member, *(other for part in sharing for other in part)]
        parts = [part for part in parts if part not in sharing] + [joined]
    return parts


def share_links(problem: Problem, of: np.ndarray) -> bool:
    """Whether the members of every cluster share links."""
    clusters = [np.flatnonzero(of == cluster).tolist() for cluster in np.unique(of)]
    return all(len(parts_of(problem, members)) == 1 for members in clusters)


def comes_by(problem: Problem, member: int, broker: int) -> bool:
    for towards in problem.towards.tolist():
        at = int(problem.home[member])
        while at != broker and towards[at] not in (at, NO_PATH):
            at = towards[at]
        if at == broker:
            return True
    return False


def folded(of: np.ndarray, members: list[int]) -> np.ndarray:
    clusters = {int(of[member]) for member in members}
    return np.array([min(clusters) if cluster in clusters else cluster for cluster in of.tolist()])


# Measures


def saved(problem: Problem, of: np.ndarray) -> int:
    """Entries that links are spared: each carries one for every cluster instead of one for every member."""
    told = [_links(problem, member) for member in range(len(problem))]
    return sum(map(len, told)) - len({(link, int(of[member])) for member, links in enumerate(told) for link in links})


def _links(problem: Problem, member: int) -> list[int]:
    return [
        64 * at + bit for at, word in enumerate(problem.links[member].tolist()) for bit in range(64) if word >> bit & 1
    ]


def similarity(problem: Problem, members: Sequence[int]) -> float:
    """The share of what some member covers that several cover."""
    cells = _cells(problem, members)
    whole = sum(size for _, size in cells)
    return 1 - sum(size for times, size in cells if times == 1) / whole if whole else 1.0


def cost_of(problem: Problem, of: np.ndarray) -> float:
    """What exactly one member of a cluster covers, times its delay, for all clusters."""
    clusters = [np.flatnonzero(of == cluster).tolist() for cluster in np.unique(of)]
    return float(sum(_unique(problem, members) * _delay(problem, members) for members in clusters if len(members) > 1))


def _unique(problem: Problem, members: Sequence[int]) -> float:
    return sum(size for times, size in _cells(problem, members) if times == 1)


def _cells(problem: Problem, members: Sequence[int]) -> list[tuple[int, float]]:
    """The cells between neighbouring bounds that members cover: how many do, and how large the cell is."""
    pieces = [
        list(zip(problem.low[piece].tolist(), problem.high[piece].tolist(), strict=True))
        for member in members
        for piece in range(problem.starts[member], problem.starts[member + 1])
    ]
    axes = range(problem.low.shape[1])
    cuts = [sorted({end for piece in pieces for end in piece[axis]}) for axis in axes]
    found = []
    for cell in product(*(pairwise(bounds) for bounds in cuts)):
        times = sum(all(low <= a < high for (a, _), (low, high) in zip(cell, piece, strict=True)) for piece in pieces)
        if times:
            found.append((times, float(np.prod([b - a for a, b in cell]))))
    return found


def _delay(problem: Problem, members: Sequence[int]) -> int:
    """Most hops from a member's subscriber to the first broker on the ways of all, to any publishers' broker."""
    most = 0
    for towards in problem.towards.tolist():
        ways = [way for member in members if (way := _way(towards, int(problem.home[member])))]
        shared = [broker for broker in ways[0] if all(broker in way for way in ways)] if ways else []
        most = max([most, *(min(way.index(broker) for broker in shared) for way in ways)])
    return 1 + most


def _way(towards: list[int], home: int) -> list[int]:
    """The brokers from one to the publishers' broker, none if no way leads there."""
    way = [home]
    while towards[way[-1]] != way[-1]:
        if towards[way[-1]] == NO_PATH:
            return []
        way.append(towards[way[-1]])
    return way
