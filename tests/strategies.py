"""Hypothesis strategies that all tests share.

Conditions and queries come with their meaning, worked out by the slow and obvious judges in `tests/judges/sql.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import strategies as st

from sparing.model.box import Box
from sparing.model.constraint import EXISTS, IS_NULL, Constraint, between, complement, one_of, starts_with
from sparing.model.functions import function
from sparing.model.names import RESERVED, quoted
from sparing.model.subscription import Aggregation, Output, Query
from sparing.model.topic import Topic
from sparing.model.types import FieldType, Kind, field_type
from sparing.model.window import CountWindow, TimeWindow
from tests.judges.sql import Given, Truth, both, compared, either, matches, negated

TYPE_NAMES = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "date", "timestamp"),
    *("decimal(4,2)", "decimal(18,0)", "decimal(18,18)"),
)

# Fields and types


def field_types(*kinds: Kind) -> st.SearchStrategy[FieldType]:
    """Any field type, or one of the given kinds."""
    types = [field_type(name) for name in TYPE_NAMES]
    return st.sampled_from([t for t in types if not kinds or t.kind in kinds])


_PLAIN_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
_ODD_NAMES = st.sampled_from(["air speed", "order", "a`b", "été", "1st", "every", "window", "date", "escape"])


def names() -> st.SearchStrategy[str]:
    """Names of fields and topics, some of which need backquotes."""
    return st.one_of(_PLAIN_NAMES, _ODD_NAMES)


@st.composite
def topics(draw: st.DrawFn, *, most: int = 6) -> Topic:
    """Topics with up to `most` fields; no two names differ by upper and lower case alone."""
    fields = draw(st.lists(names(), min_size=2, max_size=most, unique_by=str.lower))
    types = {name: draw(field_types()) for name in fields[1:]}
    return Topic(draw(names()), fields[0], {fields[0]: field_type("timestamp"), **types})


# Values

_MOMENTS = st.one_of(
    st.sampled_from([datetime(2026, 1, 1), datetime(2026, 1, 1, 12), datetime.min, datetime.max, datetime(1970, 1, 1)]),
    st.datetimes(),
).map(lambda moment: moment.replace(tzinfo=UTC))
_DATES = st.one_of(st.sampled_from([date(2026, 1, 1), date(2026, 1, 2), date.min, date.max]), st.dates())
_TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "ab", "abc", "b", "a\0", "a%", "a_", "\\", "'", '"', "\U0001f600", "\U0010ffff", "\ue000"]
    ),
    st.text(max_size=6),
)


def values(kind: FieldType) -> st.SearchStrategy[Any]:
    """Values of a type: many small ones, so that they meet, and all the extremes."""
    match kind.kind:
        case Kind.BOOLEAN:
            return st.booleans()
        case Kind.TEXT:
            return _TEXTS
        case Kind.DATE:
            return _DATES
        case Kind.TIMESTAMP:
            return _MOMENTS
        case Kind.FLOATING:
            odd = [0.0, -0.0, 0.5, 1.0, -1.0, math.inf, -math.inf, math.nan, 16777216.0]
            width = 32 if kind.name == "float" else 64
            return st.one_of(st.sampled_from(odd), st.floats(width=width))
        case _:
            near = st.integers(max(-3, kind.low), min(3, kind.high))
            far = st.integers(kind.low, kind.high) | st.sampled_from([kind.low, kind.high])
            return st.one_of(near, far).map(kind.value)


def codes(kind: FieldType) -> st.SearchStrategy[Any]:
    """Codes of values."""
    return values(kind).map(kind.code)


@st.composite
def publications(draw: st.DrawFn, topic: Topic) -> dict[str, Any]:
    """A value or None for each field; the event time is never missing."""
    publication = {name: draw(st.none() | values(kind)) for name, kind in topic.fields.items()}
    publication[topic.time] = draw(values(topic.fields[topic.time]))
    return publication


def coded(topic: Topic, publication: dict[str, Any]) -> dict[str, Any]:
    """A publication by its codes, as boxes want it."""
    return {f: None if v is None else topic.fields[f].code(v) for f, v in publication.items()}


# Constraints and boxes


@st.composite
def constraints(draw: st.DrawFn, kind: FieldType, *, pool: st.SearchStrategy[Any] | None = None) -> Constraint:
    """Constraints of every shape, perhaps empty; their bounds come from `pool`, if given."""
    code = codes(kind) if pool is None else pool
    found = Constraint(())
    for _ in range(draw(st.integers(1, 3))):
        match draw(st.sampled_from(["range", "points", "prefix", "all but", "exists", "null"])):
            case "range":
                part = between(kind, draw(st.none() | code), draw(st.none() | code))
            case "points":
                part = one_of(kind, draw(st.lists(code, max_size=4)))
            case "prefix" if kind.kind is Kind.TEXT:
                part = starts_with(kind, draw(code))
            case "all but" | "prefix":
                part = complement(kind, one_of(kind, draw(st.lists(code, max_size=3))))
            case "exists":
                part = EXISTS
            case _:
                part = IS_NULL
        found = found.union(part)
    return found


@st.composite
def boxes(draw: st.DrawFn, topic: Topic) -> Box:
    """Boxes over some fields of a topic."""
    chosen = draw(st.lists(st.sampled_from(sorted(topic.fields)), unique=True, max_size=3))
    box = Box.of({f: draw(constraints(topic.fields[f]).filter(lambda c: not c.empty)) for f in chosen})
    assert box is not None
    return box


# Conditions with their meaning


@dataclass(frozen=True)
class Condition:
    """Text over one field, and what it is (true, false or None) for a value."""

    text: str
    truth: Callable[[Any], Truth]


_LARGE = st.sampled_from([2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**18, 10**30])
_WHOLES = st.one_of(st.integers(-4, 4), st.integers(-(2**63), 2**63), _LARGE, _LARGE.map(lambda n: -n))
_DECIMALS = st.one_of(
    st.sampled_from(["0.5", "-0.5", "0.1", "1.000000000000000001", "99.99", "-99.991", "3."]),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6).map(str),
).map(Decimal)
_DOUBLES = st.one_of(
    st.sampled_from([0.0, 0.1, 0.5, -1.0, 1e18, 9007199254740992.0, -9007199254740992.0, 1e-300, 1e300]),
    st.floats(allow_nan=False, allow_infinity=False),
)


def _floating(number: float) -> list[str]:
    written = repr(number)
    return [f"{written}D", f"{written}d" if "e" in written else f"{written}e0"]


@st.composite
def literals(draw: st.DrawFn, kind: FieldType) -> tuple[str, Given]:
    """Text of a literal that a field of a type can be compared with, and the value it stands for."""
    match kind.kind:
        case Kind.BOOLEAN:
            flag = draw(st.booleans())
            return draw(st.sampled_from([str(flag), str(flag).upper()])), flag
        case Kind.TEXT:
            text = draw(_TEXTS)
            return written(draw, text), text
        case Kind.DATE | Kind.TIMESTAMP:
            day = draw(_DATES)
            if draw(st.booleans()):
                forms = [f"DATE '{day}'", f"'{day}'", f"date('{day}')", f"CAST('{day}' AS DATE)"]
                return draw(st.sampled_from(forms)), day
            moment = draw(_MOMENTS)
            bare = moment.replace(tzinfo=None)
            if kind.kind is Kind.DATE:
                return f"TIMESTAMP '{bare.isoformat(sep=' ')}'", moment
            forms = [f"'{bare.isoformat(sep=' ')}'", f"TIMESTAMP '{bare.isoformat(sep=' ', timespec='microseconds')}Z'"]
            if timedelta(days=1) < bare - datetime.min and timedelta(days=1) < datetime.max - bare:
                east = moment + timedelta(hours=5, minutes=30)
                forms.append(f"timestamp '{east.replace(tzinfo=None).isoformat(timespec='microseconds')}+05:30'")
            return draw(st.sampled_from(forms)), moment
        case _:
            form = draw(st.sampled_from(["whole", "decimal", "double", "float", "infinity"]))
            if form == "whole":
                whole = draw(_WHOLES)
                suffixes = ["", "L"] if -(2**63) <= whole < 2**63 else ["", "BD"]
                return f"{whole}{draw(st.sampled_from(suffixes))}", Decimal(whole)
            if form == "decimal":
                decimal = draw(_DECIMALS)
                return f"{decimal:f}" + ("BD" if decimal == decimal.to_integral_value() else ""), decimal
            if form == "double":
                double = draw(_DOUBLES)
                return draw(st.sampled_from(_floating(double))), double
            if form == "float":
                single = draw(st.floats(width=32, allow_nan=False, allow_infinity=False))
                return f"{single!r}F", float(np.float32(single))
            sign = draw(st.sampled_from(["", "-"]))
            return f"double('{sign}Infinity')", float(f"{sign}inf")


def written(draw: st.DrawFn, text: str) -> str:
    """A text literal, in one of the ways to quote it."""
    escaped = text.replace("\\", "\\\\")
    forms = ["'" + escaped.replace("'", "\\'") + "'", '"' + escaped.replace('"', '""') + '"']
    forms.append("'" + "".join(f"\\U{ord(c):08x}" for c in text) + "'")
    if "'" not in text:
        forms.append(f"r'{text}'")
    return draw(st.sampled_from(forms))


_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@st.composite
def _leaves(draw: st.DrawFn, name: str, kind: FieldType) -> Condition:
    shapes = ["compare", "compare", "null", "between", "in", "is null", "flag" if kind.kind is Kind.BOOLEAN else "like"]
    match draw(st.sampled_from(shapes)):
        case "compare":
            op = draw(st.sampled_from(["=", "==", "!=", "<>", "<", "<=", ">", ">=", "<=>"]))
            text, given = draw(literals(kind))
            flipped = f"{text} {_MIRRORED.get(op, op)} {name}"
            plain = f"{name} {op} {text}"
            return Condition(draw(st.sampled_from([plain, plain, flipped])), lambda v: compared(kind, v, op, given))
        case "null":
            op = draw(st.sampled_from(["=", "<", "!=", "<=>"]))
            return Condition(f"{name} {op} NULL", lambda v: compared(kind, v, op, None))
        case "between":
            (low, least), (high, most) = draw(literals(kind)), draw(literals(kind))
            word, swap = draw(st.sampled_from([("BETWEEN", False), ("NOT BETWEEN", True)]))

            def within(v: Any) -> Truth:
                inside = both(compared(kind, v, ">=", least), compared(kind, v, "<=", most))
                return negated(inside) if swap else inside

            return Condition(f"{name} {word} {low} AND {high}", within)
        case "in":
            exact = literals(kind).filter(lambda item: not isinstance(item[1], Decimal) or abs(item[1]) < 10**20)
            items = draw(st.lists(exact | st.just(("NULL", None)), min_size=1, max_size=4))
            word, swap = draw(st.sampled_from([("IN", False), ("NOT IN", True)]))
            # One double among them makes doubles of all.
            doubles = any(isinstance(given, float) for _, given in items)
            givens = [float(g) if doubles and isinstance(g, Decimal) else g for _, g in items]

            def listed(v: Any) -> Truth:
                found: Truth = False
                for given in givens:
                    found = either(found, compared(kind, v, "=", given))
                return negated(found) if swap else found

            return Condition(f"{name} {word} ({', '.join(text for text, _ in items)})", listed)
        case "like" if kind.kind is Kind.TEXT:
            prefix = draw(_TEXTS)
            escaped = "".join(f"\\{c}" if c in "\\%_" else c for c in prefix)
            pattern = escaped + draw(st.sampled_from(["", "%", "%%"]))
            word, swap = draw(st.sampled_from([("LIKE", False), ("NOT LIKE", True)]))

            def like(v: Any) -> Truth:
                found = matches(v, pattern)
                return negated(found) if swap else found

            return Condition(f"{name} {word} {written(draw, pattern)}", like)
        case "flag":
            return Condition(name, lambda v: v)
        case _:
            if draw(st.booleans()):
                return Condition(f"{name} IS NULL", lambda v: v is None)
            return Condition(f"{name} IS NOT NULL", lambda v: v is not None)


def conditions(name: str, kind: FieldType) -> st.SearchStrategy[Condition]:
    """Conditions over one field, nested."""
    field = quoted(name)

    def nest(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        return st.one_of(
            st.builds(
                lambda a, b: Condition(f"({a.text}) AND ({b.text})", lambda v: both(a.truth(v), b.truth(v))),
                inner,
                inner,
            ),
            st.builds(
                lambda a, b: Condition(f"{a.text} OR ({b.text})", lambda v: either(a.truth(v), b.truth(v))),
                inner,
                inner,
            ),
            st.builds(lambda a: Condition(f"NOT ({a.text})", lambda v: negated(a.truth(v))), inner),
            st.builds(
                lambda a, what: Condition(
                    f"({a.text}) IS {what}",
                    lambda v: a.truth(v) is {"TRUE": True, "FALSE": False, "NULL": None, "UNKNOWN": None}[what],
                ),
                inner,
                st.sampled_from(["TRUE", "FALSE", "NULL", "UNKNOWN"]),
            ),
        )

    return st.recursive(_leaves(field, kind), nest, max_leaves=4)


# Queries with their meaning

_UNITS = {
    "microsecond": 1,
    "millisecond": 10**3,
    "second": 10**6,
    "minute": 6 * 10**7,
    "hour": 36 * 10**8,
    "day": 864 * 10**8,
}


@st.composite
def durations(draw: st.DrawFn) -> tuple[str, int]:
    """Text of a duration longer than nothing, and its microseconds."""
    parts, total = [], 0
    for unit in draw(st.lists(st.sampled_from(sorted(_UNITS)), min_size=1, max_size=2, unique=True)):
        amount = draw(st.integers(1, 100))
        parts.append(f"{amount} {unit}{draw(st.sampled_from(['', 's']))}")
        total += amount * _UNITS[unit]
    return draw(st.sampled_from(["", "", "interval "])) + " ".join(parts), total


def _spelt(draw: st.DrawFn, name: str) -> str:
    """A name in upper or lower case (Spark does not care), with backquotes where it needs them."""
    written = draw(st.sampled_from([name, name.upper(), name.lower(), name.title()]))
    if written.lower() != name.lower() or len(written) != len(name):  # letters that change when cased
        written = name
    return quoted(written)


@st.composite
def queries(draw: st.DrawFn) -> tuple[str, dict[str, Topic], Query]:
    """The text of a query, the topics it may read, and what it means."""
    topic = draw(topics())
    box = draw(boxes(topic))
    where = f" WHERE {box.sql(topic.fields)}" if box.fields or draw(st.booleans()) else ""
    source = _spelt(draw, topic.name)
    if draw(st.booleans()):
        source += draw(st.sampled_from([" AS ", " "])) + "`u`"
    if draw(st.booleans()):
        select, columns = draw(_plain_items(topic))
        text, every = draw(durations())
        cycle = f" EVERY '{text}'" if draw(st.booleans()) else ""
        query = Query(topic.name, box, columns, every=every if cycle else None)
        return f"SELECT {select} FROM {source}{where}{cycle}", {topic.name: topic}, query
    select, outputs = draw(_aggregates(topic))
    group, window = draw(_windows(_spelt(draw, topic.time)))
    query = Query(topic.name, box, aggregation=Aggregation(outputs, window))
    return f"SELECT {select} FROM {source}{where} GROUP BY {group}", {topic.name: topic}, query


@st.composite
def _plain_items(draw: st.DrawFn, topic: Topic) -> tuple[str, tuple[tuple[str, str], ...] | None]:
    fields = draw(st.lists(st.sampled_from(sorted(topic.fields)), max_size=3, unique=True))
    if not fields:
        return "*", None
    columns, texts = [], []
    for at, field in enumerate(fields):
        alias = f"column {at}" if draw(st.booleans()) else None
        columns.append((alias or field, field))
        texts.append(_spelt(draw, field) + (f" AS `{alias}`" if alias else ""))
    return ", ".join(texts), tuple(columns)


@st.composite
def _aggregates(draw: st.DrawFn, topic: Topic) -> tuple[str, tuple[Output, ...]]:
    outputs, texts = [Output("n", function("count", None), None)], ["COUNT(*) AS n"]
    for at, field in enumerate(draw(st.lists(st.sampled_from(sorted(topic.fields)), max_size=3))):
        kind = topic.fields[field]
        name = draw(st.sampled_from(["count", "min", "max", "sum", "avg", "stddev", "median"]))
        distinct = name in ("count", "min") and draw(st.booleans())
        found = function(name, kind, distinct)
        if not isinstance(found, str):
            outputs.append(Output(f"column {at}", found, field))
            texts.append(f"{name}({'DISTINCT ' if distinct else ''}{_spelt(draw, field)}) `column {at}`")
    return ", ".join(texts), tuple(outputs)


@st.composite
def _windows(draw: st.DrawFn, time: str) -> tuple[str, TimeWindow | CountWindow]:
    if draw(st.booleans()):
        size, shift = draw(st.integers(1, 100)), draw(st.none() | st.integers(1, 100))
        return f"count_window({size}{'' if shift is None else f', {shift}'})", CountWindow(size, shift or size)
    duration, slide = draw(durations()), draw(st.none() | durations())
    if slide is None:
        return f"window({time}, '{duration[0]}')", TimeWindow(duration[1], duration[1])
    start = draw(st.integers(1 - slide[1], slide[1] - 1))
    text = f"Window({time}, '{duration[0]}', '{slide[0]}', '{start} microseconds')"
    return text, TimeWindow(duration[1], slide[1], start)


# Windows


@st.composite
def time_windows(draw: st.DrawFn) -> TimeWindow:
    """Small windows: sliding, tumbling and sampling, with an offset of either sign."""
    slide = draw(st.integers(1, 12))
    return TimeWindow(draw(st.integers(1, 30)), slide, draw(st.integers(1 - slide, slide - 1)))


def anything_reserved() -> st.SearchStrategy[str]:
    """Words of the language, in any case."""
    return st.sampled_from(sorted(RESERVED)).map(lambda word: word.title())
