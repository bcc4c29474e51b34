"""SPA, similarity-pair aggregation: a baseline for MEFA that uses only ranges."""

from __future__ import annotations

from sparing.control.folding.joining import Joining
from sparing.control.folding.kernels.greedy import SIMILAR
from sparing.control.folding.problem import Folds, Problem


def spa(problem: Problem, theta: float, similarity: float = 0.0, *, neighbours: int | None = None) -> Folds:
    """Join the two clusters with the most similar union, until the benefit is theta or none is above `similarity`.

    Ties go to the larger benefit, then to lower numbers. Candidates are those of `mefa`.

    >>> spa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=1)
    Folds(of=array([0, 1, 1]), benefit=1, cost=4.0)
    """
    return Joining(problem, None, neighbours).join(SIMILAR, theta, similarity).folds()
