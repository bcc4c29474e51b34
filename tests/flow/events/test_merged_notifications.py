"""Payloads of merged events: text and VARIANT say what a slow and obvious twin says."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import VariantVal

from sparing.flow.deliver.payload import json_value
from sparing.flow.deliver.variant import variants
from sparing.flow.events.bits import bits_of
from sparing.flow.events.downward import Notice
from sparing.flow.events.event import Fact
from sparing.flow.events.merged_notifications import MergedNotifications, merged_notifications
from sparing.model.merge import Merge
from sparing.model.topic import Topic
from sparing.model.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    EPOCH,
    FLOAT,
    INT,
    MICROSECOND,
    STRING,
    TIMESTAMP,
    field_type,
)
from tests import strategies

KINDS = {"f": FLOAT, "d": DOUBLE, "i": INT, "b": BOOLEAN, "day": DATE, "price": field_type("decimal(18,4)")}
TOPIC = Topic("t", "ts", {"k": STRING, **KINDS, "é": STRING, "ts": TIMESTAMP}, Merge(("k", "d"), 9, cycle=1))
NAMES = list(TOPIC.fields)
CONTEXT: Any = SimpleNamespace(
    topic=TOPIC,
    merge=TOPIC.merge,
    audiences=SimpleNamespace(fields=NAMES, number={name: at for at, name in enumerate(NAMES)}),
)
SELECTIONS = [None, (("x", "i"), ("f", "f"), ("z", "é")), (("y", "i"), ("again", "i"), ("d", "d"))]


@dataclass(frozen=True)
class Told:
    """An event, as far as payloads look at it."""

    key: tuple[Any, ...]
    facts: list[Fact]
    began: int = 3
    closes: int = 12

    def members(self, facts: int) -> list[Fact]:
        return [self.facts[at] for at in bits_of(facts)]


@st.composite
def notices(draw: st.DrawFn) -> list[Any]:
    """Notices about a few events; what is new is known and selected."""
    codes = {name: strategies.values(kind).map(kind.code) for name, kind in TOPIC.fields.items()}
    of = st.integers(0, len(NAMES) - 1).flatmap(lambda at: st.tuples(st.just(at), codes[NAMES[at]]))
    facts = st.builds(lambda value, time, who: Fact(*value, time, who), of, st.integers(0, 10**12), st.text(max_size=2))
    found = []
    for _ in range(draw(st.integers(0, 4))):
        event = Told(tuple(draw(codes[name]) for name in TOPIC.merge.key), draw(st.lists(facts, max_size=6)))
        some = st.integers(0, (1 << len(event.facts)) - 1)
        for columns in draw(st.lists(st.sampled_from(SELECTIONS), min_size=1, max_size=3)):
            wanted = {field for _, field in columns or zip(NAMES, NAMES, strict=True)}
            selected = sum(1 << at for at, fact in enumerate(event.facts) if NAMES[fact.field] in wanted)
            known = draw(some)
            audience = SimpleNamespace(columns=columns, members=(0, 2))
            new = draw(some) & known & selected
            found.append(Notice(audience, event, draw(st.integers(0, 99)), new, known, known.bit_count()))
    return found


def said(notice: Any) -> dict[str, Any]:
    """The payload of a notice, with values and their types."""
    called = {}
    for name, field in notice.audience.columns or zip(NAMES, NAMES, strict=True):
        called.setdefault(CONTEXT.audiences.number[field], name)
    values: dict[int, list[Any]] = {}
    for fact in notice.event.members(notice.facts):
        if fact.field in called:
            values.setdefault(fact.field, []).append(_value(fact))
    history = {called[field]: some for field, some in sorted(values.items()) if len(some) > 1}
    key = zip(TOPIC.merge.key, notice.event.key, strict=True)
    payload = {
        "key": {name: (TOPIC.fields[name].value(code), TOPIC.fields[name]) for name, code in key},
        "new": [
            {
                "field": (called[fact.field], STRING),
                "value": _value(fact),
                "time": (EPOCH + fact.time * MICROSECOND, TIMESTAMP),
                "publisher": (fact.publisher, STRING),
            }
            for fact in notice.event.members(notice.new)
        ],
        "latest": {called[field]: some[-1] for field, some in sorted(values.items())},
    }
    return {**payload, "history": history} if history else payload


def _value(fact: Fact) -> tuple[Any, Any]:
    kind = TOPIC.fields[NAMES[fact.field]]
    return kind.value(fact.code), kind


def text_of(found: Any) -> str:
    match found:
        case dict():
            return "{" + ",".join(f"{json_value(name)}:{text_of(one)}" for name, one in found.items()) + "}"
        case list():
            return "[" + ",".join(map(text_of, found)) + "]"
        case _:
            return json_value(found[0])


def value_of(found: Any) -> Any:
    """What PySpark reads: dates, times and what is no number are text, floats have 32 bits."""
    match found:
        case dict():
            return {name: value_of(one) for name, one in found.items()}
        case list():
            return [value_of(one) for one in found]
        case value, kind:
            if isinstance(value, date) or (isinstance(value, float) and not math.isfinite(value)):
                return json.loads(json_value(value))
            return np.float32(value).item() if kind is FLOAT else value


def payloads_of(found: MergedNotifications) -> Sequence[Any]:
    read: dict[int, Any] = {}
    for numbers, objects in found.payloads.parts:
        rows = variants(objects).to_pylist()
        read |= zip(numbers.tolist(), (VariantVal(**row).toPython() for row in rows), strict=True)
    return [read[number] for number in range(len(read))]


@given(notices())
def test_texts_and_variants_say_what_the_facts_say(some):
    found = merged_notifications(CONTEXT, some)
    expected = [said(notice) for notice in some]
    assert [one.payload for one in found] == list(map(text_of, expected))
    assert list(map(repr, payloads_of(found))) == [repr(in_order(value_of(one))) for one in expected]


def in_order(found: Any) -> Any:
    """Objects with their names in order, as a VARIANT has them."""
    match found:
        case dict():
            return {name: in_order(found[name]) for name in sorted(found)}
        case list():
            return list(map(in_order, found))
        case _:
            return found
