"""RegularCover: forward what no other box contains; of equal boxes, the first. Nothing about ranks."""

from __future__ import annotations

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.ranked_boxes import RankedBoxes


def regular_cover(standing: RankedBoxes, k: int) -> np.ndarray:  # noqa: ARG001
    """Which boxes are forwarded, whatever their ranks and k are."""
    return ancestor_cover(RankedBoxes.by_containment(standing.boxes), 1)
