"""MEFA, the Most-Efficient-First Algorithm, for many subscriptions.

As printed (`literal`), all pairs of clusters are worked out in every round. Here candidates are neighbours in the order
of ranges on some link (`candidates`), and wait in a heap; after a join only the pairs of the new cluster are worked out
again (`kernels.greedy`). With all pairs as candidates, and few of them, the clusters are the same.

Source: slides "Most-Efficient-First Algorithm (MEFA)"; benefit counts links on which an entry is really saved.
"""

from __future__ import annotations

import numpy as np

from sparing.control.folding.joining import Joining
from sparing.control.folding.kernels.greedy import EFFICIENT, LOWERING
from sparing.control.folding.problem import Folds, Problem


def mefa(
    problem: Problem,
    theta: float,
    delta: float = 0.0,
    first: np.ndarray | None = None,
    *,
    neighbours: int | None = None,
) -> Folds:
    """Join clusters, the largest benefit for an incremental cost first, until the benefit is theta or no ratio > delta.

    Pairs that cost nothing come first; ties go to the larger benefit, then to lower numbers. After that, whatever
    lowers the cost is joined. `first` says for every subscription the lowest number in the cluster it starts in.

    With delta 0, a theta that is possible at all is reached, in one dimension. In several, a cluster that has been
    cut to more than MOST_PIECES boxes is joined no further. `neighbours` is for tests.

    >>> mefa(Problem.on_tree([0, 0, 1], [2, 2, 1], [(0, 4), (3, 10), (4, 9)]), theta=3)
    Folds(of=array([0, 0, 0]), benefit=3, cost=8.0)
    """
    joining = Joining(problem, first, neighbours)
    joining.join(EFFICIENT, theta, delta)
    joining.join(LOWERING, np.inf, 0.0)
    return joining.folds()
