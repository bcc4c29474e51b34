"""SPA and AA as the slides describe them, on plain measures, and which subscriptions share links."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from sparing.control.folding.measures import cost_of, saved, similarity
from sparing.control.folding.problem import NO_WAY, Folds, Problem


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
            members = [m for m in range(len(problem)) if problem.told[m].any() and comes_by(problem, m, broker)]
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
    words = problem.told[member].tolist()
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
        while at != broker and towards[at] not in (at, NO_WAY):
            at = towards[at]
        if at == broker:
            return True
    return False


def folded(of: np.ndarray, members: list[int]) -> np.ndarray:
    clusters = {int(of[member]) for member in members}
    return np.array([min(clusters) if cluster in clusters else cluster for cluster in of.tolist()])
