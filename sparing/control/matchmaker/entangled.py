"""Which links cannot decide for themselves, and with which others they have to.

A link that saves something as an s-link (or costs no more) and does not require any link that would cost more is an
s-link in the largest of the best markings. A link that would cost more and that no link of the first kind requires is a
p-link in all of them. Only what is left has to be decided together, and only where requirements connect it: the paper's
"links that are entangled with the violation of the monotonicity property" (matchmaker.txt, section 5).
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.kernels import numbered, reached
from sparing.graphs.adjacency import adjacency

FREE = -1  # in place of a component: the link's own eta decides


def entangled(eta: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Link -> the number of its entangled component, or FREE: then it is an s-link if eta is not below zero.

    before[i] requires after[i]; requirements may lead round in circles, from tree to tree. Components are numbered in
    the order of their lowest links.

    >>> entangled(np.array([2, -1, 5, -3]), np.array([0, 3]), np.array([1, 2])).tolist()
    [0, 0, -1, -1]
    """
    gains = eta >= 0
    before, after = before.astype(np.int64, copy=False), after.astype(np.int64, copy=False)
    crossed = bool((gains[before] & ~gains[after]).any())
    if not crossed:  # otherwise some gain requires a loss directly
        return np.full(len(eta), FREE)
    below = reached(gains, *adjacency(before, after, len(eta)))
    above = reached(~gains, *adjacency(after, before, len(eta)))
    found: np.ndarray = numbered(np.where(gains, above, below), before, after)
    return found
