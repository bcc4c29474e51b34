"""Fields, events and subscriptions for the index, with their meaning; and the settings of the index.

Hypothesis draws a few values of each field and a few things to ask of it, asks the judge about each value once, and
leaves it to a seed to make thousands of events and subscriptions out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sparing.language.errors import LanguageError
from sparing.language.parse import parse_filter
from sparing.match import Index, Matches, bitmaps, index, layout, store, texts
from sparing.model.constraint import IS_NULL, Constraint, complement, one_of
from sparing.model.types import FieldType, Kind
from tests import strategies

TILE = 512

# Settings


# Values in tests: with the defaults, a small index would never be sorted and would have no lookups.
SETTINGS = {
    "layout.MOST_EDGES": [layout.MOST_EDGES, 1, 2, 5],
    "layout.MOST_ROWS": [layout.MOST_ROWS, 1, 40],
    "layout.PIVOT_GAIN": [1, 20, layout.PIVOT_GAIN],
    "layout.SAMPLE": [layout.SAMPLE, 1, 7],
    "store.MOST_SEGMENTS": [store.MOST_SEGMENTS, 2],
    "store.MOST_LOOKUP_FIELDS": [store.MOST_LOOKUP_FIELDS, 1],
    "store.BUFFER_SIZE": [store.BUFFER_SIZE, 1, 2, 5],
    "store.REBUILD_AFTER": [store.REBUILD_AFTER, 0, 3],
    "bitmaps.MOST_BITMAPS": [bitmaps.MOST_BITMAPS, 1, 9],
    "index.FEW_EVENTS": [index.FEW_EVENTS, 0, 3, 10**9],
    "index.MOST_KEPT": [index.MOST_KEPT, 0],
}
# The values with a segment, and those with a lookup: by default, all, none, or by the number of subscriptions.
WAYS = [
    {
        "store.FEWEST_IN_SEGMENT": segment,
        "store.MOST_LOOKED_UP": looked_up,
        "store.SCANNED": scanned,
        "store.FEWEST_LOOKED_UP": fewest,
    }
    for segment, looked_up, scanned, fewest in [
        (store.FEWEST_IN_SEGMENT, store.MOST_LOOKED_UP, store.SCANNED, store.FEWEST_LOOKED_UP),
        *((1, 0, 1, 1), (10**9, 10**9, 1, 1), (10**9, 0, 1, 1), (20, 10, 1, 1), (3, 10, 1, 5)),
    ]
]
MODULES = {"index": index, "layout": layout, "store": store, "texts": texts, "bitmaps": bitmaps}

tunings = st.builds(
    lambda settings, way: {**settings, **way},
    st.fixed_dictionaries({name: st.sampled_from(choices) for name, choices in SETTINGS.items()}),
    st.sampled_from(WAYS),
)


@contextmanager
def tuned(tuning: Mapping[str, int]) -> Iterator[None]:
    """Other settings for a while, by module and name."""
    with ExitStack() as stack:
        for setting, value in tuning.items():
            module, name = setting.split(".")
            stack.enter_context(patch.object(MODULES[module], name, value))
        yield


# Columns


def arrow_type(kind: FieldType) -> pa.DataType:
    """The Arrow type that Spark would give a column of a type."""
    match kind.kind:
        case Kind.DECIMAL:
            return pa.decimal128(len(str(kind.high)), kind.scale)
        case Kind.TIMESTAMP:
            return pa.timestamp("us", "UTC")
    return {
        "boolean": pa.bool_(), "tinyint": pa.int8(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(),
        "float": pa.float32(), "double": pa.float64(), "string": pa.string(), "date": pa.date32(),
    }[kind.name]  # fmt: skip


_ZONES = (None, "UTC", "Europe/Berlin")
_FORMS: dict[Kind, list[pa.DataType]] = {
    Kind.BOOLEAN: [pa.int8(), pa.dictionary(pa.int8(), pa.bool_())],
    Kind.WHOLE: [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float64(), pa.decimal128(20, 1)],
    Kind.FLOATING: [pa.float32(), pa.float64(), pa.int32(), pa.dictionary(pa.int32(), pa.float64())],
    Kind.DECIMAL: [pa.decimal128(38, 18), pa.decimal128(38, 0), pa.decimal256(60, 20), pa.int64()],
    Kind.TEXT: [
        *(pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int32(), pa.string())),
        pa.dictionary(pa.int8(), pa.large_string()),
    ],
    Kind.DATE: [pa.date64(), pa.timestamp("s"), pa.timestamp("ms", "UTC"), pa.string()],
    Kind.TIMESTAMP: [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in _ZONES],
}


def forms(kind: FieldType, values: Sequence[Any]) -> list[pa.DataType]:
    """Every Arrow type that holds values without loss; first the one that Spark would use."""
    plain = pa.array(values, type=arrow_type(kind))
    found = [plain.type]
    for form in _FORMS[kind.kind]:
        try:
            other = plain.cast(form)
            if repr(other.cast(plain.type).to_pylist()) == repr(plain.to_pylist()):
                found.append(form)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            pass
    if plain.null_count == len(plain):
        found.append(pa.null())
    return found


# Events


@dataclass(frozen=True)
class Events:
    """Rows whose values are picked from a few: row `r` has `values[field][picks[field][r]]`, None if missing."""

    fields: dict[str, FieldType]
    values: dict[str, list[Any]]
    picks: dict[str, np.ndarray]
    batch: pa.RecordBatch | pa.Table

    def __len__(self) -> int:
        return self.batch.num_rows

    def row(self, at: int) -> dict[str, Any]:
        """One event as values by field."""
        return {field: values[self.picks[field][at]] for field, values in self.values.items()}


def _as_many(one: st.SearchStrategy[Any], least: int, most: int) -> st.SearchStrategy[list[Any]]:
    """Lists of which the long ones are as common as the short ones."""
    return st.integers(least, most).flatmap(lambda size: st.lists(one, min_size=size, max_size=size))


ROWS = (0, 1, 24, 25, 64, 200, TILE - 1, TILE, TILE + 1, 2 * TILE + 1, 2 * TILE + 200)


@st.composite
def events(draw: st.DrawFn, *, most_fields: int = 4, rows: Sequence[int] = ROWS) -> Events:
    """Events with fields of all types, in any Arrow form: one batch or a table, whole or cut out of a larger one."""
    names = ["a", "b b", "c", "d"][: draw(st.integers(1, most_fields))]
    fields = {name: draw(strategies.field_types()) for name in names}
    values = {}
    for name, kind in fields.items():
        some = draw(_as_many(strategies.values(kind), 1, 7))
        values[name] = draw(st.sampled_from([some, [*some, None], [*some, None], [*some, None], [None]]))
    size = draw(st.sampled_from(rows))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    evenly = draw(st.booleans())
    lead, tail = draw(st.sampled_from([(0, 0), (0, 0), (3, 70)]))  # rows before and after that are cut away
    picks, columns = {}, {}
    for name, kind in fields.items():
        share = None if evenly else seed.dirichlet(np.full(len(values[name]), 0.4))
        wide = seed.choice(len(values[name]), size=lead + size + tail, p=share)
        picks[name] = wide[lead : lead + size]
        plain = pa.array(values[name], arrow_type(kind)).take(pa.array(wide))
        form = draw(st.sampled_from(forms(kind, values[name])))
        columns[name] = pa.nulls(len(wide)) if pa.types.is_null(form) else plain.cast(form)
    whole = pa.record_batch(columns)
    batch: pa.RecordBatch | pa.Table = whole.slice(lead, size)
    if draw(st.booleans()):
        cuts = [0, *sorted(seed.integers(0, size + 1, draw(st.integers(0, 3))).tolist()), size]
        parts = [batch.slice(a, b - a) for a, b in pairwise(cuts)]
        batch = pa.Table.from_batches(parts, schema=whole.schema)
    return Events(fields, values, picks, batch)


# Subscriptions


@st.composite
def constraints(draw: st.DrawFn, kind: FieldType, near: Sequence[Any]) -> Constraint:
    """Constraints that admit something, their ends often near values of the events; some of them long lists."""
    codes = [kind.code(value) for value in near if value is not None]
    pool = strategies.codes(kind) | (st.sampled_from(codes) if codes else st.nothing())
    usual = strategies.constraints(kind, pool=pool)
    point = pool.map(lambda code: one_of(kind, [code]))
    points = st.lists(pool, min_size=1, max_size=12).map(lambda some: one_of(kind, some))
    shapes = points.flatmap(lambda c: st.sampled_from([c, complement(kind, c), c.union(IS_NULL)]))
    return draw(st.one_of(point, usual, shapes).filter(lambda constraint: not constraint.empty))


Ask = Any  # a constraint, or a condition


@dataclass(frozen=True)
class Subscriptions:
    """Many subscriptions made of a few things to ask for: `chosen[field][s]` is which one, or -1 for anything.

    `truth[field]` tells what the judge says: [ask, value].
    """

    asks: dict[str, list[Ask]]
    truth: dict[str, np.ndarray]
    chosen: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(next(iter(self.chosen.values())))

    def of(self, number: int) -> dict[str, Ask]:
        """What one subscription asks for, by field."""
        chosen = {field: which[number] for field, which in self.chosen.items()}
        return {field: self.asks[field][which] for field, which in chosen.items() if which >= 0}

    def matching(self, of: Events) -> np.ndarray:
        """Which rows each subscription matches: [subscription, row]."""
        found = np.ones((len(self), len(of)), dtype=bool)
        for field, which in self.chosen.items():
            table = np.vstack([self.truth[field], np.ones(len(of.values[field]), dtype=bool)])  # the last is -1
            found &= table[which][:, of.picks[field]]
        return found


@st.composite
def subscriptions(
    draw: st.DrawFn,
    of: Events,
    ask: Callable[[str, FieldType, Sequence[Any]], st.SearchStrategy[Ask]],
    judge: Callable[[Ask, FieldType, Any], bool],
    *,
    sizes: Sequence[int] = (0, 1, 20, 65, 400, 1700),
) -> Subscriptions:
    """Subscriptions over some of the fields of events."""
    asks = {name: draw(_as_many(ask(name, kind, of.values[name]), 0, 6)) for name, kind in of.fields.items()}
    truth = {
        name: np.array([[judge(one, kind, value) for value in of.values[name]] for one in asks[name]], dtype=bool)
        for name, kind in of.fields.items()
    }
    truth = {name: table.reshape(len(asks[name]), len(of.values[name])) for name, table in truth.items()}
    size = draw(st.sampled_from(sizes))
    seed = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    open_ = draw(st.sampled_from([0.1, 0.5, 0.9]))
    chosen = {}
    for name, mine in asks.items():
        share = seed.dirichlet(np.full(len(mine), 0.7)) if mine else None
        which = seed.choice(len(mine), size=size, p=share) if mine else np.full(size, -1)
        chosen[name] = np.where(seed.random(size) < open_, -1, which)
    return Subscriptions(asks, truth, chosen)


def never_holds(where: str, fields: Mapping[str, FieldType]) -> bool:
    """Whether the language refuses a condition because no event could satisfy it."""
    try:
        parse_filter(where, fields)
    except LanguageError as error:
        if "never true" not in error.message:
            raise
        return True
    return False


# What came out


Pair = tuple[int, Any]  # row and id


def in_order(pairs: Iterable[Pair]) -> list[Pair]:
    """Pairs by row, and those of a row by id, whatever ids are."""
    return sorted(pairs, key=lambda pair: (pair[0], repr(pair[1])))


def pairs_of(matches: Matches) -> list[Pair]:
    """All pairs, in order."""
    return in_order(zip(matches.rows.tolist(), matches.ids, strict=True))


def check_matches(matches: Matches, expected: np.ndarray, rows: Sequence[int] | None = None) -> None:
    """Hold matches against what the judge says, [subscription number, row], of all rows or those given."""
    mine = np.arange(expected.shape[1]) if rows is None else np.asarray(rows)
    assert matches.events.tolist() == mine.tolist()
    assert len(matches.starts) == len(mine) + 1
    assert matches.starts[0] == 0
    assert matches.starts[-1] == len(matches.numbers) == len(matches)
    found = np.zeros(expected.shape, dtype=np.uint8)
    np.add.at(found, (matches.numbers, matches.rows), 1)
    wrong = np.argwhere(found != expected * np.isin(np.arange(expected.shape[1]), mine))
    assert not len(wrong), f"first of {len(wrong)} wrong pairs [subscription, row]: {wrong[0].tolist()}"


def check_slices(of: Index, batch: pa.RecordBatch | pa.Table, expected: np.ndarray, pairs: int) -> None:
    """Hold slices against what the judge says: each event is in one of them, and none is too large."""
    seen: list[int] = []
    for part in of.slices(batch, pairs):
        assert len(part) <= pairs or len(part.events) == 1
        check_matches(part, expected, part.events)
        seen += part.events.tolist()
    assert sorted(seen) == list(range(expected.shape[1]))
