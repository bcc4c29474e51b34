"""Problems of folding, made up from a seed."""

from __future__ import annotations

import numpy as np

from sparing.control.folding.problem import Problem
from sparing.workloads.randomness import seeded_rng
from sparing_lab.bench.fold.benchmark import WIDE, Fold, FoldCase

SPAN = 400.0
SIZES = (20.0, 50.0)  # of wide ranges, in every dimension: those of the slides' experiments
DEPTH = 10  # how many thin ranges lie over a point, whatever their number


def made_up(settings: Fold, case: FoldCase, number: int = 0) -> Problem:
    """Return a random tree with subscribers at any brokers, the same for the same settings, case and number."""
    rng = seeded_rng(settings.seed, "fold", str(case), number)
    parents = [0] + [int(rng.integers(0, broker)) for broker in range(1, settings.brokers)]
    homes = rng.integers(0, settings.brokers, case.subscriptions)
    shape = case.subscriptions, case.dimensions
    if case.ranges == WIDE:
        size = rng.uniform(*SIZES, shape)
    else:
        size = rng.uniform(0.5, 1.5, shape) * SPAN * min(DEPTH / case.subscriptions, 1) ** (1 / case.dimensions)
    low = rng.uniform(0, 1, shape) * np.maximum(SPAN - size, 0)
    bounds = np.stack([low, low + size], axis=2).reshape(case.subscriptions, -1)
    return Problem.on_tree(parents, homes.tolist(), bounds.tolist())
