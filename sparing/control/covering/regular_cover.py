"""RegularCover: forward the boxes that no other box contains; of equal boxes, the first. Ranks are ignored."""

from __future__ import annotations

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.ranked_boxes import RankedBoxes


def regular_cover(ranked: RankedBoxes, k: int) -> np.ndarray:  # noqa: ARG001
    """Return whether each box is forwarded."""
    return ancestor_cover(RankedBoxes.by_containment(ranked.boxes), 1)
