"""Payloads of notifications about merged events.

`key` is the event's key. `new` lists the values that are new to the subscriber, each with publisher and time of its
first report. `latest` has the latest value of each field, and `history` all values of fields with several, in the order
of their first reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sparing.flow.deliver.identity import about_merged
from sparing.flow.deliver.json_columns import widened
from sparing.flow.deliver.nested import AnyColumn, Lists, Objects
from sparing.flow.deliver.notifications import Payloads
from sparing.flow.events.audience import Columns
from sparing.flow.events.context import MergeContext
from sparing.flow.events.downward import Notice
from sparing.flow.events.event import Event, Fact
from sparing.match.columns import Column, from_codes
from sparing.model.types import STRING, TIMESTAMP, Code, FieldType


@dataclass(frozen=True, slots=True)
class MergedNotification:
    """A notification of all subscriptions of an audience; `start` and `end` are the event's window.

    Ids are hashes of `about`.
    """

    subscriptions: tuple[int, ...]
    time: int
    start: int
    end: int
    payload: str
    about: str


@dataclass(frozen=True)
class MergedNotifications:
    """The notifications of notices, with payloads as columns."""

    notices: Sequence[Notice]
    payloads: Payloads

    def __len__(self) -> int:
        return len(self.notices)

    def __iter__(self) -> Iterator[MergedNotification]:
        for notice, payload, about in zip(self.notices, self.payloads.texts(), self.about, strict=True):
            members, event = notice.audience.members, notice.event
            yield MergedNotification(members, notice.time, event.began, event.closes, payload, about)

    @property
    def about(self) -> list[str]:
        """The texts of which ids are hashes."""
        return [about_merged(n.event.key, n.event.began, n.time, n.version) for n in self.notices]


def merged_notifications(context: MergeContext, notices: Sequence[Notice]) -> MergedNotifications:
    """Return the notifications of notices."""
    shapes: dict[Columns, list[int]] = {}
    for number, notice in enumerate(notices):
        shapes.setdefault(notice.audience.columns, []).append(number)
    parts = [
        (np.array(numbers), _payloads(context, _names(context, columns), [notices[number] for number in numbers]))
        for columns, numbers in shapes.items()
    ]
    return MergedNotifications(notices, Payloads(parts))


def _names(context: MergeContext, columns: Columns) -> dict[int, str]:
    """Return the selected fields in order, and their names."""
    number = context.audiences.number
    names = [(name, name) for name in context.audiences.fields] if columns is None else columns
    selected = {number[field]: name for name, field in reversed(names)}
    return dict(sorted(selected.items()))


def _payloads(context: MergeContext, names: dict[int, str], notices: Sequence[Notice]) -> Objects:
    """Return the payloads of notices, as lists of rows of a table of facts."""
    place = {field: at for at, field in enumerate(names)}
    known: dict[Fact, int] = {}
    listed: list[int] = []
    first, last = np.zeros((2, len(names) + 1, len(notices)), dtype=np.int64)  # in `listed`: each field, and new facts
    for number, notice in enumerate(notices):
        facts: list[list[Fact]] = [[] for _ in names]
        for fact in notice.event.members(notice.facts):
            if fact.field in place:
                facts[place[fact.field]].append(fact)
        for at, some in enumerate([*facts, notice.event.members(notice.new)]):
            if some:
                first[at, number] = len(listed)
                listed += [known.setdefault(fact, len(known)) for fact in some]
                last[at, number] = len(listed)
    rows = np.array([*listed, len(known)], dtype=np.int64)  # the last row of the table has no values
    types = {name: widened(type_) for name, type_ in context.topic.fields.items()}
    values, new = _table(known, names, [types[context.audiences.fields[field]] for field in names])
    key = [from_codes([notice.event.key[at] for notice in notices], types[n]) for at, n in enumerate(context.merge.key)]
    latest = rows[np.where(first < last, last - 1, -1)]
    several = last - first > 1
    ranges = list(zip(first, last, several, strict=True))
    selected, valid = list(names.values()), np.ones(len(notices), dtype=bool)
    columns: dict[str, AnyColumn] = {
        "key": Objects(context.merge.key, key, valid),
        "new": Lists(new, rows, *ranges.pop()[:2], valid),
        "latest": Objects(selected, [column.take(latest[at]) for at, column in enumerate(values)], valid),
        "history": Objects(
            selected,
            [Lists(column, rows, *found) for column, found in zip(values, ranges, strict=True)],
            np.any(several[:-1], axis=0),
        ),
    }
    return Objects(list(columns), list(columns.values()), valid)


def _table(known: dict[Fact, int], names: dict[int, str], types: Sequence[FieldType]) -> tuple[list[Column], Objects]:
    """Return the values of facts in a column for each selected field, and the facts as objects; the last is empty."""
    codes: dict[int, list[Code | None]] = {field: [None] * (len(known) + 1) for field in names}
    for fact, row in known.items():
        codes[fact.field][row] = fact.code
    values = [from_codes(found, type_) for found, type_ in zip(codes.values(), types, strict=True)]
    about = zip(*((names[fact.field], fact.time, fact.publisher) for fact in known), (None, None, None), strict=True)
    field, time, publisher = map(from_codes, about, (STRING, TIMESTAMP, STRING))
    named = ["field", *["value"] * len(values), "time", "publisher"]
    return values, Objects(named, [field, *values, time, publisher], np.ones(len(known) + 1, dtype=bool))


def codes_of(event: Event) -> dict[int, Code]:
    """Return the latest value of each field of a closed event."""
    return {field: fact.code for field, fact in event.latest(event.so_far).items()}
