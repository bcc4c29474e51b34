"""The slides' example: three subscriptions on p - b2 - b1, s1 and s2 at b1, s3 at b2.

The ranges are not printed; these are the ones that all printed numbers of the example come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from sparing.control.folding.measures import cost_of, saved, similarity
from sparing.control.folding.problem import Problem

P, B2, B1 = range(3)
S1, S2, S3 = range(3)
PARENTS = (P, P, B2)
HOMES = (B1, B1, B2)
RANGES = ((0, 4), (3, 10), (4, 9))


def example() -> Problem:
    """Return the folding problem."""
    return Problem.on_tree(PARENTS, HOMES, RANGES)


def clusters(*members: Sequence[int]) -> np.ndarray:
    """Return subscription -> the lowest number in its cluster, given the clusters of several.

    >>> clusters((S2, S3)).tolist()
    [0, 1, 1]
    """
    of = np.arange(len(RANGES))
    for some in members:
        of[list(some)] = min(some)
    return of


def first_round() -> list[tuple[int, float]]:
    """Return benefit and cost of (s1, s2), (s1, s3) and (s2, s3)."""
    return [(benefit(pair), cost(pair)) for pair in combinations((S1, S2, S3), 2)]


def second_round() -> list[tuple[int, float]]:
    """Return benefit and incremental cost of (s1, s2) and (s1, s3), after joining s2 and s3."""
    more = cost((S1, S2, S3)) - cost((S2, S3))
    return [(benefit(pair), more) for pair in ((S1, S2), (S1, S3))]


def benefit(members: Sequence[int]) -> int:
    """Return the links that one cluster saves."""
    return int(saved(example(), clusters(members)))


def cost(members: Sequence[int]) -> float:
    """Return the cost of one cluster."""
    return float(cost_of(example(), clusters(members)))


def likeness() -> float:
    """Return the similarity of all three, in percent."""
    return 100 * float(similarity(example(), np.array([S1, S2, S3])))
