"""Admission: which rows are publications that their publishers may make, and why the others are not.

Nothing is dropped: a row that cannot be admitted comes out with a reason, the first that applies in the order of
`Reason`, and a detail.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pyarrow as pa

from sparing.control.plan import Plan
from sparing.flow.deliver.payload import json_object
from sparing.match.boxes import Boxes
from sparing.match.columns import Column
from sparing.model.types import FieldType, Kind

BAD = -1
NO_NUMBER = -1


class Reason(StrEnum):
    """Why a row was set aside."""

    MALFORMED = "malformed"
    UNKNOWN_PUBLISHER = "unknown publisher"
    UNKNOWN_TOPIC = "unknown topic"
    WRONG_TYPE = "wrong type"
    NO_EVENT_TIME = "no event time"
    NO_KEY = "no event key"
    OUTSIDE = "outside the advertisement"
    LATE = "late"


@dataclass(frozen=True)
class Rows:
    """A batch of rows as they came, their fields in the declared types.

    `publisher` and `topic` hold None where the row names none. `text` is the row's own text (a JSON object, unless the
    row is `malformed` or `garbled`); None where it can be told from the fields. `garbled` marks rows whose text is not
    UTF-8, and has replacements for bad bytes. `misfit` marks rows with a value that does not fit its field's type.
    `top_k` is to how many subscriptions at most a row wishes to go: 0 if it does not say, NO_NUMBER if what it says is
    no whole number above zero.
    """

    publisher: np.ndarray
    topic: np.ndarray | None
    columns: Mapping[str, Column]
    text: np.ndarray
    malformed: np.ndarray
    garbled: np.ndarray
    misfit: np.ndarray
    top_k: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.publisher)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that is not admitted: its text, why, and what exactly."""

    text: str
    reason: Reason
    detail: str


@dataclass(frozen=True)
class Admitted:
    """The advertisement that each row falls under (BAD: none), and the rows that are set aside."""

    advertisement: np.ndarray
    rejected: list[Rejected]


class Admission:
    """The checks for one plan; nothing changes by use."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._advertised: dict[str, dict[str, int]] = {}
        for number, advertisement in enumerate(plan.advertisements):
            self._advertised.setdefault(advertisement.publisher, {})[advertisement.topic] = number
        self._top_k = np.array([ad.top_k or 0 for ad in plan.advertisements] + [0], dtype=np.int64)
        fields = {name: kind for topic in plan.topics.values() for name, kind in topic.fields.items()}
        self._boxes = Boxes(fields, [advertisement.box for advertisement in plan.advertisements])

    def admit(self, rows: Rows) -> Admitted:
        """Check a batch."""
        advertisement = self._under(rows)
        untimely = self._without_time(rows, advertisement) | self._without_key(rows, advertisement)
        advertisement[~self._boxes.admit(rows.columns, advertisement)] = BAD
        advertisement[rows.malformed | rows.garbled | untimely | self._wishes_too_much(rows, advertisement)] = BAD
        for row in np.flatnonzero(rows.misfit & (advertisement != BAD)).tolist():
            if self._misfit(rows, row, self._plan.advertisements[advertisement[row]].topic) is not None:
                advertisement[row] = BAD
        rejected = [self._explain(rows, row) for row in np.flatnonzero(advertisement == BAD).tolist()]
        return Admitted(advertisement, rejected)

    def _under(self, rows: Rows) -> np.ndarray:
        """Each row's advertisement by publisher and topic alone."""
        publishers, by = _numbered(rows.publisher)
        topics, on = _numbered(rows.topic if rows.topic is not None else np.full(len(rows), None))
        pairs, which = np.unique(by * len(topics) + on, return_inverse=True)
        found = [self._lookup(publishers[n // len(topics)], topics[n % len(topics)]) for n in pairs.tolist()]
        return np.array(found, dtype=np.int64)[which]

    def _lookup(self, publisher: str | None, topic: str | None) -> int:
        advertised = self._advertised.get(publisher or "", {})
        if topic is None:
            return next(iter(advertised.values())) if len(advertised) == 1 else BAD
        return advertised.get(topic, BAD)

    def _without_time(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        missing = np.zeros(len(rows), dtype=bool)
        for name, topic in self._plan.topics.items():
            numbers = [n for n, ad in enumerate(self._plan.advertisements) if ad.topic == name]
            missing |= np.isin(advertisement, numbers) & ~rows.columns[topic.time].valid
        return missing

    def _without_key(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        """Reports that do not say which event they are about."""
        missing = np.zeros(len(rows), dtype=bool)
        for name, topic in self._plan.topics.items():
            if topic.merge is not None:
                numbers = [n for n, ad in enumerate(self._plan.advertisements) if ad.topic == name]
                there = np.logical_and.reduce([rows.columns[field].valid for field in topic.merge.key])
                missing |= np.isin(advertisement, numbers) & ~there
        return missing

    def _wishes_too_much(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        """Rows that wish to go to more subscriptions than was advertised, or to how many cannot be understood."""
        if rows.top_k is None:
            return np.zeros(len(rows), dtype=bool)
        allowed = self._top_k[advertisement]
        beyond: np.ndarray = (rows.top_k == NO_NUMBER) | ((allowed > 0) & (rows.top_k > allowed))
        return beyond

    def _misfit(self, rows: Rows, row: int, topic: str) -> str | None:
        """The first field of a topic that has a value which does not fit its type."""
        if not rows.misfit[row]:
            return None
        given = {name.lower(): value for name, value in json.loads(rows.text[row]).items()}
        for field in self._plan.topics[topic].fields:
            if given.get(field.lower()) is not None and not rows.columns[field].valid[row]:
                return field
        return None

    def _explain(self, rows: Rows, row: int) -> Rejected:
        """Why a row is not admitted."""
        if rows.garbled[row]:
            return Rejected(rows.text[row], Reason.MALFORMED, "the text is not UTF-8: \ufffd stands for its bad bytes")
        if rows.malformed[row]:
            return Rejected(rows.text[row], Reason.MALFORMED, "the line cannot be read as a row")
        text = rows.text[row] or self._text(rows, row)
        publisher = rows.publisher[row]
        advertised = self._advertised.get(publisher or "")
        if publisher is None:
            return Rejected(text, Reason.UNKNOWN_PUBLISHER, "the row names no publisher")
        if advertised is None:
            return Rejected(text, Reason.UNKNOWN_PUBLISHER, f"no publisher has the id {publisher}")
        topic = rows.topic[row] if rows.topic is not None else None
        if topic is None and len(advertised) > 1:
            return Rejected(
                text, Reason.UNKNOWN_TOPIC, f"{publisher} publishes on several topics and the row names none"
            )
        topic = next(iter(advertised)) if topic is None else topic
        if topic not in self._plan.topics:
            return Rejected(text, Reason.UNKNOWN_TOPIC, f"no topic is called {topic}")
        if topic not in advertised:
            return Rejected(text, Reason.UNKNOWN_TOPIC, f"{publisher} does not publish on {topic}")
        types = self._plan.topics[topic].fields
        if (field := self._misfit(rows, row, topic)) is not None:
            given = {name.lower(): value for name, value in json.loads(text).items()}[field.lower()]
            return Rejected(text, Reason.WRONG_TYPE, f"{field} is not {_article(types[field])}: {str(given)[:200]}")
        if not rows.columns[self._plan.topics[topic].time].valid[row]:
            return Rejected(text, Reason.NO_EVENT_TIME, f"the event time {self._plan.topics[topic].time} is missing")
        merge = self._plan.topics[topic].merge
        keyless = [field for field in (merge.key if merge is not None else ()) if not rows.columns[field].valid[row]]
        if keyless:
            return Rejected(text, Reason.NO_KEY, f"{keyless[0]} is missing, which tells events of {topic} apart")
        advertisement = self._plan.advertisements[advertised[topic]]
        if rows.top_k is not None and rows.top_k[row] == NO_NUMBER:
            return Rejected(text, Reason.WRONG_TYPE, "top_k is not a whole number above zero")
        if rows.top_k is not None and advertisement.top_k is not None and rows.top_k[row] > advertisement.top_k:
            wish = f"{publisher} advertised top_k {advertisement.top_k} and the row asks for {rows.top_k[row]}"
            return Rejected(text, Reason.OUTSIDE, wish)
        box = advertisement.box
        return Rejected(text, Reason.OUTSIDE, f"{publisher} advertised only {box.sql(types)}")

    def _text(self, rows: Rows, row: int) -> str:
        """The text of a row that came without one."""
        named = [("publisher", rows.publisher[row])]
        if rows.topic is not None:
            named.append(("topic", rows.topic[row]))
        return json_object([*named, *((name, _value(column, row)) for name, column in rows.columns.items())])


def _value(column: Column, row: int) -> object:
    if not column.valid[row]:
        return None
    value = column.values[row]
    if column.type.kind is Kind.FLOATING:
        return float(value)
    return value if column.type.kind is Kind.TEXT else column.type.value(int(value))


def _article(type_: FieldType) -> str:
    return f"an {type_}" if type_.name[0] in "aeiou" else f"a {type_}"


def _numbered(names: np.ndarray) -> tuple[list[str | None], np.ndarray]:
    """Different names, and for each row the number of its own."""
    coded = pa.array(names, pa.string()).dictionary_encode("encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)
