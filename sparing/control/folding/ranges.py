"""Ranges: the boxes of subscriptions as boxes of numbers, so that they have a measure.

Every field that some box constrains is a dimension, an axis of finite length:

- Integers, decimals, dates and timestamps are counted; floating point numbers are measured by length, as in
  `model/measure.py`. The axis extends from the lowest to the highest bound of all boxes.
- If a subscription has an open end, or does not constrain the field, the axis is extended beyond the last bound by the
  distance of the outermost bounds (by 1 with a single bound), and the open end extends to its end. So `SELECT *` admits
  more than `x < 5`. The axis never exceeds the type's values or the advertised ranges.
- Texts and booleans have no length. Each interval between neighbouring bounds, before the first and after the last has
  length 1, as has a single text. This axis is never extended.
- A field without any bound has length 1. A missing value has no extent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import copysign, inf, nextafter, ulp

import numpy as np

from sparing.model.box import Box
from sparing.model.constraint import ANYTHING, Constraint, Range
from sparing.model.measure import ROOM
from sparing.model.types import NAN_CODE, Code, FieldType, Kind, code_float

MOST_PIECES = 64
EXACT = 2**53  # doubles hold all whole numbers up to here


@dataclass(frozen=True, eq=False)
class RangePieces:
    """Subscription i has the pieces `starts[i]` to `starts[i + 1]`, which do not overlap each other.

    A piece is half open: `low[p] <= x < high[p]` in each dimension. A box without extent is one piece that is empty
    in some dimension.
    """

    starts: np.ndarray  # subscription -> its first piece, and one more entry
    low: np.ndarray  # [piece, dimension]
    high: np.ndarray  # [piece, dimension]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def volumes(self) -> np.ndarray:
        """Return the volume of each subscription."""
        found: np.ndarray = np.add.reduceat(np.prod(self.high - self.low, axis=1), self.starts[:-1])
        return found


def pieces_of(
    boxes: Sequence[Box], types: Mapping[str, FieldType], within: Sequence[Box] = (), whole: bool = False
) -> RangePieces:
    """Return the pieces of subscriptions to one topic within the advertised boxes (`within`; none: no limits).

    With `whole`, the pieces of advertisements follow; their open ends do not extend an axis.

    Dimensions are in the order of field names. A box with several ranges in some fields has a piece for each
    combination. Beyond 64 pieces, the first field with the most ranges counts as one range from its lowest to its
    highest value, until there are at most 64 pieces: such a box is measured too wide.

    >>> from sparing.model.constraint import between
    >>> from sparing.model.types import DOUBLE
    >>> closed = [(0.0, 4.0), (3.0, 10.0), (4.0, 9.0)]
    >>> bounds = [(DOUBLE.code(low), DOUBLE.code(high) + 1) for low, high in closed]
    >>> pieces_of([Box.of({"x": between(DOUBLE, *ends)}) for ends in bounds], {"x": DOUBLE}).volumes().tolist()
    [4.0, 7.0, 5.0]
    """
    numbers: dict[str, dict[Constraint, int]] = {}
    rows: dict[str, list[int]] = {}
    whose: dict[str, list[int]] = {}
    measured = [*boxes, *within] if whole else boxes
    for row, box in enumerate(measured):
        for field, constraint in box.constraints:
            known = numbers.setdefault(field, {ANYTHING: 0})
            rows.setdefault(field, []).append(row)
            whose.setdefault(field, []).append(known.setdefault(constraint, len(known)))
    if not numbers:
        return RangePieces(np.arange(len(measured) + 1), np.zeros((len(measured), 1)), np.ones((len(measured), 1)))
    names = sorted(numbers)
    which = np.zeros((len(measured), len(names)), dtype=np.int64)
    for column, field in enumerate(names):
        which[rows[field], column] = whose[field]
    axes = []
    for column, field in enumerate(names):
        subscribed = np.zeros(len(numbers[field]), dtype=bool)
        subscribed[which[: len(boxes), column]] = True
        axes.append(_axis(list(numbers[field]), types[field], {box.on(field) for box in within}, subscribed))
    return _product(which, axes)


@dataclass(frozen=True, eq=False)
class _Axis:
    """The constraints on one field as intervals: constraint i has the intervals `starts[i]` to `starts[i + 1]`."""

    starts: np.ndarray
    low: np.ndarray
    high: np.ndarray


def _product(which: np.ndarray, axes: list[_Axis]) -> RangePieces:
    """Return the pieces of boxes, given the number of the constraint of every [box, field]."""
    first = np.stack([axis.starts[:-1][mine] for axis, mine in zip(axes, which.T, strict=True)], axis=1)
    last = np.stack([axis.starts[1:][mine] - 1 for axis, mine in zip(axes, which.T, strict=True)], axis=1)
    count = last - first + 1
    for column, axis in enumerate(axes):  # a box that is empty in one field is one empty piece
        count[axis.low[first[:, column]] == axis.high[first[:, column]]] = 1
    while True:
        wide = np.flatnonzero(np.prod(count.astype(np.float64), axis=1) > MOST_PIECES)
        if not len(wide):
            break
        count[wide, np.argmax(count[wide], axis=1)] = 1
    pieces = np.prod(count, axis=1)
    starts = np.append(0, np.cumsum(pieces))
    box = np.repeat(np.arange(len(which)), pieces)
    choice = np.arange(starts[-1]) - starts[box]
    low, high = np.empty((2, len(box), len(axes)))
    for column, axis in enumerate(axes):
        choice, interval = np.divmod(choice, count[box, column])
        hull = count[box, column] == 1
        at = first[box, column] + interval
        low[:, column] = axis.low[at]
        high[:, column] = axis.high[np.where(hull, last[box, column], at)]
    return RangePieces(starts, low, high)


def _axis(
    constraints: list[Constraint], type_: FieldType, advertised: Iterable[Constraint], subscribed: np.ndarray
) -> _Axis:
    """Return the axis of a field; `subscribed` is whether a subscription has each constraint.

    The first constraint is ANYTHING.
    """
    limits = [constraint for constraint in advertised if constraint.ranges]
    ranges = [*_ranges(constraints), *_ranges(limits)]
    low, high, room = (
        _counted_places(ranges) if type_.kind in (Kind.TEXT, Kind.BOOLEAN) else _numeric_places(ranges, type_)
    )
    counts = np.array([len(constraint.ranges) for constraint in constraints])
    own = int(counts.sum())
    start, end = _span(low, high, np.flatnonzero(np.repeat(subscribed, counts)), room)
    if limits:
        start, end = np.clip((low[own:].min(), high[own:].max()), start, end).tolist()
    if start == end:
        end = start + _least(start)
    return _merged_intervals(counts, np.clip(low[:own], start, end), np.clip(high[:own], start, end), start)


def _ranges(constraints: Iterable[Constraint]) -> Iterable[Range]:
    return chain.from_iterable(constraint.ranges for constraint in constraints)


def _span(low: np.ndarray, high: np.ndarray, subscribed: np.ndarray, room: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an axis before the limits of advertisements; `subscribed` are ranges of subscriptions.

    If one of them is open, the axis is extended by the distance of the outermost bounds.
    """
    ends = np.concatenate((low, high))
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return 0.0, 1.0
    start, end = float(ends.min()), float(ends.max())
    more = end - start or _least(end)
    subscribed = subscribed[low[subscribed] < high[subscribed]]  # ranges beyond ROOM have no extent
    if (low[subscribed] == -inf).any():
        start = max(start - more, room[0])
    if (high[subscribed] == inf).any():
        end = min(end + more, room[1])
    return start, end


def _least(at: float) -> float:
    """Return the least length of an axis: 1, or the distance of neighbouring doubles of that size."""
    return max(1.0, ulp(at))


def _counted_places(ranges: list[Range]) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Return the ranges of texts or booleans, with a distance of 1 between neighbouring bounds and ends."""
    bounds = sorted({code for ends in ranges for code in ends if code is not None}, key=_itself)
    place: dict[Code | None, float] = {code: at + 1.0 for at, code in enumerate(bounds)}
    low = np.array([0.0 if code is None else place[code] for code, _ in ranges])
    high = np.array([len(bounds) + 1.0 if code is None else place[code] for _, code in ranges])
    return low, high, (0.0, len(bounds) + 1.0)


def _itself(code: Code) -> Code:
    return code


def _numeric_places(ranges: list[Range], type_: FieldType) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    """Return the ranges of numbers (open ends are infinite), and the least and the greatest place."""
    lows, highs = [code for code, _ in ranges], [code for _, code in ranges]
    bounds = {code for code in chain(lows, highs) if isinstance(code, int)}
    if type_.kind is Kind.FLOATING:
        place = {code: _rounder(code, type_) for code in bounds}
        room = (-ROOM, ROOM)
    else:
        origin = min(bounds) if bounds and max(map(abs, bounds)) > EXACT else 0
        place = {code: float(code - origin) for code in bounds}
        room = (float(type_.low - origin), float(type_.high + 1 - origin))
    low = np.array([place[code] if isinstance(code, int) else -inf for code in lows])
    high = np.array([place[code] if isinstance(code, int) else inf for code in highs])
    return low, high, room


def _rounder(code: int, type_: FieldType) -> float:
    """Return a bound, or the number just below if that is shorter: 4 for `<= 4`, whose range ends after it."""
    if code >= NAN_CODE:
        return inf
    bound = code_float(code)
    if type_.name == "float":
        with np.errstate(over="ignore"):
            below = float(np.nextafter(np.float32(bound), np.float32(-inf)))
    else:
        below = nextafter(bound, -inf)
    if len(repr(below)) < len(repr(bound)):
        bound = below
    return copysign(inf, bound) if abs(bound) > ROOM else bound + 0.0


def _merged_intervals(counts: np.ndarray, low: np.ndarray, high: np.ndarray, nowhere: float) -> _Axis:
    """Return intervals with touching ones merged, and without empty ones unless a constraint has no other.

    A constraint without any interval gets an empty one.
    """
    of = np.repeat(np.arange(len(counts)), counts)
    apart = np.ones(len(of), dtype=bool)
    apart[1:] = (of[1:] != of[:-1]) | (low[1:] > high[:-1])
    heads = np.flatnonzero(apart)
    of, low, high = of[heads], low[heads], high[np.append(heads[1:], len(high)) - 1] if len(heads) else high
    some = np.bincount(of[low < high], minlength=len(counts)) > 0
    head = np.ones(len(of), dtype=bool)
    head[1:] = of[1:] != of[:-1]
    keep = np.where(some[of], low < high, head)
    of, low, high = of[keep], low[keep], high[keep]
    without = np.flatnonzero(np.bincount(of, minlength=len(counts)) == 0)
    before = np.searchsorted(of, without)
    of = np.insert(of, before, without)
    low, high = np.insert(low, before, nowhere), np.insert(high, before, nowhere)
    return _Axis(np.append(0, np.cumsum(np.bincount(of, minlength=len(counts)))), low, high)
