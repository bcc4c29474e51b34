"""Admission: the check of input rows against publishers, topics, types and advertisements.

No row is dropped: a rejected row goes to quarantine with a detail and a reason, the first one that applies in the order
of `QuarantineReason`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

import numpy as np
import pyarrow as pa

from sparing.control.plan import Plan
from sparing.flow.deliver.payload import json_object
from sparing.match.boxes import Boxes
from sparing.match.columns import Column
from sparing.model.counted import counted
from sparing.model.topic import Topic
from sparing.model.types import EARLIEST, LATEST, FieldType, Kind

BAD = -1  # instead of the number of an advertisement
NO_NUMBER = -1  # instead of a top_k that is not a positive whole number
MOST_SAID = 200  # characters of a value in a detail


class QuarantineReason(StrEnum):
    """Why a row is in quarantine."""

    TOO_LONG = "too long"
    MALFORMED = "malformed"
    UNKNOWN_PUBLISHER = "unknown publisher"
    UNKNOWN_TOPIC = "unknown topic"
    WRONG_TYPE = "wrong type"
    NO_EVENT_TIME = "no event time"
    FUTURE = "from the future"
    NO_KEY = "no event key"
    OUTSIDE = "outside the advertisement"
    LATE = "late"


class ReadFault(IntEnum):
    """Why a row cannot be parsed; `_FAULTS` has the texts."""

    NONE = 0
    TOO_LONG = 1
    GARBLED = 2
    UNREADABLE = 3
    MORE = 4
    HALF = 5


_FAULTS = {
    ReadFault.GARBLED: "the text is not UTF-8: \ufffd replaces invalid bytes",
    ReadFault.UNREADABLE: "the line cannot be parsed as a row",
    ReadFault.MORE: "the line is not exactly one JSON object, with nothing after it",
    ReadFault.HALF: "the text has half of a surrogate pair, such as \\ud800 alone, which is not a character",
}


@dataclass(frozen=True)
class Rows:
    """A batch of input rows, with fields cast to the declared types.

    `publisher` and `topic` are dictionary-encoded Arrow arrays, with None where a row has none. `text` are the rows'
    texts as an Arrow array, with None where the fields determine it.
    `fault` has a `ReadFault` per row, `size` the bytes of rows that are too long. `misfit` maps rows to the fields
    whose values do not fit their types, with the values' texts. `top_k` is the row's own limit of subscriptions: 0
    without one, NO_NUMBER if it is not a positive whole number. `latest` is the latest event time that is not in the
    future, in microseconds; None without a limit.
    """

    publisher: pa.DictionaryArray
    topic: pa.DictionaryArray | None
    columns: Mapping[str, Column]
    text: pa.Array | pa.ChunkedArray
    fault: np.ndarray
    misfit: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    top_k: np.ndarray | None = None
    latest: int | None = None
    size: Mapping[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.publisher)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejected row: its text, the reason with details, and the publisher named in it."""

    text: str
    reason: QuarantineReason
    detail: str
    publisher: str | None = None


@dataclass(frozen=True)
class Admitted:
    """The number of each row's advertisement (BAD if rejected), and the rejected rows."""

    advertisement: np.ndarray
    rejected: list[Rejected]


class Admission:
    """The checks of one plan; immutable."""

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
        advertisement = self._advertisements(rows)
        invalid = self._invalid_time(rows, advertisement) | self._without_key(rows, advertisement)
        invalid |= self._invalid_top_k(rows, advertisement) | (rows.fault != ReadFault.NONE)
        advertisement[~self._boxes.admit(rows.columns, advertisement) | invalid] = BAD
        for row in rows.misfit:
            number = advertisement[row]
            if number != BAD and self._misfit(rows, row, self._plan.advertisements[number].topic) is not None:
                advertisement[row] = BAD
        rejected = [self._explain(rows, row) for row in np.flatnonzero(advertisement == BAD).tolist()]
        return Admitted(advertisement, rejected)

    def _advertisements(self, rows: Rows) -> np.ndarray:
        """Return each row's advertisement by publisher and topic."""
        publishers, publisher_of = _numbered(rows.publisher)
        if rows.topic is None:
            of_publisher = np.array([self._lookup(publisher, None) for publisher in publishers], dtype=np.int64)
            return np.asarray(of_publisher[publisher_of])
        topics, topic_of = _numbered(rows.topic)
        pairs, pair_of = np.unique(publisher_of * len(topics) + topic_of, return_inverse=True)
        numbers = [self._lookup(publishers[n // len(topics)], topics[n % len(topics)]) for n in pairs.tolist()]
        return np.array(numbers, dtype=np.int64)[pair_of]

    def _lookup(self, publisher: str | None, topic: str | None) -> int:
        advertised = self._advertised.get(publisher or "", {})
        if topic is None:
            return next(iter(advertised.values())) if len(advertised) == 1 else BAD
        return advertised.get(topic, BAD)

    def _invalid_time(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        """Return the rows with no event time, or with one that is out of range or in the future."""
        invalid = np.zeros(len(rows), dtype=bool)
        most = LATEST if rows.latest is None else min(LATEST, rows.latest)
        for name, topic in self._plan.topics.items():
            numbers = [n for n, ad in enumerate(self._plan.advertisements) if ad.topic == name]
            time = rows.columns[topic.time]
            in_range = time.valid & (time.values >= EARLIEST) & (time.values <= most)
            invalid |= np.isin(advertisement, numbers) & ~in_range
        return invalid

    def _without_key(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        """Return the reports of merged topics without a complete event key."""
        missing = np.zeros(len(rows), dtype=bool)
        for name, topic in self._plan.topics.items():
            if topic.merge is not None:
                numbers = [n for n, ad in enumerate(self._plan.advertisements) if ad.topic == name]
                complete = np.logical_and.reduce([rows.columns[field].valid for field in topic.merge.key])
                missing |= np.isin(advertisement, numbers) & ~complete
        return missing

    def _invalid_top_k(self, rows: Rows, advertisement: np.ndarray) -> np.ndarray:
        """Return the rows whose top_k is above the advertised one, or is not a positive whole number."""
        if rows.top_k is None:
            return np.zeros(len(rows), dtype=bool)
        allowed = self._top_k[advertisement]
        invalid: np.ndarray = (rows.top_k == NO_NUMBER) | ((allowed > 0) & (rows.top_k > allowed))
        return invalid

    def _misfit(self, rows: Rows, row: int, topic: str) -> str | None:
        """Return the topic's first field whose value does not fit its type."""
        misfit = rows.misfit.get(row, {})
        return next((field for field in self._plan.topics[topic].fields if field in misfit), None)

    def _explain(self, rows: Rows, row: int) -> Rejected:
        """Return a rejected row with its reason."""
        fault, publisher = ReadFault(rows.fault[row]), rows.publisher[row].as_py()
        if fault is ReadFault.TOO_LONG:
            long = (
                f"the row has {counted(rows.size[row], 'byte')}, more than limits.row_bytes allows: its text is cut off"
            )
            return Rejected(rows.text[row].as_py(), QuarantineReason.TOO_LONG, long, publisher)
        if fault is not ReadFault.NONE:
            return Rejected(rows.text[row].as_py(), QuarantineReason.MALFORMED, _FAULTS[fault], publisher)
        reason, detail = self._reason(rows, row)
        return Rejected(rows.text[row].as_py() or self._text(rows, row), reason, detail, publisher)

    def _reason(self, rows: Rows, row: int) -> tuple[QuarantineReason, str]:
        """Return the first reason against a row without read faults, with details."""
        publisher = rows.publisher[row].as_py()
        advertised = self._advertised.get(publisher or "")
        if publisher is None:
            return QuarantineReason.UNKNOWN_PUBLISHER, "the row names no publisher"
        if advertised is None:
            return QuarantineReason.UNKNOWN_PUBLISHER, f"no publisher has the id {publisher[:MOST_SAID]}"
        name = rows.topic[row].as_py() if rows.topic is not None else None
        if name is None and len(advertised) > 1:
            return QuarantineReason.UNKNOWN_TOPIC, f"{publisher} publishes on several topics and the row names none"
        name = next(iter(advertised)) if name is None else name
        if name not in self._plan.topics:
            return QuarantineReason.UNKNOWN_TOPIC, f"no topic is called {name[:MOST_SAID]}"
        if name not in advertised:
            return QuarantineReason.UNKNOWN_TOPIC, f"{publisher} does not publish on {name}"
        topic = self._plan.topics[name]
        if (misfit := self._misfit(rows, row, name)) is not None:
            return QuarantineReason.WRONG_TYPE, _wrong_type(topic, misfit, rows.misfit[row][misfit])
        time = rows.columns[topic.time]
        if not time.valid[row]:
            return QuarantineReason.NO_EVENT_TIME, f"the event time {topic.time} is missing"
        shown = str(topic.fields[topic.time].value(int(time.values[row])))
        if not EARLIEST <= time.values[row] <= LATEST:
            return QuarantineReason.WRONG_TYPE, f"the event time {topic.time} is not in the years 1700 to 2199: {shown}"
        if rows.latest is not None and time.values[row] > rows.latest:
            latest = topic.fields[topic.time].value(rows.latest)
            return (
                QuarantineReason.FUTURE,
                f"the event time {topic.time} is {shown}; the latest time accepted now is {latest}",
            )
        keyless = [field for field in (topic.merge.key if topic.merge else ()) if not rows.columns[field].valid[row]]
        if keyless:
            return QuarantineReason.NO_KEY, f"{keyless[0]} is missing, which is part of the event key of {name}"
        advertisement = self._plan.advertisements[advertised[name]]
        if rows.top_k is not None and rows.top_k[row] == NO_NUMBER:
            return QuarantineReason.WRONG_TYPE, "top_k is not a whole number above zero"
        if rows.top_k is not None and advertisement.top_k is not None and rows.top_k[row] > advertisement.top_k:
            wish = f"{publisher} advertised top_k {advertisement.top_k} and the row asks for {rows.top_k[row]}"
            return QuarantineReason.OUTSIDE, wish
        return QuarantineReason.OUTSIDE, f"{publisher} advertised only {advertisement.box.sql(topic.fields)}"

    def _text(self, rows: Rows, row: int) -> str:
        """Return the text of a row, written from its fields."""
        named = [("publisher", rows.publisher[row].as_py())]
        if rows.topic is not None:
            named.append(("topic", rows.topic[row].as_py()))
        return json_object([*named, *((name, _value(column, row)) for name, column in rows.columns.items())])


def _value(column: Column, row: int) -> object:
    if not column.valid[row]:
        return None
    value = column.values[row]
    if column.type.kind is Kind.FLOATING:
        return float(value)
    return value if column.type.kind is Kind.TEXT else column.type.value(int(value))


def _wrong_type(topic: Topic, field: str, text: str) -> str:
    """Return what is wrong with a value, and for times the expected format."""
    type_ = topic.fields[field]
    hint = ""
    if field == topic.time and topic.unit is not None:
        hint = f" (a number is expected, in the unit {topic.unit} since 1970)"
    elif type_.kind in (Kind.TIMESTAMP, Kind.DATE):
        hint = " (a date in the years 1 to 9999 is expected)"
    return f"{field} is not {_article(type_)}: {text}{hint}"


def _article(type_: FieldType) -> str:
    return f"an {type_}" if type_.name[0] in "aeiou" else f"a {type_}"


def _numbered(names: pa.DictionaryArray) -> tuple[list[str | None], np.ndarray]:
    """Return the distinct names, and the number of each row's name; None is one of them if it occurs."""
    return names.dictionary.to_pylist(), names.indices.to_numpy().astype(np.int64)
