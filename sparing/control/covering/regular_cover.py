"""RegularCover: forward what no other box contains; of equal boxes, the first. Nothing about ranks."""

from __future__ import annotations

import numpy as np

from sparing.control.covering.ancestor_cover import ancestor_cover
from sparing.control.covering.boxes import CodedBoxes
from sparing.control.covering.standing import Standing


def regular_cover(boxes: CodedBoxes) -> np.ndarray:
    """Which boxes are forwarded."""
    return ancestor_cover(Standing.by_containment(boxes), 1)
