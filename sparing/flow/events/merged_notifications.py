"""What a subscriber reads in a notification about a merged event.

`key` says which event it is, `new` lists the values that it has not been told before, each with who first reported it
and when. `latest` has one value for each field, the one that was reported last, and `history` all values, in the order
in which they were first reported, of fields with more than one.
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
    """One notification, for all subscriptions that get it at that time; `start` and `end` are the event's window.

    Ids are taken of `about`.
    """

    subscriptions: tuple[int, ...]
    time: int
    start: int
    end: int
    payload: str
    about: str


class PayloadWriter:
    """Puts notices into words; the same fact is told to many, so its words are kept for a while."""

    def __init__(self, context: MergeContext) -> None:
        self._scene = context
        self._values: dict[tuple[int, Code], Json] = {}
        self._facts: dict[tuple[Fact, str], Json] = {}
        self._called: dict[Columns, dict[int, str]] = {}

    def tell(self, notice: Notice) -> MergedNotification:
        """A notice in words."""
        context, event, number = self._scene, notice.event, self._scene.audiences.number
        called = self._names(notice.audience.columns)
        values: dict[int, list[Json]] = {}
        for fact in event.members(notice.facts):
            if fact.field in called:
                values.setdefault(fact.field, []).append(self._value(fact.field, fact.code))
        key = zip(context.merge.key, event.key, strict=True)
        several = [(called[at], tuple(some)) for at, some in sorted(values.items()) if len(some) > 1]
        payload = json_object(
            [
                ("key", Json(json_object((name, self._value(number[name], code)) for name, code in key))),
                ("new", tuple(self._fact(fact, called[fact.field]) for fact in event.members(notice.new))),
                ("latest", Json(json_object((called[at], some[-1]) for at, some in sorted(values.items())))),
                ("history", Json(json_object(several)) if several else None),
            ]
        )
        about = about_merged(event.key, event.began, notice.time, notice.version)
        return MergedNotification(notice.audience.members, notice.time, event.began, event.closes, payload, about)

    def _names(self, columns: Columns) -> dict[int, str]:
        """What the fields are called that somebody selected."""
        if columns not in self._called:
            number = self._scene.audiences.number
            names = [(name, name) for name in self._scene.audiences.fields] if columns is None else columns
            self._called[columns] = {number[field]: name for name, field in reversed(names)}
        return self._called[columns]

    def _value(self, field: int, code: Code) -> Json:
        found = self._values.get((field, code))
        if found is None:
            kind = self._scene.topic.fields[self._scene.audiences.fields[field]]
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
    """Field -> its value that was reported last, when the event is closed."""
    return {field: fact.code for field, fact in event.latest(event.so_far).items()}
