"""Encoding of boxes as predicates, and of columns as codes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sparing.match.columns import Column
from sparing.match.predicates import LEAST, MOST, NO_SET, Predicates, Sets
from sparing.match.texts import TextLabels, bound_text
from sparing.model.box import Box
from sparing.model.constraint import Constraint, Range
from sparing.model.errors import SparingError
from sparing.model.types import FieldType, Kind


class Encoder:
    """The numbered fields of a topic, and the labels of the texts in bounds."""

    def __init__(self, fields: Mapping[str, FieldType]) -> None:
        self.fields = dict(fields)
        self.number = {name: number for number, name in enumerate(self.fields)}
        self.texts = {name: TextLabels() for name, type_ in self.fields.items() if type_.kind is Kind.TEXT}

    def learn(self, boxes: Iterable[Box], texts: Mapping[str, Iterable[str]] | None = None) -> bool:
        """Add labels for the texts in boxes and for `texts` by field; return False if existing labels changed."""
        found = {field: set(some) for field, some in (texts or {}).items()}
        for box in boxes:
            for field, constraint in box.constraints:
                if field not in self.fields:
                    raise SparingError(f"Field {field} does not exist: use one of {', '.join(self.fields)}.")
                if field in self.texts:
                    mine = found.setdefault(field, set())
                    for low, high in constraint.ranges:
                        if isinstance(low, str):
                            mine.add(bound_text(low))
                        if isinstance(high, str):
                            mine.add(bound_text(high))
        kept = [self.texts[field].add(some) for field, some in found.items()]
        return all(kept)

    def predicates(self, boxes: Sequence[Box | None]) -> Predicates:
        """Return the predicates of boxes whose texts have labels; None becomes a predicate that is never satisfied."""
        starts, field, set_ = [0], list[int](), list[int]()
        low, last = list[int](), list[int]()
        set_starts, set_low, set_last, set_missing = [0], list[int](), list[int](), list[bool]()
        for box in boxes:
            for name, constraint in _constraints(box, self.fields):
                closed = [self.closed(name, bounds) for bounds in constraint.ranges]
                field.append(self.number[name])
                low.append(closed[0][0] if closed else MOST)
                last.append(closed[-1][1] if closed else LEAST)
                if len(closed) == 1 and not constraint.missing:
                    set_.append(NO_SET)
                    continue
                set_.append(len(set_missing))
                set_low += [one[0] for one in closed]
                set_last += [one[1] for one in closed]
                set_starts.append(len(set_low))
                set_missing.append(constraint.missing)
            starts.append(len(field))
        codes = np.int64
        return Predicates(
            np.array(starts, codes), np.array(field, np.uint16), np.array(low, codes), np.array(last, codes),
            np.array(set_, np.int32),
            Sets(np.array(set_starts, codes), np.array(set_low, codes), np.array(set_last, codes),
                 np.array(set_missing, bool)),
        )  # fmt: skip

    def closed(self, field: str, bounds: Range) -> tuple[int, int]:
        """Return a half-open range of a field as a closed range of codes."""
        low, high = bounds
        if field in self.texts:
            texts = self.texts[field]
            return (
                LEAST if low is None else texts.low(str(low)),
                MOST if high is None else texts.last(str(high)),
            )
        return LEAST if low is None else int(low), MOST if high is None else int(high) - 1

    def relabeled(self, predicates: Predicates) -> Predicates:
        """Return predicates with old labels, translated to the current labels."""
        low, last = predicates.low.copy(), predicates.last.copy()
        set_low, set_last = predicates.sets.low.copy(), predicates.sets.last.copy()
        in_set = np.repeat(np.arange(len(predicates.sets)), np.diff(predicates.sets.starts))
        for name, texts in self.texts.items():
            at = np.flatnonzero(predicates.field == self.number[name])
            low[at], last[at] = texts.moved(low[at], last[at])
            mine = np.isin(in_set, predicates.set[at])
            set_low[mine], set_last[mine] = texts.moved(set_low[mine], set_last[mine])
            texts.settle()
        sets = Sets(predicates.sets.starts, set_low, set_last, predicates.sets.missing)
        return Predicates(predicates.starts, predicates.field, low, last, predicates.set, sets)

    def box(self, predicates: Predicates) -> Box | None:
        """Return the box of a single subscription; None if it is empty."""
        names = list(self.fields)
        constraints = {}
        for k in range(len(predicates.field)):
            name, which = names[predicates.field[k]], int(predicates.set[k])
            missing = False
            if which == NO_SET:
                closed = [(int(predicates.low[k]), int(predicates.last[k]))]
            else:
                sets = predicates.sets
                at = range(sets.starts[which], sets.starts[which + 1])
                closed = [(int(sets.low[i]), int(sets.last[i])) for i in at]
                missing = bool(sets.missing[which])
            half_open = [self._half_open(name, low, last) for low, last in closed if low <= last]
            clipped = [self.fields[name].clip(low, high) for low, high in half_open]
            constraints[name] = Constraint(tuple(bounds for bounds in clipped if bounds is not None), missing)
        return Box.of(constraints)

    def _half_open(self, field: str, low: int, last: int) -> Range:
        if field in self.texts:
            texts = self.texts[field]
            return None if low == LEAST else texts.text_of(low), None if last == MOST else texts.text_after(last)
        return None if low == LEAST else low, None if last == MOST else last + 1

    def codes(self, columns: Mapping[str, Column], used: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return codes and validity of a batch, [field, row]; unused fields are valid everywhere."""
        codes = np.zeros((len(self.fields), rows), dtype=np.int64)
        valid = np.ones((len(self.fields), rows), dtype=bool)
        for number, name in enumerate(self.fields):
            if used[number]:
                column = columns[name]
                codes[number] = self.texts[name].labels(column.text) if name in self.texts else column.codes()
                valid[number] = column.valid
        return codes, valid


_NOTHING = Constraint(())


def _constraints(box: Box | None, fields: Mapping[str, FieldType]) -> Iterable[tuple[str, Constraint]]:
    return [(next(iter(fields)), _NOTHING)] if box is None else box.constraints
