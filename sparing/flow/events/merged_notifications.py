"""Payloads of notifications about merged events.

`key` is the event's key. `new` lists the values that are new to the subscriber, each with publisher and time of its
first report. `latest` has the latest value of each field, and `history` all values of fields with several, in the order
of their first reports.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.flow.deliver.identity import about_merged
from sparing.flow.deliver.payload import Json, json_object, json_value
from sparing.flow.events.audience import Columns
from sparing.flow.events.audiences import MOST_KNOWN
from sparing.flow.events.context import MergeContext
from sparing.flow.events.downward import Notice
from sparing.flow.events.event import Event, Fact
from sparing.model.types import EPOCH, MICROSECOND, Code


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


class PayloadWriter:
    """Writes payloads; caches the texts of facts, which many audiences get."""

    def __init__(self, context: MergeContext) -> None:
        self._context = context
        self._values: dict[tuple[int, Code], Json] = {}
        self._facts: dict[tuple[Fact, str], Json] = {}
        self._column_names: dict[Columns, dict[int, str]] = {}

    def write(self, notice: Notice) -> MergedNotification:
        """Return the notification of a notice."""
        context, event, number = self._context, notice.event, self._context.audiences.number
        names = self._names(notice.audience.columns)
        values: dict[int, list[Json]] = {}
        for fact in event.members(notice.facts):
            if fact.field in names:
                values.setdefault(fact.field, []).append(self._value(fact.field, fact.code))
        key = zip(context.merge.key, event.key, strict=True)
        several = [(names[at], tuple(some)) for at, some in sorted(values.items()) if len(some) > 1]
        payload = json_object(
            [
                ("key", Json(json_object((name, self._value(number[name], code)) for name, code in key))),
                ("new", tuple(self._fact(fact, names[fact.field]) for fact in event.members(notice.new))),
                ("latest", Json(json_object((names[at], some[-1]) for at, some in sorted(values.items())))),
                ("history", Json(json_object(several)) if several else None),
            ]
        )
        about = about_merged(event.key, event.began, notice.time, notice.version)
        return MergedNotification(notice.audience.members, notice.time, event.began, event.closes, payload, about)

    def _names(self, columns: Columns) -> dict[int, str]:
        """Return the selected fields and their names."""
        if columns not in self._column_names:
            number = self._context.audiences.number
            names = [(name, name) for name in self._context.audiences.fields] if columns is None else columns
            self._column_names[columns] = {number[field]: name for name, field in reversed(names)}
        return self._column_names[columns]

    def _value(self, field: int, code: Code) -> Json:
        found = self._values.get((field, code))
        if found is None:
            kind = self._context.topic.fields[self._context.audiences.fields[field]]
            if len(self._values) >= MOST_KNOWN:
                self._values.clear()
            found = self._values[field, code] = Json(json_value(kind.value(code)))
        return found

    def _fact(self, fact: Fact, name: str) -> Json:
        found = self._facts.get((fact, name))
        if found is None:
            words = [
                ("field", name),
                ("value", self._value(fact.field, fact.code)),
                ("time", EPOCH + fact.time * MICROSECOND),
                ("publisher", fact.publisher),
            ]
            if len(self._facts) >= MOST_KNOWN:
                self._facts.clear()
            found = self._facts[fact, name] = Json(json_object(words))
        return found


def codes_of(event: Event) -> dict[int, Code]:
    """Return the latest value of each field of a closed event."""
    return {field: fact.code for field, fact in event.latest(event.so_far).items()}
