"""Results of many windows at a time, as columns.

Windows with the same functions are computed together in compiled loops. The results equal those of the functions
themselves, window by window. Results that a loop cannot guarantee (such as a sum beyond 64 bits), and functions
without a loop, are computed by the function itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sparing.flow.deliver.json_columns import widened
from sparing.flow.deliver.kernels import windows as kernels
from sparing.flow.deliver.nested import AnyColumn, Lists, Objects, Results
from sparing.flow.deliver.notifications import Payloads
from sparing.match.columns import Column
from sparing.model.functions import Avg, Count, Extreme, Function, Result, Sum, Variance
from sparing.model.sketches import ApproxPercentile
from sparing.model.subscription import Aggregation, Columns, Output
from sparing.model.types import BIGINT, DOUBLE, FLOAT, STRING, FieldType, Kind

_Shape = tuple[tuple[Output, ...], Columns]  # the outputs of an aggregation, and the columns of a digest


def window_payloads(
    aggregations: Sequence[Aggregation | None],
    of: np.ndarray,
    columns: Mapping[str, Column],
    first: np.ndarray,
    last: np.ndarray,
    rows: np.ndarray,
) -> Payloads:
    """Return the payload of each window w: aggregation of[w] over the publications rows[first[w] : last[w]].

    Windows may share rows, and be in any order. Giving equal aggregations one number saves time.
    """
    first, last, rows = (np.asarray(numbers, dtype=np.int64) for numbers in (first, last, rows))
    parts = []
    for (outputs, events), numbers in _by_shape(aggregations, of):
        ranges = first[numbers], last[numbers], rows
        named: list[tuple[str, AnyColumn]] = []
        for output in outputs:
            windows = _Windows(None if output.field is None else columns[output.field], *ranges)
            named += [(output.name, column) for column in _results(output.function, windows)]
        if events:
            named.append(("events", _events({name: columns[field] for name, field in events}, *ranges)))
        valid = np.ones(len(numbers), dtype=bool)
        parts.append((numbers, Objects([name for name, _ in named], [column for _, column in named], valid)))
    return Payloads(parts)


def results_of(function: Function, results: Sequence[Result]) -> Lists | Results:
    """Return results that the function itself computed as a column."""
    single = isinstance(function, Extreme | ApproxPercentile) and function.type.name == FLOAT.name
    if not any(isinstance(result, tuple) for result in results):
        return Results(results, single)
    elements = [result if isinstance(result, tuple) else () for result in results]
    ends = np.cumsum([0, *map(len, elements)])
    values = Results([value for some in elements for value in some], single)
    valid = np.array([result is not None for result in results])
    return Lists(values, np.arange(len(values)), ends[:-1], ends[1:], valid)


def _events(columns: Mapping[str, Column], first: np.ndarray, last: np.ndarray, rows: np.ndarray) -> Lists:
    """Return the publications of each window as a list of objects."""
    inside = _inside(first, last, len(rows))
    used, place = np.unique(rows[inside], return_inverse=True)
    places = np.zeros(len(rows), dtype=np.int64)
    places[inside] = place
    return Lists(Objects.of(columns, used), places, first, last, np.ones(len(first), dtype=bool))


def _inside(first: np.ndarray, last: np.ndarray, size: int) -> np.ndarray:
    """Return whether each of `size` places is in a range."""
    begun, over = (np.cumsum(np.bincount(ends, minlength=size + 1))[:-1] for ends in (first, last))
    inside: np.ndarray = begun > over
    return inside


def _by_shape(aggregations: Sequence[Aggregation | None], of: np.ndarray) -> list[tuple[_Shape, np.ndarray]]:
    """Return the distinct shapes, each with the numbers of its windows."""
    shapes: dict[_Shape, int] = {}
    numbers = [-1 if a is None else shapes.setdefault((a.outputs, a.events), len(shapes)) for a in aggregations]
    shape_of = np.array(numbers, dtype=np.int64)[np.asarray(of, dtype=np.int64)]
    order = np.argsort(shape_of, kind="stable")
    windows = np.split(order, np.searchsorted(shape_of[order], np.arange(1, len(shapes))))
    return [(shape, some) for shape, some in zip(shapes, windows, strict=False) if len(some)]


@dataclass(frozen=True, slots=True)
class _Windows:
    """The windows of one function call, and the column of its argument (None: it counts rows)."""

    column: Column | None
    first: np.ndarray
    last: np.ndarray
    rows: np.ndarray

    def compiles(self, type_: FieldType) -> bool:
        """Return whether a compiled loop can take the values, of a given type."""
        expected = np.float64 if type_.kind is Kind.FLOATING else np.int64
        return self.column is not None and type_.kind is not Kind.TEXT and self.column.values.dtype == expected

    @property
    def validity(self) -> tuple[np.ndarray, ...]:
        """The arguments of a compiled loop that counts values."""
        assert self.column is not None
        return self.column.valid, self.first, self.last, self.rows

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        """The arguments of a compiled loop that computes with values."""
        assert self.column is not None
        return self.column.values, *self.validity

    def compute(self, function: Function, at: int) -> Result:
        """Return one window's result, computed by the function itself."""
        rows = self.rows[self.first[at] : self.last[at]]
        values = rows[:0] if self.column is None else self.column.there(rows)
        return function.finish(function.lift(values, len(rows)))


def _results(function: Function, windows: _Windows) -> list[AnyColumn]:
    """Return each window's result, in one of several columns."""
    size = len(windows.first)
    match function:
        case Count(rows=True):
            return [Column(BIGINT, windows.last - windows.first, np.ones(size, dtype=bool))]
        case Count() if windows.column is not None:
            return [Column(BIGINT, kernels.count_values(*windows.validity), np.ones(size, dtype=bool))]
        case Sum(type=type_) | Avg(type=type_) if windows.compiles(type_):
            return _sums(function, type_, windows)
        case Variance(type=type_) if windows.compiles(type_):
            return _variances(function, windows)
        case Extreme(type=type_) if windows.compiles(type_):
            found, states = kernels.extremes(*windows.values, function.largest)
            if type_.kind is Kind.FLOATING:
                found = found + 0.0  # -0.0 becomes 0.0
            return [Column(widened(type_), found, states == kernels.GIVEN)]
        case Extreme(type=type_) if type_.kind is Kind.TEXT and windows.column is not None:
            return _extreme_texts(function, windows)
        case _:
            return [results_of(function, [windows.compute(function, at) for at in range(size)])]


def _sums(function: Sum | Avg, type_: FieldType, windows: _Windows) -> list[AnyColumn]:
    mean = isinstance(function, Avg)
    if type_.kind is Kind.FLOATING:
        sums, counts, states = kernels.sum_doubles(*windows.values)
        return _checked(function, windows, DOUBLE, sums / np.maximum(counts, 1) if mean else sums, states)
    sums, counts, states = kernels.sum_wholes(*windows.values)
    if not mean:
        return _checked(function, windows, type_, sums, states)
    if type_.kind is not Kind.DECIMAL:
        return _checked(function, windows, DOUBLE, sums / np.maximum(counts, 1), states)
    digits, fits = _decimal_means(sums, np.maximum(counts, 1))
    states[(states == kernels.GIVEN) & ~fits] = kernels.UNUSUAL
    return _checked(function, windows, replace(type_, scale=type_.scale + 4), digits, states)


def _decimal_means(sums: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the means with four more decimals, halves rounded away from zero, and whether they are exact."""
    size = np.abs(sums)  # the least int64 has no opposite, and stays negative
    whole, rest = np.divmod(size, counts)
    digits = whole * 10_000 + (20_000 * rest + counts) // (2 * counts)
    fits = (size >= 0) & (whole < 9 * 10**14) & ((digits != 0) | (sums == 0))  # a Decimal can be -0, int64 cannot
    return np.where(sums < 0, -digits, digits), fits


def _variances(function: Variance, windows: _Windows) -> list[AnyColumn]:
    most = kernels.MOST_SQUARED if function.type.kind is Kind.FLOATING else kernels.MOST_WHOLE
    exact = 10 ** (2 * function.type.scale)
    unit = float(exact)
    found, states = kernels.variances(*windows.values, function.sample, most, unit, float(exact - int(unit)))
    with np.errstate(invalid="ignore"):  # results marked UNUSUAL may be negative
        results = np.sqrt(found) if function.root else found
    return _checked(function, windows, DOUBLE, results, states)


def _extreme_texts(function: Extreme, windows: _Windows) -> list[AnyColumn]:
    """Return the least or greatest text of each window, by the ranks of the distinct texts."""
    column = windows.column
    assert column is not None
    used = np.zeros(len(column), dtype=bool)
    used[windows.rows[_inside(windows.first, windows.last, len(windows.rows))]] = True
    encoded = column.text.filter(pa.array(used)).dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    in_order = sorted(range(len(texts)), key=texts.__getitem__)
    place = np.zeros(len(texts) + 1, dtype=np.int64)
    place[in_order] = np.arange(len(texts))
    places = np.zeros(len(column), dtype=np.int64)
    places[used] = place[encoded.indices.fill_null(len(texts)).to_numpy(zero_copy_only=False)]
    found, states = kernels.extremes(places, *windows.validity, function.largest)
    least_first = np.array([texts[at] for at in in_order] or [None], dtype=object)
    return [Column(STRING, least_first[found], states == kernels.GIVEN)]


def _checked(
    function: Function, windows: _Windows, type_: FieldType, found: np.ndarray, states: np.ndarray
) -> list[AnyColumn]:
    """Return usual results as values of a type, and unusual ones, if any, as computed by the function."""
    columns: list[AnyColumn] = [Column(type_, found, states == kernels.GIVEN)]
    unusual = np.flatnonzero(states == kernels.UNUSUAL).tolist()
    if unusual:
        results: list[Result] = [None] * len(states)
        for at in unusual:
            results[at] = windows.compute(function, at)
        columns.append(Results(results))
    return columns
