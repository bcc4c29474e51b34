"""Rows held each against a box of its own, as advertisements are."""

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
    """Boxes by number; nothing changes by use."""

    def __init__(self, fields: Mapping[str, FieldType], boxes: Sequence[Box]) -> None:
        self._encoder = Encoder(fields)
        self._encoder.learn(boxes)
        self._predicates = self._encoder.predicates(boxes)
        self._used = np.bincount(self._predicates.field, minlength=len(fields)) > 0

    def admit(self, columns: Mapping[str, Column], box: np.ndarray) -> np.ndarray:
        """Whether each row lies in the box with the number that is given for it; rows with number -1 do."""
        admitted = np.ones(len(box), dtype=bool)
        if self._used.any():
            codes, valid = self._encoder.codes(columns, self._used, len(box))
            check_rows(EventColumns(codes, valid, True), box, self._predicates.ranges, admitted)
        return admitted
