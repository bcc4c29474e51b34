"""`rank-tree`: the tree that gives the paper's numbers of RankCoverK. For this study only.

The paper forwards the first k levels of a covering poset, and prints that 19 levels hold all of 10,000 subscriptions.
By longest paths, as our `rank_cover` counts, there are about 80 levels, and by shortest paths 6. What it prints are
the levels of a *tree* in which every box has one parent: a new box goes down from the root, at each node below one of
the children that cover it, until no child does; those children there that it covers move below it.

Which of several covering children is taken decides how deep the tree gets. Tried were: the first or the last to come,
the narrowest or widest, the leftmost or rightmost, any by chance, the one with most or fewest children of its own, and
the order of a hash set, in which each box has its place by chance but always the same. Only the last one comes near all
printed numbers (`docs/studies.md`), so that is the one here.

The filter is right, since a box at depth k + 1 has k ancestors; but it forwards far more than longest paths ask for,
and what is forwarded depends on the order in which boxes came, so that it is not the same hop by hop and all at once.
"""

from __future__ import annotations

import numpy as np

from sparing.compiled import compiled
from sparing.workloads.randomness import seeded_rng
from sparing_lab.study.topk.world import RangeSubscriptions

NONE = -1


def rank_tree(made: RangeSubscriptions, seed: int) -> np.ndarray:
    """Return the depth of every range, 1 below the root; ranges are inserted in the order of their numbers."""
    places = seeded_rng(seed, "topk", "rank-tree").permutation(len(made))
    depths: np.ndarray = tree_depths(made.low, made.high, places)
    return depths


@compiled
def tree_depths(low: np.ndarray, high: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the depths; of several children that cover a range, the one with the least of `places` is chosen."""
    count = len(low)
    root = count
    child, following = np.full(count + 1, NONE), np.full(count, NONE)  # first child, next of the same parent
    for box in range(count):
        parent, below = root, root
        while below != NONE:
            parent, below = below, NONE
            other = child[parent]
            while other != NONE:
                covers = low[other] <= low[box] and high[box] <= high[other]
                if covers and (below == NONE or places[other] < places[below]):
                    below = other
                other = following[other]
        # What stays with the parent, and what moves below the new one.
        other, child[parent] = child[parent], box
        while other != NONE:
            after = following[other]
            owner = box if low[box] <= low[other] and high[other] <= high[box] else parent
            if owner == parent:
                following[other], following[box] = following[box], other
            else:
                following[other], child[box] = child[box], other
            other = after
    depth = np.zeros(count + 1, np.int64)
    ahead = np.empty(count + 1, np.int64)
    ahead[0], waiting = root, 1
    while waiting > 0:
        waiting -= 1
        parent = ahead[waiting]
        other = child[parent]
        while other != NONE:
            depth[other] = depth[parent] + 1
            ahead[waiting] = other
            waiting += 1
            other = following[other]
    return depth[:count]
