"""What a subscriber reads in a notification about a merged event.

`key` says which event it is, `new` lists the values that it has not been told before, each with who first reported it
and when. `latest` has one value for each field, the one that was reported last, and `history` all values, in the order
in which they were first reported, of fields with more than one.
"""

from __future__ import annotations

from dataclasses import dataclass

from sparing.flow.deliver.payload import Json, json_object, json_value
from sparing.flow.events.downward import Notice
from sparing.flow.events.event import Event, Fact
from sparing.flow.events.scene import Scene
from sparing.model.types import EPOCH, MICROSECOND, Code


@dataclass(frozen=True, slots=True)
class Telling:
    """One notification, for all subscriptions that get it at that time; `start` and `end` are the event's window."""

    subscriptions: tuple[int, ...]
    time: int
    start: int
    end: int
    payload: str


def payload_of(scene: Scene, notice: Notice) -> Telling:
    """A notice in words."""
    event, columns = notice.event, notice.circle.columns
    names = [(name, name) for name in scene.circles.fields] if columns is None else list(columns)
    called = {scene.circles.number[field]: name for name, field in reversed(names)}
    so_far = [fact for fact in event.members(notice.facts) if fact.field in called]
    values: dict[int, list[Fact]] = {}
    for fact in so_far:
        values.setdefault(fact.field, []).append(fact)
    number = scene.circles.number
    key = [(name, _value(scene, number[name], code)) for name, code in zip(scene.merge.key, event.key, strict=True)]
    new = [
        Json(
            json_object(
                [
                    ("field", called[fact.field]),
                    ("value", _value(scene, fact.field, fact.code)),
                    ("time", EPOCH + fact.time * MICROSECOND),
                    ("publisher", fact.publisher),
                ]
            )
        )
        for fact in event.members(notice.new)
    ]
    latest = [(called[at], _value(scene, at, some[-1].code)) for at, some in sorted(values.items())]
    several = [
        (called[at], tuple(_value(scene, at, fact.code) for fact in some))
        for at, some in sorted(values.items())
        if len(some) > 1
    ]
    payload = json_object(
        [
            ("key", Json(json_object(key))),
            ("new", tuple(new)),
            ("latest", Json(json_object(latest))),
            ("history", Json(json_object(several)) if several else None),
        ]
    )
    return Telling(notice.circle.members, notice.time, event.began, event.closes, payload)


def _value(scene: Scene, field: int, code: Code) -> object:
    return Json(json_value(scene.topic.fields[scene.circles.fields[field]].value(code)))


def codes_of(event: Event) -> dict[int, Code]:
    """Field -> its value that was reported last, when the event is closed."""
    return {field: fact.code for field, fact in event.latest(event.prefix[-1]).items()}
