"""Entangled links: links that cannot be marked independently of others, by connected component.

A link with eta >= 0 that requires no link with eta < 0 is an s-link in the largest optimal marking. A link with eta < 0
that no link with eta >= 0 requires is a p-link in every optimal marking. The remaining links are entangled: the paper's
"links that are entangled with the violation of the monotonicity property" (matchmaker.txt, section 5). They are decided
together with the links that requirements connect them to.
"""

from __future__ import annotations

import numpy as np

from sparing.control.matchmaker.kernels import numbered_components, reachable
from sparing.graphs.adjacency import adjacency

FREE = -1  # component of a link that is not entangled: its own eta decides


def entangled(eta: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Link -> number of its entangled component, or FREE: then it is an s-link if eta >= 0.

    before[i] requires after[i]; across trees, requirements may form cycles. Components are numbered in the order of
    their lowest links.

    >>> entangled(np.array([2, -1, 5, -3]), np.array([0, 3]), np.array([1, 2])).tolist()
    [0, 0, -1, -1]
    """
    gains = eta >= 0
    before, after = before.astype(np.int64, copy=False), after.astype(np.int64, copy=False)
    crossed = bool((gains[before] & ~gains[after]).any())
    if not crossed:  # otherwise some gain requires a loss directly
        return np.full(len(eta), FREE)
    below = reachable(gains, *adjacency(before, after, len(eta)))
    above = reachable(~gains, *adjacency(after, before, len(eta)))
    found: np.ndarray = numbered_components(np.where(gains, above, below), before, after)
    return found
