"""Checks of rows, each against its own box, such as the publisher's advertisement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sparing.match.columns import Column
from sparing.match.encode import Encoder
from sparing.match.kernels.arrays import EventColumns
from sparing.match.kernels.pairs import check_rows
from sparing.model.box import Box
from sparing.model.types import FieldType


class Boxes:
    """Immutable boxes by number."""

    def __init__(self, fields: Mapping[str, FieldType], boxes: Sequence[Box]) -> None:
        self._encoder = Encoder(fields)
        self._encoder.learn(boxes)
        self._predicates = self._encoder.predicates(boxes)
        self._used = np.bincount(self._predicates.field, minlength=len(fields)) > 0

    def admit(self, columns: Mapping[str, Column], box: np.ndarray) -> np.ndarray:
        """Return whether each row is in its box, given by number; true for number -1."""
        admitted = np.ones(len(box), dtype=bool)
        if self._used.any():
            codes, valid = self._encoder.codes(columns, self._used, len(box))
            check_rows(EventColumns(codes, valid, True), box, self._predicates.ranges, admitted)
        return admitted
