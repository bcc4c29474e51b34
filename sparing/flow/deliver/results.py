"""Results of many windows at a time.

Windows with the same function of the same field are computed together in compiled loops. The texts equal those of the
function itself, window by window. Results that a loop cannot guarantee (such as a sum beyond 64 bits), and functions
without a loop, are computed by the function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.json_columns import NO_VALUE, decimals, doubles, objects, values, wholes
from sparing.flow.deliver.kernels import windows as kernels
from sparing.flow.deliver.payload import json_value
from sparing.match.columns import Column
from sparing.model.functions import Avg, Count, Extreme, Function, Sum, Variance
from sparing.model.subscription import Aggregation, Output
from sparing.model.types import FieldType, Kind

_Call = tuple[Function, str | None]  # a function of a field


def window_payloads(
    aggregations: Sequence[Aggregation | None],
    of: np.ndarray,
    columns: Mapping[str, Column],
    starts: np.ndarray,
    rows: np.ndarray,
) -> list[str]:
    """Return the payload of each window w: aggregation of[w] over the publications rows[starts[w] : starts[w + 1]].

    Giving equal aggregations one number saves time.
    """
    if not len(of):
        return []
    starts, rows = np.asarray(starts, dtype=np.int64), np.asarray(rows, dtype=np.int64)
    shapes, shape_of = _shapes(aggregations, of)
    order = np.argsort(shape_of, kind="stable")
    windows = np.split(order, np.cumsum(np.bincount(shape_of))[:-1])
    calls: dict[_Call, dict[int, None]] = {}  # the shapes that contain each call
    for shape, outputs in enumerate(shapes):
        for output in outputs:
            calls.setdefault((output.function, output.field), {})[shape] = None
    texts: list[dict[_Call, list[str]]] = [{} for _ in shapes]
    for call, callers in calls.items():
        function, field = call
        numbers = np.concatenate([windows[shape] for shape in callers])
        results = _texts(function, _Windows(None if field is None else columns[field], starts, rows, numbers))
        first = 0
        for shape in callers:
            texts[shape][call] = results[first : first + len(windows[shape])]
            first += len(windows[shape])
    payloads: list[str] = []
    for outputs, numbers, results_of in zip(shapes, windows, texts, strict=True):
        names = [output.name for output in outputs]
        payloads += objects(names, len(numbers), [results_of[output.function, output.field] for output in outputs])
    if len(shapes) == 1:
        return payloads
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return [payloads[at] for at in place.tolist()]


def _shapes(aggregations: Sequence[Aggregation | None], of: np.ndarray) -> tuple[list[tuple[Output, ...]], np.ndarray]:
    """Return the distinct lists of outputs (shapes), and the shape of each window."""
    numbers, at = np.unique(of, return_inverse=True)
    shapes: dict[tuple[Output, ...], int] = {}
    shape_of = np.empty(len(numbers), dtype=np.int64)
    for n, number in enumerate(numbers.tolist()):
        aggregation = aggregations[number]
        assert aggregation is not None
        shape_of[n] = shapes.setdefault(aggregation.outputs, len(shapes))
    return list(shapes), shape_of[at]


@dataclass(frozen=True, slots=True)
class _Windows:
    """The windows of one function call, and the column of its argument (None: it counts rows)."""

    column: Column | None
    starts: np.ndarray
    rows: np.ndarray
    numbers: np.ndarray

    def compiles(self, type_: FieldType) -> bool:
        """Return whether a compiled loop can take the values, of a given type."""
        expected = np.float64 if type_.kind is Kind.FLOATING else np.int64
        return self.column is not None and type_.kind is not Kind.TEXT and self.column.values.dtype == expected

    @property
    def validity(self) -> tuple[np.ndarray, ...]:
        """The arguments of a compiled loop that counts values."""
        assert self.column is not None
        return self.column.valid, self.starts, self.rows, self.numbers

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """The arguments of a compiled loop that computes with values."""
        assert self.column is not None
        return self.column.values, *self.validity

    def compute(self, function: Function, at: int) -> str:
        """Return the text of one window's result, computed by the function itself."""
        window = self.numbers[at]
        rows = self.rows[self.starts[window] : self.starts[window + 1]]
        values = rows[:0] if self.column is None else self.column.there(rows)
        result = function.finish(function.lift(values, len(rows)))
        return NO_VALUE if result is None else json_value(result)


def _texts(function: Function, windows: _Windows) -> list[str]:
    """Return the text of each window's result."""
    match function:
        case Count(rows=True):
            return wholes(np.diff(windows.starts)[windows.numbers])
        case Count() if windows.column is not None:
            return wholes(kernels.count_values(*windows.validity))
        case Sum(type=type_) | Avg(type=type_) if windows.compiles(type_):
            return _sums(function, type_, windows)
        case Variance(type=type_) if windows.compiles(type_):
            return _variances(function, windows)
        case Extreme(type=type_) if windows.compiles(type_):
            found, states = kernels.extremes(*windows.values, function.largest)
            return _checked(function, windows, values(type_, found), states)
        case Extreme(type=type_) if type_.kind is Kind.TEXT and windows.column is not None:
            return _extreme_texts(function, windows)
        case _:
            return [windows.compute(function, at) for at in range(len(windows.numbers))]


def _sums(function: Sum | Avg, type_: FieldType, windows: _Windows) -> list[str]:
    mean = isinstance(function, Avg)
    if type_.kind is Kind.FLOATING:
        sums, counts, states = kernels.sum_doubles(*windows.values)
        return _checked(function, windows, doubles(sums / np.maximum(counts, 1) if mean else sums), states)
    sums, counts, states = kernels.sum_wholes(*windows.values)
    if not mean:
        texts = values(type_, sums)
    elif type_.kind is Kind.DECIMAL:
        digits, fits = _decimal_means(sums, np.maximum(counts, 1))
        states[(states == kernels.GIVEN) & ~fits] = kernels.UNUSUAL
        texts = decimals(digits, type_.scale + 4)
    else:
        texts = doubles(sums / np.maximum(counts, 1))
    return _checked(function, windows, texts, states)


def _decimal_means(sums: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the means with four more decimals, halves rounded away from zero, and whether they are exact."""
    size = np.abs(sums)  # the least int64 has no opposite, and stays negative
    whole, rest = np.divmod(size, counts)
    digits = whole * 10_000 + (20_000 * rest + counts) // (2 * counts)
    fits = (size >= 0) & (whole < 9 * 10**14) & ((digits != 0) | (sums == 0))  # a Decimal can be -0, int64 cannot
    return np.where(sums < 0, -digits, digits), fits


def _variances(function: Variance, windows: _Windows) -> list[str]:
    most = kernels.MOST_SQUARED if function.type.kind is Kind.FLOATING else kernels.MOST_WHOLE
    exact = 10 ** (2 * function.type.scale)
    unit = float(exact)
    found, states = kernels.variances(*windows.values, function.sample, most, unit, float(exact - int(unit)))
    with np.errstate(invalid="ignore"):  # results marked UNUSUAL may be negative
        results = np.sqrt(found) if function.root else found
    return _checked(function, windows, doubles(results), states)


def _extreme_texts(function: Extreme, windows: _Windows) -> list[str]:
    """Return the least or greatest text of each window, by the ranks of the distinct texts."""
    column = windows.column
    assert column is not None
    used = np.zeros(len(column), dtype=bool)
    used[windows.rows] = True
    encoded = column.text.filter(pa.array(used)).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    in_order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.zeros(len(texts) + 1, dtype=np.int64)
    place[in_order] = np.arange(len(texts))
    places = np.zeros(len(column), dtype=np.int64)
    places[used] = place[encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)]
    found, states = kernels.extremes(places, *windows.validity, function.largest)
    written = [json_value(texts[at]) for at in in_order] or [NO_VALUE]
    return _checked(function, windows, [written[at] for at in found.tolist()], states)


def _checked(function: Function, windows: _Windows, texts: list[str], states: np.ndarray) -> list[str]:
    """Return the texts; missing and unusual results are replaced."""
    for at in np.flatnonzero(states).tolist():
        texts[at] = NO_VALUE if states[at] == kernels.MISSING else windows.compute(function, at)
    return texts
